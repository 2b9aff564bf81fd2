//===- SplitCounts.h - what of a case is split ----------------------------===//

#ifndef PARTITA_FUZZ_SPLITCOUNTS_H
#define PARTITA_FUZZ_SPLITCOUNTS_H

#include "partita/Fuzz/Rooms.h"
#include "partita/Padding/PadProgram.h"
#include "partita/Propagate/Assignment.h"

#include <map>

namespace partita::fuzz {

/// Kinds of splits (Coverage.h) and how often each occurs; 0 for those that could. Of a factor that is padded,
/// `stablehlo.add uneven` counts too, or `stablehlo.add empty` if some devices have no element.
std::map<std::string, int64_t> countSplits(const Assignment &assignment, const Flattened &flattened,
                                           const PaddedElements &elements);

/// The elements of a dim of which the factor of `op` is the major one; nothing if there is no padding behind them.
std::optional<int64_t> findElements(const Flattened &flattened, const PaddedElements &elements, OpId op,
                                    const DimFactor &entry);

/// Kinds along which devices exchange edges, rows or sums.
inline constexpr llvm::StringRef windowKinds[] = {"halo", "prefix", "moved", "reversed"};

/// Whether some split is of one of these kinds.
bool hasKind(const std::map<std::string, int64_t> &splits, llvm::ArrayRef<llvm::StringRef> kinds);

} // namespace partita::fuzz

#endif
