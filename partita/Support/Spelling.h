//===- Spelling.h - what a name that is not known was meant to be ---------===//
//
//   adviseName("nvlnk", {"node", "nvlink"}, "levels")   did you mean 'nvlink'?
//   adviseName("xyz", {"node", "nvlink"}, "levels")     levels are node, nvlink
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_SPELLING_H
#define PARTITA_SUPPORT_SPELLING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace partita {

/// The name that is a few letters from `name`, or has it as its last part (`w1` of `params/w1`) or first word (`h100`
/// of `h100-sxm`); nothing if none is near. Of several the nearest, and of these the first.
std::optional<llvm::StringRef> findNearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// The remedy for a name that is not known: the one that was meant, or else all of them (`what` says of what kind).
std::string adviseName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known, llvm::StringRef what);

} // namespace partita

#endif
