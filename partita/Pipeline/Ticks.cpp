//===- Ticks.cpp - writes the loop over ticks of a pipeline ---------------===//
//
// What ticks carry from one to the next, and what the loop gives. TickBody.cpp
// writes one of them.
//
//===----------------------------------------------------------------------===//

#include "partita/Pipeline/Ticks.h"

#include "partita/Pipeline/StageLayout.h"
#include "partita/Pipeline/TickWriter.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Temporal/TemporalTactics.h"

using namespace mlir;

namespace partita::pipeline {

using rules::LocalArithmetic;
using stablehlo::ComparisonDirection;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// What ticks carry
//===----------------------------------------------------------------------===//

std::optional<unsigned> mapReshaped(RankedTensorType from, RankedTensorType to, unsigned dim) {
  int64_t before = 1, others = 1;
  for (int64_t size : from.getShape().take_front(dim))
    before *= size;
  for (auto [number, size] : llvm::enumerate(to.getShape())) {
    if (others == before && size == from.getDimSize(dim))
      return static_cast<unsigned>(number);
    others *= size;
  }
  return std::nullopt;
}

/// The dim along which stages own parts of a value of the turn that the layer loop gave; nothing if there is none.
std::optional<unsigned> TickWriter::findStackDim(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  if (!result || !isInTurn(value))
    return std::nullopt;
  Operation *op = result.getOwner();
  if (op == layers) {
    const CarriedValue &carried = nest.carried[result.getResultNumber()];
    return carried.role == CarriedRole::Stack ? std::optional(carried.dim) : std::nullopt;
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    std::optional<unsigned> dim = findStackDim(reshape.getOperand());
    return dim ? mapReshaped(getType(reshape.getOperand()), reshape.getType(), *dim) : std::nullopt;
  }
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return findStackDim(update.getUpdate());
  if (classify(op) == OpClass::Elementwise)
    for (Value operand : op->getOperands())
      if (std::optional<unsigned> dim = findStackDim(operand); dim && getType(operand).getRank() > 0)
        return dim;
  return std::nullopt;
}

void TickWriter::findBuffers() {
  buffers.resize(micro->getNumOperands());
  for (auto [number, carried] : llvm::enumerate(nest.carried)) {
    if (carried.role == CarriedRole::Activation)
      activations.push_back(number);
    bool isChanged = nest.getLayer().getTerminator()->getOperand(number) != nest.getLayer().getArgument(number);
    if (isChanged && (carried.role == CarriedRole::Stack || carried.role == CarriedRole::Sum))
      written.push_back(number);
    if (carried.running)
      buffers[*carried.running] =
          carried.role == CarriedRole::Sum ? Buffer{BufferKind::Sum} : Buffer{BufferKind::Stack, carried.dim};
  }
  for (unsigned number = 1; number < buffers.size(); ++number)
    if (std::optional<unsigned> dim = findStackDim(nest.getTurn().getTerminator()->getOperand(number)))
      buffers[number] = {BufferKind::Stack, *dim};
  shareBuffers();
}

/// The dim of which a slice or an update takes one place for each turn, by the turn's number, and all of the others;
/// nothing if it takes something else.
static std::optional<unsigned> findTurnDim(OperandRange starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
                                           Value turn, int64_t numTurns) {
  std::optional<unsigned> found;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    if (sizes[dim] == shape[dim] && start != turn)
      continue;
    if (found || start != turn || sizes[dim] != 1 || shape[dim] != numTurns)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// The slice of which `value` is another shape; null if there is none.
static stablehlo::DynamicSliceOp findRead(Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value.getDefiningOp<stablehlo::DynamicSliceOp>();
}

/// Finds buffers that may start as what enters the pipeline, since all that counts of them, what the last stage writes,
/// is written to each place once its microbatch has entered.
void TickWriter::shareBuffers() {
  Block &turn = nest.getTurn();
  Value counter = turn.getArgument(0);
  for (unsigned activation : activations) {
    stablehlo::DynamicSliceOp read = findRead(layers->getOperand(activation));
    if (!read || !isInTurn(read) || isInTurn(read.getOperand()))
      continue;
    RankedTensorType type = getType(read.getOperand());
    std::optional<unsigned> dim =
        findTurnDim(read.getStartIndices(), read.getSliceSizes(), type.getShape(), counter, nest.numMicrobatches);
    for (unsigned number = 1; dim && number < buffers.size(); ++number) {
      BlockArgument carried = turn.getArgument(number);
      auto update = turn.getTerminator()->getOperand(number).getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
      if (buffers[number].kind != BufferKind::Last || buffers[number].start || carried.getType() != type ||
          !carried.hasOneUse() || !update || update.getOperand() != carried ||
          findTurnDim(update.getStartIndices(), getType(update.getUpdate()).getShape(), type.getShape(), counter,
                      nest.numMicrobatches) != dim)
        continue;
      buffers[number].start = staged.spread(read.getOperand());
      sharedReads[read] = number;
      break;
    }
  }
}

static Value emitZeros(OpBuilder &builder, Location loc, RankedTensorType type) {
  LocalArithmetic emit{builder, loc};
  return emit.broadcast(emit.zero(type), type.getShape(), {});
}

/// The tick, the activation that each stage gave in the tick before, the buffers.
SmallVector<Value> TickWriter::emitInitial() {
  SmallVector<Value> initial{LocalArithmetic{outside, loc}.integer(0)};
  for (unsigned number : activations)
    initial.push_back(emitZeros(outside, loc, staged.addStages(layers->getOperand(number).getType())));
  for (unsigned number = 1; number < buffers.size(); ++number) {
    Value value = micro->getOperand(number);
    if (buffers[number].kind == BufferKind::Stack)
      initial.push_back(emitOuterStack(value, buffers[number].dim));
    else
      initial.push_back(buffers[number].start ? buffers[number].start : staged.spread(value));
  }
  return initial;
}

void TickWriter::emitCondition(stablehlo::WhileOp ticks) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&ticks.getCond());
  for (Value carried : ticks->getOperands())
    block->addArgument(carried.getType(), loc);
  Value last = emit().integer(Pipelined{numStages, nest.numMicrobatches, blocks.repeats}.countTicks());
  Value more = emit().compare(ComparisonDirection::LT, block->getArgument(0), last);
  stablehlo::ReturnOp::create(builder, loc, more);
}

