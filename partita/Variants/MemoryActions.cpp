//===- MemoryActions.cpp - what gives time for memory ---------------------===//

#include "partita/Variants/MemoryActions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::variants {

static constexpr MemoryAction allActions[] = {MemoryAction::Accumulate, MemoryAction::Recompute, MemoryAction::Pad,
                                              MemoryAction::Pipeline};
static constexpr llvm::StringLiteral actionWords[] = {"accumulate", "recompute", "pad", "pipeline"};

llvm::StringRef getWord(MemoryAction action) { return actionWords[static_cast<unsigned>(action)]; }

/// Calls `take` for each action that a list of words names.
static Status readWords(llvm::StringRef text, llvm::StringRef flag, llvm::function_ref<void(MemoryAction)> take) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    const MemoryAction *found =
        llvm::find_if(allActions, [&](MemoryAction action) { return getWord(action) == word.trim(); });
    if (found == std::end(allActions))
      return Error::usage("--" + flag.str() + ": '" + word.trim().str() + "' is no memory action")
          .withRemedy("actions are accumulate, recompute, pad, pipeline");
    take(*found);
  }
  return std::nullopt;
}

Result<AllowedActions> parseActions(const MemoryActionOptions &options) {
  AllowedActions actions;
  if (Status wrong = readWords(options.allow, "allow", [&](MemoryAction action) { actions.add(action); }))
    return std::move(*wrong);
  if (Status wrong = readWords(options.forbid, "forbid", [&](MemoryAction action) { actions.remove(action); }))
    return std::move(*wrong);
  return actions;
}

/// `a and 3 others`; empty if there is none.
static std::string listSome(llvm::ArrayRef<std::string> names) {
  if (names.size() < 2)
    return names.empty() ? "" : names.front();
  return names.front() + " and " + std::to_string(names.size() - 1) + (names.size() > 2 ? " others" : " other");
}

std::string describe(const Variant &variant) {
  std::vector<std::string> parts;
  if (variant.microbatches > 1)
    parts.push_back(std::to_string(variant.microbatches) + " microbatches");
  if (variant.pipeline)
    parts.push_back("pipeline over " + variant.pipeline->axis + " in " +
                    std::to_string(variant.pipeline->microbatches) + " microbatches");
  if (variant.isPadded)
    parts.emplace_back("padded");
  if (!variant.recomputed.empty())
    parts.push_back(listSome(variant.recomputed) + " recomputed");
  if (!variant.kept.empty())
    parts.push_back(listSome(variant.kept) + " kept");
  return parts.empty() ? "the program as it is" : llvm::join(parts, "; ");
}

} // namespace partita::variants
