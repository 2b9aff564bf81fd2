//===- OpTable.h - registers evaluation functions by op -------------------===//
//
// Each file of Ops/ registers its functions:
//
//   static Status evaluateAdd(stablehlo::AddOp op, Call &call) { ... call.results.push_back(...) ... }
//   void registerElementwise(OpTable &table) { table.add<stablehlo::AddOp>(evaluateAdd); }
//
// An op's function sees one device. CrossDeviceOps.h has control flow and
// communication.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPTABLE_H
#define PARTITA_EVALUATE_OPTABLE_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"
#include "partita/Support/Error.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::evaluate {

/// Evaluates the block of a small region (a reducer, a comparator) on scalars.
class RegionRunner {
public:
  virtual ~RegionRunner() = default;
  virtual Result<llvm::SmallVector<Tensor>> run(mlir::Region &region, llvm::ArrayRef<Tensor> arguments) = 0;
};

/// One evaluation of one op on one device. A function may move an operand out. After its last use, the storage is then
/// edited in place: `Tensor result = std::move(call.operands[0]); result.edit<T>()`.
struct Call {
  Mode mode;
  llvm::MutableArrayRef<Tensor> operands;
  llvm::SmallVectorImpl<Tensor> &results;
  RegionRunner &regions;
};

class OpTable {
public:
  using Function = Status (*)(mlir::Operation *op, Call &call);

  /// `evaluate` is `Status (*)(OpT op, Call &call)`.
  template <typename OpT, Status (*evaluate)(OpT, Call &)> void add() {
    functions[mlir::TypeID::get<OpT>()] = [](mlir::Operation *op, Call &call) {
      return evaluate(mlir::cast<OpT>(op), call);
    };
  }

  Function find(mlir::Operation *op) const { return functions.lookup(op->getName().getTypeID()); }

private:
  llvm::DenseMap<mlir::TypeID, Function> functions;
};

/// All functions of Ops/.
const OpTable &getOpTable();

// One for each file of Ops/.
void registerElementwise(OpTable &table);
void registerBits(OpTable &table);
void registerChoice(OpTable &table);
void registerBroadcast(OpTable &table);
void registerComplex(OpTable &table);
void registerMath(OpTable &table);
void registerConvert(OpTable &table);
void registerPrecision(OpTable &table);
void registerBitcast(OpTable &table);
void registerNextAfter(OpTable &table);
void registerShape(OpTable &table);
void registerIndexing(OpTable &table);
void registerContraction(OpTable &table);
void registerConvolution(OpTable &table);
void registerReduction(OpTable &table);
void registerSort(OpTable &table);
void registerLinalg(OpTable &table);
void registerRandom(OpTable &table);
void registerSpecial(OpTable &table);
void registerIdentity(OpTable &table);
void registerMap(OpTable &table);
// In PartLoop.cpp.
void registerPartSlice(OpTable &table);

} // namespace partita::evaluate

#endif
