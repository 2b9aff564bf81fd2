//===- SplitCounts.h - what of a case is split ----------------------------===//

#ifndef PARTITA_FUZZ_SPLITCOUNTS_H
#define PARTITA_FUZZ_SPLITCOUNTS_H

#include "partita/Fuzz/Remainders.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Padding/PadProgram.h"
#include "partita/Propagate/Assignment.h"

#include <map>

namespace partita::fuzz {

/// Kinds of splits (Coverage.h) and how often each occurs; 0 for those that could. Of a factor that is padded, its
/// remainder counts too: `stablehlo.add uneven`.
std::map<std::string, int64_t> countSplits(const Assignment &assignment, const Flattened &flattened,
                                           const PaddedElements &elements);

/// The dim of which the factor of `op` is the major one; nothing if there is no padding behind its elements.
std::optional<UnevenDim> findUnevenDim(const Flattened &flattened, const PaddedElements &elements, OpId op,
                                       const DimFactor &entry);

/// Whether padding wrote the op, where a value becomes longer or is cut back to its elements. Rows move there, which
/// says nothing of the program's own windows.
bool isOfPadding(mlir::Operation *op);

/// Kinds along which devices exchange edges, rows or sums.
inline constexpr llvm::StringLiteral windowKinds[] = {"halo", "prefix", "moved", "reversed"};

/// Whether some split is of one of these kinds.
bool hasKind(const std::map<std::string, int64_t> &splits, llvm::ArrayRef<llvm::StringLiteral> kinds);

} // namespace partita::fuzz

#endif
