//===- Exchanges.h - what devices exchange within one op ------------------===//
//
// Most ops need nothing from other devices. Some local forms do:
//
//   a halo    each device takes edges of its neighbors' pieces: convolutions,
//             windows, shifts of pipeline stages
//   a fold    each device gathers the partial results of all: argmax, top_k
//   a move    rows go to other devices: slices, pads, concatenations
//             (MovedRows.h); pieces change places: reverse
//   a prefix  each device gathers the totals of all: cumulative sums
//
// A rule knows no devices. It emits collectives that say only along which factor
// they run; whoever places the local form adds the devices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_EXCHANGES_H
#define PARTITA_PROGRAM_RULES_EXCHANGES_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

#include "mlir/IR/Builders.h"

namespace partita::program {

/// Which device sends to which, by their numbers along `factor`. Devices to which none sends get zeros.
struct FactorPermute {
  uint8_t factor = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> pairs;
};

/// Each device sends to the one whose number is larger by `by`; those at the end to none, or to those at the beginning.
FactorPermute makeNeighbors(const Split &split, int64_t by, bool isAround = false);

mlir::Value emitPermute(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const FactorPermute &permute);

/// What `emitPermute` stated; nothing for other permutes.
std::optional<FactorPermute> findPermute(mlir::Operation *op);

/// The values of all devices along the factor of `split`, in its order, joined along `dim`.
mlir::Value emitGathered(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned dim,
                         const Split &split);

/// The factor that `emitGathered` stated; nothing for other ops.
std::optional<uint8_t> findGathered(mlir::Operation *op);

/// The factor along which the op exchanges values, if it waits for its devices.
std::optional<uint8_t> findExchange(mlir::Operation *op);

/// Gives such an op its devices. `groups`: those that differ along the factor alone, in its order.
void setDevices(mlir::Operation *op, llvm::ArrayRef<std::vector<int64_t>> groups);

namespace rules {

/// Whether devices may exchange edges of the value's pieces: not of an empty one.
bool mayExchangeEdges(mlir::Value value);

/// `count` rows of `value` along `dim`, from row `start` on, of the device whose number is smaller by `by`: rows of
/// `fill`, a scalar, or of zeros if it is null, where there is none.
mlir::Value emitRowsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned dim, int64_t start,
                       int64_t count, int64_t by, const Split &split, mlir::Value fill = {});

/// A device's rows of `value` along `dim`, with those of its neighbors around them. Beyond the first and the last
/// device rows are `fill`, a scalar, or zeros if it is null. Chunks may be smaller than the halo.
mlir::Value emitHalo(const LocalContext &local, mlir::Location loc, mlir::Value value, unsigned dim, const Split &split,
                     Halo halo, mlir::Value fill = {});

} // namespace rules

} // namespace partita::program

#endif
