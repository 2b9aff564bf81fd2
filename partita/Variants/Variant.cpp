//===- Variant.cpp - a program that a search rewrites before it plans -----===//

#include "partita/Variants/Variant.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

static constexpr VariantKind allKinds[] = {VariantKind::Accumulate, VariantKind::Recompute, VariantKind::Pad,
                                           VariantKind::Reorder,    VariantKind::Pipeline,  VariantKind::Reductions,
                                           VariantKind::Matmul,     VariantKind::Rotate,    VariantKind::Store};
static constexpr llvm::StringLiteral kindWords[] = {"accumulate", "recompute", "pad",    "reorder", "pipeline",
                                                    "reductions", "matmul",    "rotate", "store"};

llvm::StringRef getWord(VariantKind kind) { return kindWords[static_cast<unsigned>(kind)]; }

/// Whether a list adds words to the default one.
static bool isAdded(llvm::StringRef allow) { return allow.trim().starts_with("+"); }

/// Calls `take` for each kind that a list of words names; in a list that adds, each may have a `+`.
static Status readWords(llvm::StringRef text, llvm::StringRef flag, llvm::function_ref<void(VariantKind)> take) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (isAdded(text) && flag == "allow")
      word.consume_front("+");
    const VariantKind *found = llvm::find_if(allKinds, [&](VariantKind kind) { return getWord(kind) == word; });
    if (found == std::end(allKinds))
      return Error::usage("--" + flag.str() + ": '" + word.str() + "' is no action")
          .withRemedy("actions are accumulate, recompute, pad, reorder, pipeline, reductions, matmul, rotate, store");
    take(*found);
  }
  return std::nullopt;
}

bool VariantOptions::namesMoves() const {
  if (allow == VariantOptions().allow)
    return false;
  VariantKinds named;
  bool isWrong = readWords(allow, "allow", [&](VariantKind kind) { named.add(kind); }).has_value();
  return isWrong || !isAdded(allow) || named.has(VariantKind::Matmul) || named.has(VariantKind::Rotate);
}

Result<VariantKinds> parseKinds(const VariantOptions &options) {
  VariantKinds kinds;
  auto add = [&](VariantKind kind) { kinds.add(kind); };
  if (isAdded(options.allow) && readWords(VariantOptions().allow, "allow", add))
    llvm_unreachable("the default has no other words");
  if (Status wrong = readWords(options.allow, "allow", add))
    return std::move(*wrong);
  if (Status wrong = readWords(options.forbid, "forbid", [&](VariantKind kind) { kinds.remove(kind); }))
    return std::move(*wrong);
  return kinds;
}

} // namespace partita::variants
