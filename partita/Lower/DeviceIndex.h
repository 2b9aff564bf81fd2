//===- DeviceIndex.h - emits a device's coordinates along axes ------------===//
//
// A device's coordinate along an axis is a digit of its number, in mixed radix:
//
//   coordinate(a) = partition_id / stride(a) % size(a)
//   index(a1, ..., an) = (... coordinate(a1) * size(a2) + coordinate(a2) ...)
//
// Each list of axes is computed once, at the beginning of the program's body,
// where every region below can see it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_DEVICEINDEX_H
#define PARTITA_LOWER_DEVICEINDEX_H

#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Axes.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace partita::lower {

class DeviceIndex {
public:
  /// Indices are computed at the beginning of `body`.
  DeviceIndex(const Axes &axes, mlir::Block *body, mlir::Location loc);

  /// The device's number along `list`, major to minor, as a scalar `tensor<i64>`; 0 for no axes.
  mlir::Value get(llvm::ArrayRef<AxisId> list);

  /// Removes what nothing uses.
  void eraseUnused();

private:
  /// Axes that are adjacent in the device's number form one digit.
  struct Digit {
    int64_t stride = 1;
    int64_t size = 1;
    auto operator<=>(const Digit &) const = default;
  };

  llvm::SmallVector<Digit> makeDigits(llvm::ArrayRef<AxisId> list) const;
  mlir::Value emitId();
  mlir::Value emitConstant(int64_t value);
  mlir::Value emitCoordinate(const Digit &digit);

  const Axes &axes;
  mlir::Block *body;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  mlir::Value id;
  std::map<int64_t, mlir::Value> constants;
  std::map<Digit, mlir::Value> coordinates;
  std::map<std::vector<AxisId>, mlir::Value> indices;
  /// The emitted ops, in order.
  std::vector<mlir::Operation *> ops;
};

} // namespace partita::lower

#endif
