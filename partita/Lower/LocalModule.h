//===- LocalModule.h - the module around a device's program ---------------===//
//
//   sdy.mesh @mesh = <["data"=2, "model"=2]>
//   func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = ...}) -> (...) {
//     %0 = sdy.manual_computation(%x) in_shardings=[...] out_shardings=[...]
//         manual_axes={"data", "model"} (%piece: tensor<4x4xf32>) { body }
//     return %0
//   }
//
// On a mesh of one device, only the function is around the body.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_LOCALMODULE_H
#define PARTITA_LOWER_LOCALMODULE_H

#include "partita/Lower/Boundary.h"
#include "partita/Lower/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::lower {

class LocalModule {
public:
  /// The shell for `source`, the module in normal form, with an empty body.
  LocalModule(mlir::ModuleOp source, const Assignment &assignment);

  /// The block for the device's program; its arguments are the device's pieces.
  mlir::Block *getBody() { return body; }
  const Donation &getDonation() const { return donation; }

  /// Ends the body with `results`, the device's pieces, and returns the module.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::ValueRange results);

private:
  void addOtherFunctions();
  void addMain();
  void addManualComputation();

  mlir::ModuleOp source;
  mlir::func::FuncOp sourceMain;
  const Assignment &assignment;
  mlir::OpBuilder builder;
  ShardingAttrs shardings;
  Donation donation;
  bool isOneDevice;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  sdy::ManualComputationOp manual;
  mlir::Block *body = nullptr;
};

} // namespace partita::lower

#endif
