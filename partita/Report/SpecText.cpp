//===- SpecText.cpp - shardings as JAX writes them ------------------------===//

#include "partita/Report/SpecText.h"

#include "partita/Graph/Rule.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::report {

/// Takes `{data, model}` off the front of `text`.
static std::vector<std::string> takeAxes(llvm::StringRef &text) {
  std::vector<std::string> axes;
  text = text.drop_until([](char c) { return c == '{'; }).drop_front();
  auto [inner, rest] = text.split('}');
  for (llvm::StringRef axis : llvm::split(inner, ", "))
    if (!axis.empty())
      axes.push_back(axis.str());
  text = rest;
  return axes;
}

static std::string printDim(llvm::ArrayRef<std::string> axes) {
  std::string text;
  for (const std::string &axis : axes)
    text += (text.empty() ? "'" : ", '") + axis + "'";
  return axes.empty() ? "None" : axes.size() == 1 ? text : "(" + text + ")";
}

std::string printSpec(llvm::StringRef sharding) {
  auto [dims, partial] = sharding.split(']');
  std::vector<std::string> entries;
  while (dims.contains('{'))
    entries.push_back(printDim(takeAxes(dims)));
  while (!entries.empty() && entries.back() == "None")
    entries.pop_back();
  std::string text = "P(" + llvm::join(entries, ", ") + ")";
  if (!partial.contains('{'))
    return text;
  llvm::StringRef combiner = partial.split('(').second.split(')').first;
  text += combiner == getName(Combiner::Add) ? " of partial sums" : (" of partial results (" + combiner + ")").str();
  return text + " over " + joinWords(takeAxes(partial));
}

std::string printStepWords(llvm::StringRef steps) {
  std::vector<std::string> words;
  for (llvm::StringRef step : llvm::split(steps, "; ")) {
    llvm::StringRef kind = step.split(' ').first;
    words.push_back(step.contains('{') ? (kind + " over " + joinWords(takeAxes(step))).str() : step.str());
  }
  return llvm::join(words, ", then ");
}

} // namespace partita::report
