//===- DeviceProgram.h - a local program without its wrapping -------------===//
//
// The body of a local program is the program of one device: its shapes are
// local, and it contains its collectives. Taken out of its
// `sdy.manual_computation`, it can be priced like any other program in which
// nothing is split.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_DEVICEPROGRAM_H
#define PARTITA_LOWER_DEVICEPROGRAM_H

#include "partita/Lower/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::lower {

struct DeviceProgram {
  /// `@main` is what one device runs.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// `data=4,model=2`.
  std::string mesh;
};

/// `local` has a `@main` with one `sdy.manual_computation` over all axes of its mesh; or without one, if `mesh` is
/// given.
Result<DeviceProgram> takeDeviceProgram(mlir::ModuleOp local, llvm::StringRef mesh);

} // namespace partita::lower

#endif
