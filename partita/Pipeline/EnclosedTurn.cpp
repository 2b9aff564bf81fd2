//===- EnclosedTurn.cpp - the turns of a loop, as a program of their own --===//

#include "partita/Pipeline/EnclosedTurn.h"

#include "partita/Program/LoopAffine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::pipeline {

/// The ops that compute `value` of nothing, before their users; empty if it depends on an argument, or on many ops.
static SmallVector<Operation *> collectFree(Value value) {
  constexpr size_t most = 16;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getNumRegions() > 0 || !isMemoryEffectFree(op) || ops.size() > most)
      return {};
    if (ops.insert(op))
      llvm::append_range(open, op->getOperands());
  }
  SmallVector<Operation *> sorted(ops.begin(), ops.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a != b && a->isBeforeInBlock(b); });
  return sorted;
}

static func::FuncOp makeMain(ModuleOp module, Block &body, ArrayRef<Value> captured) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types(body.getArgumentTypes());
  for (Value value : captured)
    types.push_back(value.getType());
  auto type = builder.getFunctionType(types, body.getTerminator()->getOperandTypes());
  auto main = func::FuncOp::create(builder, module.getLoc(), "main", type);
  main.addEntryBlock();
  return main;
}

EnclosedTurn takeTurn(stablehlo::WhileOp loop) {
  Block &body = loop.getBody().front();
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getBody(), loop.getBody(), used);
  SmallVector<Value> captured, free;
  for (Value value : used)
    (collectFree(value).empty() ? captured : free).push_back(value);
  EnclosedTurn turn{loop, ModuleOp::create(loop.getLoc()), {}};
  func::FuncOp main = makeMain(*turn.module, body, captured);
  Block &made = main.getBody().front();
  for (unsigned number = 0; number < body.getNumArguments(); ++number)
    turn.outer.push_back(isInvariant(loop, number) ? loop->getOperand(number) : Value());
  llvm::append_range(turn.outer, captured);
  IRMapping mapping;
  mapping.map(body.getArguments(), made.getArguments().take_front(body.getNumArguments()));
  mapping.map(captured, made.getArguments().drop_front(body.getNumArguments()));
  OpBuilder builder = OpBuilder::atBlockEnd(&made);
  for (Value value : free)
    for (Operation *op : collectFree(value))
      if (!mapping.contains(op->getResult(0)))
        builder.clone(*op, mapping);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> next;
  for (Value value : body.getTerminator()->getOperands())
    next.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, body.getTerminator()->getLoc(), next);
  return turn;
}

void putBack(EnclosedTurn &turn) {
  Block &body = turn.loop.getBody().front();
  while (!body.empty())
    body.back().erase();
  Block &made = turn.module->lookupSymbol<func::FuncOp>("main").getBody().front();
  IRMapping mapping;
  for (auto [number, argument] : llvm::enumerate(made.getArguments()))
    mapping.map(argument, number < body.getNumArguments() ? body.getArgument(number) : turn.outer[number]);
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  for (Operation &op : made.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> next;
  for (Value value : made.getTerminator()->getOperands())
    next.push_back(mapping.lookup(value));
  stablehlo::ReturnOp::create(builder, made.getTerminator()->getLoc(), next);
}

} // namespace partita::pipeline
