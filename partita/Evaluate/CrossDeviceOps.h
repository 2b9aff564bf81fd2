//===- CrossDeviceOps.h - evaluates ops on all devices together -----------===//
//
// Control flow decides which devices continue together, and collectives pass
// values between them. The functions of these ops see all devices that have
// reached the op. The table works like that of ops on one device (OpTable.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_CROSSDEVICEOPS_H
#define PARTITA_EVALUATE_CROSSDEVICEOPS_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::evaluate {

class Interpreter;
struct Step;

/// Devices that run a block together, ascending.
using ActiveDevices = llvm::ArrayRef<int64_t>;

class CrossDeviceOps {
public:
  using Function = Status (*)(Interpreter &interpreter, const Step &step, ActiveDevices active);

  template <typename OpT> void add(Function function) { functions[mlir::TypeID::get<OpT>()] = function; }

  Function find(mlir::Operation *op) const { return functions.lookup(op->getName().getTypeID()); }

private:
  llvm::DenseMap<mlir::TypeID, Function> functions;
};

const CrossDeviceOps &getCrossDeviceOps();

void registerControlFlow(CrossDeviceOps &table);
void registerCollectives(CrossDeviceOps &table);
void registerManualComputation(CrossDeviceOps &table);
void registerPartLoop(CrossDeviceOps &table);

} // namespace partita::evaluate

#endif
