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

/// Calls `take` for each kind that a list of words names.
static Status readWords(llvm::StringRef text, llvm::StringRef flag, llvm::function_ref<void(VariantKind)> take) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    const VariantKind *found = llvm::find_if(allKinds, [&](VariantKind kind) { return getWord(kind) == word.trim(); });
    if (found == std::end(allKinds))
      return Error::usage("--" + flag.str() + ": '" + word.trim().str() + "' is no action")
          .withRemedy("actions are accumulate, recompute, pad, reorder, pipeline, reductions, matmul, rotate, store");
    take(*found);
  }
  return std::nullopt;
}

Result<VariantKinds> parseKinds(const VariantOptions &options) {
  VariantKinds kinds;
  if (Status wrong = readWords(options.allow, "allow", [&](VariantKind kind) { kinds.add(kind); }))
    return std::move(*wrong);
  if (Status wrong = readWords(options.forbid, "forbid", [&](VariantKind kind) { kinds.remove(kind); }))
    return std::move(*wrong);
  return kinds;
}

} // namespace partita::variants
