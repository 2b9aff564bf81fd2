//===- DeviceDependence.h - values that differ from device to device ------===//
//
// A program with collectives outside of manual computations is run by all
// devices in lock step, on the same arguments. Most of its values are then the
// same on every device and can be split as any other. Those that depend on which
// device it is (`partition_id`, what a reduce_scatter leaves each device with)
// are not: a piece of such a value of one device and a piece of another's do not
// make a value. They stay whole, with all that is computed from them.
//
//   all_reduce, all_gather, collective_broadcast
//                       of what is the same on all devices: the same, if groups
//                       are all of one size; of what differs: the same, if all
//                       devices are one group
//   collective_permute  of what is the same: the same, if every device gets it
//   reduce_scatter, all_to_all
//                       differ, unless groups are single devices
//   other ops           differ if an operand does; what stands in a loop or a
//                       branch, if the choice of the way does
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_DEVICEDEPENDENCE_H
#define PARTITA_PROGRAM_DEVICEDEPENDENCE_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::program {

/// Whether the op says something between devices, or asks which one this is. It is in no manual computation.
bool isExistingCollective(mlir::Operation *op);

/// What of a program in normal form depends on the device.
struct DeviceDependence {
  /// In program order, those in manual computations not among them.
  std::vector<mlir::Operation *> collectives;
  llvm::DenseSet<mlir::Value> differing;

  bool isDiffering(mlir::Value value) const { return differing.contains(value); }
  /// Whether an operand or a result does.
  bool touchesDiffering(mlir::Operation *op) const;
};

DeviceDependence findDeviceDependence(mlir::func::FuncOp main);

/// An error (unsupported) if the program's own collectives have no meaning on `numDevices` devices, or if a result of
/// the program is another one on each device.
Status verifyDeviceDependence(mlir::func::FuncOp main, const DeviceDependence &values, int64_t numDevices);

} // namespace partita::program

#endif