/// A value of the turn that is written to a buffer at its microbatch's place. Microbatches that do not exist are out of
/// bounds.
Result<Value> TickWriter::emitCollected(stablehlo::DynamicUpdateSliceOp update, unsigned number) {
  const Buffer &buffer = buffers[number];
  Value piece;
  if (buffer.kind == BufferKind::Stack) {
    Result<Value> part = emitBlock(update.getUpdate(), buffer.dim);
    if (!part)
      return part;
    piece = *part;
  } else {
    if (Status wrong = need(update.getUpdate()))
      return std::move(*wrong);
    piece = staged.findStaged(update.getUpdate());
  }
  Value old = staged.find(nest.getTurn().getArgument(number)).value;
  // Of a single microbatch there is no place that is out of bounds.
  if (piece.getType() == old.getType())
    return selectValid(piece, old);
  SmallVector<StagedValue> starts;
  for (Value start : update.getStartIndices()) {
    if (Status wrong = need(start))
      return std::move(*wrong);
    starts.push_back(staged.find(start));
  }
  if (isCircular() && buffer.kind == BufferKind::Stack)
    starts[buffer.dim] = emitBlockStart(getType(piece).getDimSize(buffer.dim + 1));
  return staged.emitScatter(loc, old, piece, starts);
}

Value TickWriter::selectValid(Value onTrue, Value onFalse) {
  return emit().select(staged.spreadAlong(isValid, getType(onTrue).getShape(), loc), onTrue, onFalse);
}

