//===- Names.cpp - names of arguments, results and inner values -----------===//

#include "partita/Program/Names.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Graph/Paths.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::program {

/// Longer stacks lose their outer part. Locations share their parts, so a text of a few lines could describe a stack
/// that exceeds all memory.
static constexpr size_t maxStackLength = 4096;

std::string nameArgument(func::FuncOp main, unsigned index) {
  if (auto name = dyn_cast<NameLoc>(main.getArgument(index).getLoc()))
    if (!name.getName().empty())
      return name.getName().str();
  return "arg" + std::to_string(index);
}

std::string nameResult(func::FuncOp main, unsigned index) {
  if (auto info = main.getResultAttrOfType<StringAttr>(index, "jax.result_info"))
    if (!info.empty())
      return info.str();
  return "result" + std::to_string(index);
}

std::vector<std::string> splitStateName(StringRef name, bool isResult) {
  SmallVector<std::string> parts = splitPath(name);
  std::vector<std::string> components(parts.begin(), parts.end());
  auto isWrapper = [](StringRef part) {
    return part == "value" || part == "raw_value" || part == "array" || part.starts_with("<flat index ");
  };
  while (components.size() > 1 && isWrapper(components.back()))
    components.pop_back();
  bool hasWord = name.consume_front("result") && (name.empty() || name.front() == '[' || name.front() == '.');
  if (isResult && hasWord && !components.empty())
    components.erase(components.begin());
  return components;
}

unsigned InnerNames::getStack(Location location) {
  auto found = stackOf.find(location);
  if (found != stackOf.end())
    return found->second;
  std::string text = buildStack(location);
  auto [it, isNew] = stackByText.try_emplace(text, texts.size());
  if (isNew) {
    texts.push_back(std::move(text));
    counts.push_back(0);
  }
  return stackOf[location] = it->second;
}

std::string InnerNames::buildStack(Location location) {
  while (auto fused = dyn_cast<FusedLoc>(location)) {
    if (fused.getLocations().empty())
      return "";
    location = fused.getLocations().front();
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  auto call = dyn_cast<CallSiteLoc>(location);
  if (!call)
    return "";
  // The callee is the inner part of a call site; callers come before it.
  std::string outer = texts[getStack(call.getCaller())];
  std::string inner = texts[getStack(call.getCallee())];
  std::string both = outer.empty() || inner.empty() ? outer + inner : outer + "/" + inner;
  return both.size() <= maxStackLength ? both : "..." + both.substr(both.size() - maxStackLength);
}

std::string printLocation(Location location) {
  std::optional<SourceLocation> source = findSourceLocation(location);
  return source ? source->file + ":" + std::to_string(source->line) : "";
}

} // namespace partita::program
