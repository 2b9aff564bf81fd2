//===- DeviceDependence.h - values that differ from device to device ------===//
//
// All devices run a program with collectives outside of manual computations in
// lock step, on the same arguments. Most of its values are then the same on
// every device and can be split like any other. Values that depend on the
// device (`partition_id`, the result of a reduce_scatter) cannot be split:
// pieces from different devices do not make one value. They stay whole, with
// everything computed from them.
//
//   all_reduce, all_gather, collective_broadcast
//                       of what is the same on all devices: the same, if groups
//                       are all of one size; of what differs: the same, if all
//                       devices are one group
//   collective_permute  of what is the same: the same, if every device gets it
//   reduce_scatter, all_to_all
//                       differ, unless groups are single devices
//   other ops           differ if an operand does; in a loop or a branch, also if
//                       its predicate does
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_DEVICEDEPENDENCE_H
#define PARTITA_PROGRAM_DEVICEDEPENDENCE_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::program {

/// Whether the op communicates between devices or asks for the device id. The op must be outside of manual
/// computations.
bool isExistingCollective(mlir::Operation *op);

/// The values of a program in normal form that depend on the device.
struct DeviceDependence {
  /// In program order, without those in manual computations.
  std::vector<mlir::Operation *> collectives;
  llvm::DenseSet<mlir::Value> differing;

  bool isDiffering(mlir::Value value) const { return differing.contains(value); }
  /// Whether an operand or a result differs between devices.
  bool touchesDiffering(mlir::Operation *op) const;
};

DeviceDependence findDeviceDependence(mlir::func::FuncOp main);

/// An error (unsupported) if the existing collectives have no meaning on `numDevices` devices, or if a result of the
/// program differs between devices.
Status verifyDeviceDependence(mlir::func::FuncOp main, const DeviceDependence &values, int64_t numDevices);

} // namespace partita::program

#endif
