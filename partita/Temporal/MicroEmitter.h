//===- MicroEmitter.h - emits units, whole or in a turn -------------------===//
//
// Walks the flat program and the module in parallel, as lowering does
// (Lower/LocalProgram.cpp): the ops of a bundle are in program order in both.
// Within a turn an op that is split is what its rule emits for a device that has
// one piece of `count`, and its all-reduces are left to the loop's accumulators.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_MICROEMITTER_H
#define PARTITA_TEMPORAL_MICROEMITTER_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Temporal/Forms.h"
#include "partita/Temporal/MicroPieces.h"
#include "partita/Temporal/Rooms.h"
#include "partita/Temporal/RunningSums.h"

#include "llvm/ADT/MapVector.h"

namespace partita::temporal {

class MicroEmitter {
public:
  MicroEmitter(const MicroProgram &program, const Forms &forms, mlir::OpBuilder &builder)
      : program(program), graph(program.graph), forms(forms), builder(builder), whole(graph.cells.size()) {}

  /// The value of a cell that is whole outside of loops.
  mlir::Value &getWhole(CellId cell) { return whole[cell]; }
  /// The value of a cell in the present turn.
  mlir::Value getInTurn(CellId cell) const { return inTurn.lookup(cell.get()); }

  /// Begins a turn in the body of `loop`, which has no ops yet. `index` is the number of the microbatch.
  void beginTurn(stablehlo::WhileOp loop, mlir::Value index);
  void endTurn();
  /// In this turn the loop that carries `cell` starts at `value` and continues its sum.
  void continueSum(CellId cell, RunningSum sum, mlir::Value value);

  /// Emits a unit at the builder. The ops of a barrier that stand in the same place are one unit: `ops` are these.
  void emit(const MicroUnit &unit);
  void emitBarrier(llvm::ArrayRef<OpId> ops);

private:
  // Values.
  mlir::Value read(CellId cell, const ValueForm &needed, mlir::Location loc);
  mlir::Value readOperand(OpId op, uint32_t operand);
  mlir::Value convert(mlir::Value value, CellId cell, const ValueForm &needed, mlir::Location loc);
  mlir::Value slice(CellId cell, RowDigit digit);
  void define(CellId cell, mlir::Value value);
  MicroPieces at(mlir::Location loc) { return {builder, loc, program.count}; }

  // Ops.
  OpId take(mlir::Operation *origin);
  void emitOp(OpId op);
  llvm::SmallVector<mlir::Value> emitPieces(OpId op, mlir::ValueRange operands);
  /// The update of operand 1, where what is there is added to it first.
  mlir::Value emitAdded(stablehlo::DynamicUpdateSliceOp op, mlir::ValueRange operands);
  mlir::Value emitIota(stablehlo::IotaOp op, mlir::RankedTensorType type, int64_t stride);
  void emitBlock(mlir::Block &block);
  void emitModuleOp(mlir::Operation *op);
  void emitWhile(stablehlo::WhileOp op);
  void emitBody(stablehlo::WhileOp op, stablehlo::WhileOp made, llvm::ArrayRef<CellId> carried);
  void emitBranches(mlir::Operation *op);
  void emitBarrier(mlir::Operation *op);

  /// A free value and how it is split, or not.
  using FreeKey = std::tuple<mlir::Operation *, int, int64_t>;
  /// Copies of free values that are known in one block and the regions below.
  using FreeScope = std::map<FreeKey, mlir::Value>;
  struct Scope {
    explicit Scope(std::vector<FreeScope> &scopes) : scopes(scopes) { scopes.emplace_back(); }
    ~Scope() { scopes.pop_back(); }
    std::vector<FreeScope> &scopes;
  };
  mlir::Value *findFree(const FreeKey &key);
  FreeKey makeFreeKey(OpId op) const;

  const MicroProgram &program;
  const Graph &graph;
  const Forms &forms;
  mlir::OpBuilder &builder;
  IdVector<CellId, mlir::Value> whole;
  /// Filled within a turn alone.
  llvm::DenseMap<uint32_t, mlir::Value> inTurn;
  stablehlo::WhileOp loop;
  mlir::Value index;
  /// Pieces of whole values, at the beginning of the turn, and the last op there.
  std::map<std::pair<CellId, RowDigit>, mlir::Value> slices;
  mlir::Operation *lastSlice = nullptr;
  /// Where carried values start that continue a sum, and the ops that add to what they write.
  llvm::DenseMap<uint32_t, mlir::Value> sums;
  llvm::DenseSet<uint32_t> addingOps;
  std::vector<FreeScope> freeScopes{1};
  size_t firstScope = 0;
  OpId cursor;
};

} // namespace partita::temporal

#endif