/// A stack that is made anew for each microbatch.
Result<Value> TickWriter::emitNextStack(Value next, unsigned dim, Value old) {
  Result<Value> made = emitBlock(next, dim);
  if (!made || !isCircular())
    return made ? Result<Value>(selectValid(*made, old)) : made;
  SmallVector<StagedValue> starts(getType(old).getRank() - 1, {emit().integer(0), false});
  starts[dim] = emitBlockStart(getType(*made).getDimSize(dim + 1));
  return staged.emitScatter(loc, old, *made, starts);
}

Result<Value> TickWriter::emitNextBuffer(unsigned number) {
  Block &turn = nest.getTurn();
  Value next = turn.getTerminator()->getOperand(number), before = turn.getArgument(number);
  Value old = staged.find(before).value;
  auto running = llvm::find_if(nest.carried, [&](const CarriedValue &carried) { return carried.running == number; });
  if (running != nest.carried.end()) {
    Value made = staged.find(next).value;
    return running->role == CarriedRole::Sum ? selectValid(made, old) : made;
  }
  auto update = next.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (update && update.getOperand() == before && llvm::is_contained(update.getStartIndices(), turn.getArgument(0)))
    return emitCollected(update, number);
  if (buffers[number].kind == BufferKind::Stack)
    return emitNextStack(next, buffers[number].dim, old);
  if (Status wrong = need(next))
    return std::move(*wrong);
  Value made = staged.findStaged(next);
  // In a circular pipeline the last stage has each microbatch several times.
  if (!isCircular())
    return selectValid(made, old);
  return emit().select(staged.spreadAlong(isLeaving, getType(made).getShape(), loc), made, old);
}

Result<SmallVector<Value>> TickWriter::emitNext() {
  SmallVector<Value> next;
  for (unsigned number : activations)
    next.push_back(staged.find(layers->getResult(number)).value);
  for (unsigned number = 1; number < buffers.size(); ++number) {
    Result<Value> value = emitNextBuffer(number);
    if (!value)
      return value.error();
    next.push_back(*value);
  }
  return next;
}

/// The values that the loop over microbatches gave.
void TickWriter::emitResults(stablehlo::WhileOp ticks) {
  OpBuilder after(ticks->getContext());
  after.setInsertionPointAfter(ticks);
  int64_t lastStage = nest.isReversed ? 0 : numStages - 1;
  for (unsigned number = 1; number < buffers.size(); ++number) {
    Value value = ticks->getResult(activations.size() + number), whole;
    switch (buffers[number].kind) {
    case BufferKind::Stack:
      whole = emitFromStages(after, value, buffers[number].dim, blocks);
      joined[{whole, buffers[number].dim}] = value;
      break;
    case BufferKind::Sum:
      whole = emitStageSum(after, value);
      break;
    case BufferKind::Last:
      whole = emitOneStage(after, value, lastStage);
      break;
    }
    micro->getResult(number).replaceAllUsesWith(whole);
  }
  Value count = LocalArithmetic{after, loc}.integer(nest.numMicrobatches);
  micro->getResult(0).replaceAllUsesWith(count);
}

Status TickWriter::run() {
  findBuffers();
  SmallVector<Value> initial = emitInitial();
  auto ticks = stablehlo::WhileOp::create(builder, loc, TypeRange(ValueRange(initial)), initial);
  outside.setInsertionPoint(ticks);
  emitCondition(ticks);
  if (Status wrong = emitBody(ticks))
    return wrong;
  emitResults(ticks);
  micro->erase();
  return std::nullopt;
}

Status writeTicks(const LayerNest &nest, StageBlocks blocks, JoinedStacks &joined) {
  return TickWriter(nest, blocks, joined).run();
}

} // namespace partita::pipeline
