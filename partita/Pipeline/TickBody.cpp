//===- TickBody.cpp - writes one tick of a pipeline -----------------------===//
//
// The body of the loop over microbatches is emitted on demand: first what the
// layer loop starts from, then the layer loop, then what becomes of its results.
// Stacks, of which a stage has a part, need other shapes than the original's, so
// they are emitted apart (`emitStack`): there are few ops between a stack and the
// layer loop, and others are refused.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/StageLayout.h"
#include "partita/Pipeline/TickWriter.h"
#include "partita/Pipeline/Ticks.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Rules/StageShift.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partita::pipeline {

using stablehlo::ComparisonDirection;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Error refuse(Operation *op, const std::string &why) {
  return Error::unsupported(locationOf(op), "no pipeline: '" + op->getName().getStringRef().str() + "' " + why);
}

//===----------------------------------------------------------------------===//
// Values of a turn
//===----------------------------------------------------------------------===//

/// Emits a value of the turn that stages have whole, unless it is known.
Status TickWriter::need(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &nest.getTurn() || staged.isKnown(value))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (Status wrong = need(operand))
      return wrong;
  if (op == layers)
    return refuse(op, "gives a value of all layers that its microbatch needs at once")
        .withRemedy("compute with it behind the loop over layers, or layer by layer inside of it");
  return staged.emit(op);
}

/// Where a stage's block begins along the layers of all that it has.
StagedValue TickWriter::emitBlockStart(int64_t blockSize) {
  return {stablehlo::MulOp::create(builder, loc, getType(block), block, emitNumbers(blockSize)), true};
}

/// The block that each stage runs, of a stack or of what is computed from it.
Result<Value> TickWriter::emitBlock(Value value, unsigned dim) {
  Result<Value> stack = emitStack(value, dim);
  if (!stack)
    return stack;
  RankedTensorType type = getBlockType(value.getType(), dim, blocks);
  if ((*stack).getType() == type)
    return stack;
  SmallVector<StagedValue> starts(type.getRank() - 1, {emit().integer(0), false});
  starts[dim] = emitBlockStart(type.getDimSize(dim + 1));
  return staged.emitGather(value.getLoc(), {*stack, true}, starts, type.getShape().drop_front());
}

/// What is written in a tick is a block, also if it starts from a value of all layers.
Result<Value> TickWriter::emitWrittenStack(Value initial, unsigned dim) {
  RankedTensorType type = getBlockType(initial.getType(), dim, blocks);
  Value alike =
      isCircular() && !isInTurn(initial) ? emitAlike(outside, initial, dim, type.getShape().drop_front()) : Value();
  return alike ? Result<Value>(staged.spread(alike)) : emitBlock(initial, dim);
}

/// A slice that takes all layers.
Result<Value> TickWriter::emitStackSlice(stablehlo::DynamicSliceOp op, unsigned dim) {
  if (op.getSliceSizes()[dim] != getType(op.getOperand()).getDimSize(dim))
    return refuse(op, "takes a part of the layers")
        .withRemedy("give each loop over layers weights of its own, instead of slices of a longer stack");
  Result<Value> operand = emitStack(op.getOperand(), dim);
  if (!operand)
    return operand;
  SmallVector<StagedValue> starts;
  for (Value start : op.getStartIndices()) {
    if (Status wrong = need(start))
      return std::move(*wrong);
    starts.push_back(staged.find(start));
  }
  RankedTensorType type = getBlockType(op.getType(), dim, blocks);
  int64_t blockSize = type.getDimSize(dim + 1);
  if (getType(*operand).getDimSize(dim + 1) != blockSize)
    starts[dim] = emitBlockStart(blockSize);
  return staged.emitGather(op.getLoc(), {*operand, true}, starts, type.getShape().drop_front());
}

/// Each stage's block of an op's result.
Result<Value> TickWriter::emitStackOp(Operation *op, unsigned dim) {
  Location where = op->getLoc();
  RankedTensorType type = getBlockType(op->getResult(0).getType(), dim, blocks);
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    std::optional<unsigned> from = mapReshaped(reshape.getType(), getType(reshape.getOperand()), dim);
    if (!from)
      return refuse(op, "merges the dim of layers with others")
          .withRemedy("keep the layers a dim of their own in what the loop over them reads and stacks");
    Result<Value> operand = emitBlock(reshape.getOperand(), *from);
    return operand ? Result<Value>(stablehlo::ReshapeOp::create(builder, where, type, *operand).getResult()) : operand;
  }
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op))
    return emitStackSlice(slice, dim);
  if (classify(op) != OpClass::Elementwise || op->getNumRegions() > 0)
    return refuse(op, "stands between the layers and what they have stacked")
        .withRemedy("move it into the layers, where it computes with one of them");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Result<Value> made = emitBlock(operand, dim);
    if (!made)
      return made;
    operands.push_back(*made);
  }
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  return made->getResult(0);
}

/// A stack that a tick makes of nothing, or of a value without layers.
Result<Value> TickWriter::emitMadeStack(Operation *op, unsigned dim) {
  if (Status wrong = need(op->getResult(0)))
    return std::move(*wrong);
  StagedValue whole = staged.find(op->getResult(0));
  if (whole.isStaged)
    return refuse(op, "gives each microbatch its own stack")
        .withRemedy("give all microbatches one stack, and compute what differs between them inside of the layers");
  RankedTensorType type = getBlockType(op->getResult(0).getType(), dim, blocks);
  Value alike = isCircular() ? emitAlike(builder, whole.value, dim, type.getShape().drop_front()) : Value();
  return alike ? staged.spread(alike) : emitToStages(builder, whole.value, dim, blocks);
}

/// The value before reshapes that undo each other.
static Value skipReshapes(Value value) {
  for (Value before = value; auto reshape = before.getDefiningOp<stablehlo::ReshapeOp>();) {
    before = reshape.getOperand();
    if (before.getType() == value.getType())
      return skipReshapes(before);
  }
  return value;
}

Value TickWriter::emitOuterStack(Value value, unsigned dim) {
  if (Value parts = joined.lookup({skipReshapes(value), dim}))
    return parts;
  return emitToStages(outside, value, dim, blocks);
}

Result<Value> TickWriter::emitStack(Value value, unsigned dim) {
  auto [it, isNew] = stacks.try_emplace({value, dim});
  if (!isNew && it->second)
    return it->second;
  Operation *op = value.getDefiningOp();
  Result<Value> made = Value();
  if (!isInTurn(value)) {
    made = emitOuterStack(value, dim);
  } else if (!op) {
    // What the turn carries has the form of its buffer.
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    if (buffers[number].kind != BufferKind::Stack || buffers[number].dim != dim)
      return refuse(layers, "steps through what microbatches carry")
          .withRemedy("step through weights, or through what a loop over layers before it has stacked");
    made = staged.find(value).value;
  } else if (op == layers) {
    made = staged.find(value).value;
  } else if (op->getNumOperands() == 0 || isa<stablehlo::BroadcastInDimOp>(op)) {
    made = emitMadeStack(op, dim);
  } else {
    made = emitStackOp(op, dim);
  }
  if (made)
    stacks[{value, dim}] = *made;
  return made;
}

//===----------------------------------------------------------------------===//
// A tick
//===----------------------------------------------------------------------===//

void TickWriter::emitPosition(Value tick) {
  auto numbers = RankedTensorType::get({numStages}, builder.getI64Type());
  position = stablehlo::IotaOp::create(builder, NameLoc::get(builder.getStringAttr(stageNumbers), loc), numbers, 0);
  if (nest.isReversed)
    position =
        stablehlo::SubtractOp::create(builder, loc, numbers, emitNumbers(emit().integer(numStages - 1)), position);
  emitMicrobatch(tick);
  Value isBegun = emit().compare(ComparisonDirection::GE, microbatch, emitNumbers(emit().integer(0)));
  Value isLeft = emit().compare(ComparisonDirection::LT, microbatch, emitNumbers(emit().integer(nest.numMicrobatches)));
  isValid = emit().conjunction(isBegun, isLeft);
  isEntering = emit().compare(ComparisonDirection::EQ, position, emitNumbers(emit().integer(0)));
  if (!isCircular())
    return;
  isEntering = emit().conjunction(isEntering, emit().compare(ComparisonDirection::EQ, repeat, emitNumbers(0)));
  int64_t last = blocks.repeats - 1;
  isLeaving = emit().conjunction(isValid, emit().compare(ComparisonDirection::EQ, repeat, emitNumbers(last)));
  Value stored =
      nest.isReversed ? Value(stablehlo::SubtractOp::create(builder, loc, numbers, emitNumbers(last), repeat)) : repeat;
  block = emit().select(isValid, stored, emitNumbers(blocks.repeats));
}

/// Of each stage in this tick; and how often it has gone around.
void TickWriter::emitMicrobatch(Value tick) {
  RankedTensorType numbers = getType(position);
  StringRef name = nest.isReversed ? reversedMicrobatchNumbers : microbatchNumbers;
  auto named = NameLoc::get(builder.getStringAttr(name), loc);
  auto subtract = [&](Value a, Value b, Location where) -> Value {
    return stablehlo::SubtractOp::create(builder, where, numbers, a, b);
  };
  if (!isCircular()) {
    microbatch = subtract(emitNumbers(tick), position, named);
    return;
  }
  auto divide = [&](Value a, int64_t b) -> Value {
    return stablehlo::DivOp::create(builder, loc, numbers, a, emitNumbers(b));
  };
  auto times = [&](Value a, int64_t b) -> Value {
    return stablehlo::MulOp::create(builder, loc, numbers, a, emitNumbers(b));
  };
  // Before the first microbatch all of these are zero or less, and the microbatch is less.
  Value turn = subtract(emitNumbers(tick), position, loc);
  Value group = divide(turn, blocks.count());
  Value inGroup = subtract(turn, times(group, blocks.count()), loc);
  repeat = divide(inGroup, numStages);
  // Of the turns before this one, those of other repeats and groups brought no microbatch.
  Value others =
      times(stablehlo::AddOp::create(builder, loc, numbers, times(group, blocks.repeats - 1), repeat), numStages);
  microbatch = subtract(turn, others, named);
}

/// What each stage got from the one before, and in a circular pipeline the first from the last.
Value TickWriter::emitArrived(Value given) {
  int64_t by = nest.isReversed ? -1 : 1;
  Value made = isCircular() ? emitStageRotation(builder, loc, given, by) : emitStageShift(builder, loc, given, by);
  made.getDefiningOp()->setLoc(NameLoc::get(builder.getStringAttr(stageShifts), loc));
  return made;
}

Status TickWriter::emitBody(stablehlo::WhileOp ticks) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&ticks.getBody());
  for (Value carried : ticks->getOperands())
    body->addArgument(carried.getType(), loc);
  Value tick = body->getArgument(0);
  // At the top of the body: nothing but the loop's own value is sent, so that it can overlap with what follows.
  SmallVector<Value> arrived;
  for (unsigned number = 0; number < activations.size(); ++number)
    arrived.push_back(emitArrived(body->getArgument(1 + number)));
  emitPosition(tick);
  staged.define(nest.getTurn().getArgument(0), {microbatch, true});
  for (unsigned number = 1; number < buffers.size(); ++number)
    staged.define(nest.getTurn().getArgument(number), {body->getArgument(activations.size() + number), true});
  if (Status wrong = emitLayers(tick, arrived))
    return wrong;
  Result<SmallVector<Value>> next = emitNext();
  if (!next)
    return next.error();
  Value following = stablehlo::AddOp::create(builder, loc, tick.getType(), tick, emit().integer(1));
  next->insert(next->begin(), following);
  stablehlo::ReturnOp::create(builder, loc, *next);
  return std::nullopt;
}

/// What layers take as it is, before the loop over them.
Status TickWriter::bindLayerValues() {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(layers->getRegions(), captured);
  for (Value value : captured) {
    auto stack = nest.outerStacks.find(value);
    if (stack == nest.outerStacks.end()) {
      if (Status wrong = need(value))
        return wrong;
      continue;
    }
    Result<Value> part = emitStack(value, stack->second);
    if (!part)
      return part.error();
    staged.define(value, {*part, true});
  }
  for (auto [number, carried] : llvm::enumerate(nest.carried)) {
    Value initial = layers->getOperand(number);
    BlockArgument argument = nest.getLayer().getArgument(number);
    if (carried.role == CarriedRole::Stack) {
      bool isMade = llvm::is_contained(written, number) && !carried.running;
      Result<Value> part = isMade ? emitWrittenStack(initial, carried.dim) : emitStack(initial, carried.dim);
      if (!part)
        return part.error();
      staged.define(argument, {*part, true});
    } else if (carried.role != CarriedRole::Counter && carried.role != CarriedRole::Activation) {
      if (Status wrong = need(initial))
        return wrong;
      staged.define(argument, staged.find(initial));
    }
  }
  return std::nullopt;
}

/// The ops of the turn on which `value` depends, before their users. False if it depends on anything of the turn but
/// the number of the microbatch.
static bool collectSources(Value value, Block &turn, llvm::SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != &turn || argument.getArgNumber() == 0;
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &turn || ops.contains(op))
    return true;
  if (op->getNumRegions() > 0)
    return false;
  for (Value operand : op->getOperands())
    if (!collectSources(operand, turn, ops))
      return false;
  ops.insert(op);
  return true;
}

/// The microbatch that enters in this tick; some other one that exists if none does.
Value TickWriter::emitEnteringNumber(Value tick) {
  Type type = tick.getType();
  Value number = tick;
  if (isCircular()) {
    Value group = stablehlo::DivOp::create(builder, loc, type, tick, emit().integer(blocks.count()));
    Value place = stablehlo::RemOp::create(builder, loc, type, tick, emit().integer(numStages));
    Value before = stablehlo::MulOp::create(builder, loc, type, group, emit().integer(numStages));
    number = stablehlo::AddOp::create(builder, loc, type, before, place);
  }
  return stablehlo::MinOp::create(builder, loc, type, number, emit().integer(nest.numMicrobatches - 1));
}

/// What all stages have of the value that `read` takes a microbatch of: it is spread before the loop, once for all
/// ticks. Where it can be, it is what a buffer starts from.
Value TickWriter::emitEnteringRows(stablehlo::DynamicSliceOp read) {
  auto shared = sharedReads.find(read);
  if (shared != sharedReads.end())
    return staged.find(nest.getTurn().getArgument(shared->second)).value;
  Value &rows = enteringRows[read.getOperand()];
  if (!rows)
    rows = StagedOps(outside, numStages).spread(read.getOperand());
  return rows;
}

/// What enters the pipeline in this tick, for all stages, of which the first one takes it. The microbatch is the same
/// for all of them, so that each reads one place of what it has.
Result<Value> TickWriter::emitEntering(Value value, Value tick) {
  llvm::SetVector<Operation *> ops;
  if (!isInTurn(value) || !collectSources(value, nest.getTurn(), ops)) {
    if (Status wrong = need(value))
      return std::move(*wrong);
    return staged.findStaged(value);
  }
  StagedOps entering(builder, numStages);
  Value counter = nest.getTurn().getArgument(0);
  Value number = emit().convert(emitEnteringNumber(tick), getType(counter).getElementType());
  entering.define(counter, {number, false});
  for (Operation *op : ops) {
    if (auto read = dyn_cast<stablehlo::DynamicSliceOp>(op); read && !isInTurn(read.getOperand()))
      entering.define(read.getOperand(), {emitEnteringRows(read), true});
    if (Status wrong = entering.emit(op))
      return std::move(*wrong);
  }
  return entering.findStaged(value);
}

Status TickWriter::emitLayers(Value tick, ArrayRef<Value> arrived) {
  if (Status wrong = bindLayerValues())
    return wrong;
  SmallVector<Value> initial{emit().integer(0)};
  for (auto [number, value] : llvm::zip_equal(activations, arrived)) {
    Result<Value> own = emitEntering(layers->getOperand(number), tick);
    if (!own)
      return own.error();
    initial.push_back(emit().select(staged.spreadAlong(isEntering, getType(*own).getShape(), loc), *own, value));
  }
  for (unsigned number : written)
    initial.push_back(staged.findStaged(nest.getLayer().getArgument(number)));
  auto made = stablehlo::WhileOp::create(builder, layers.getLoc(), TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(layers->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *condition = builder.createBlock(&made.getCond());
    for (Value value : initial)
      condition->addArgument(value.getType(), loc);
    Value more = emit().compare(ComparisonDirection::LT, condition->getArgument(0), emit().integer(layersPerBlock));
    stablehlo::ReturnOp::create(builder, loc, more);
    if (Status wrong = emitLayerBody(made))
      return wrong;
  }
  for (auto [place, number] : llvm::enumerate(llvm::concat<unsigned>(activations, written)))
    staged.define(layers->getResult(number), {made->getResult(1 + place), true});
  return std::nullopt;
}

Status TickWriter::emitLayerBody(stablehlo::WhileOp made) {
  Block *body = builder.createBlock(&made.getBody());
  for (Value value : made->getOperands())
    body->addArgument(value.getType(), loc);
  Block &layer = nest.getLayer();
  Value index = body->getArgument(0);
  for (auto [place, number] : llvm::enumerate(llvm::concat<unsigned>(activations, written)))
    staged.define(layer.getArgument(number), {body->getArgument(1 + place), true});
  for (auto [number, carried] : llvm::enumerate(nest.carried))
    if (carried.role == CarriedRole::Counter)
      staged.define(layer.getArgument(number),
                    {emitCounter(carried.counter, getType(layer.getArgument(number)), index), true});
  for (Operation &op : layer.without_terminator())
    if (Status wrong = emitLayerOp(&op, index))
      return wrong;
  SmallVector<Value> next{stablehlo::AddOp::create(builder, loc, index.getType(), index, emit().integer(1))};
  for (unsigned number : llvm::concat<unsigned>(activations, written))
    next.push_back(staged.findStaged(layer.getTerminator()->getOperand(number)));
  stablehlo::ReturnOp::create(builder, layer.getTerminator()->getLoc(), next);
  return std::nullopt;
}

/// The counter in layer `layer` of the stage's block: the layers of all blocks before it have run.
Value TickWriter::emitCounter(const LoopCounter &counter, RankedTensorType type, Value layer) {
  RankedTensorType numbers = getType(position);
  auto times = [&](Value a, int64_t b) -> Value {
    return stablehlo::MulOp::create(builder, loc, numbers, a, emitNumbers(emit().integer(b)));
  };
  Value before = position;
  if (isCircular())
    before = stablehlo::AddOp::create(builder, loc, numbers, times(repeat, numStages), position);
  Value number = stablehlo::AddOp::create(builder, loc, numbers, times(before, layersPerBlock), emitNumbers(layer));
  number = stablehlo::AddOp::create(builder, loc, numbers, times(number, counter.step),
                                    emitNumbers(emit().integer(counter.start)));
  Value converted = emit().convert(number, type.getElementType());
  RankedTensorType own = staged.addStages(type);
  return own == converted.getType() ? converted
                                    : stablehlo::ReshapeOp::create(builder, loc, own, converted).getResult();
}

Status TickWriter::emitLayerOp(Operation *op, Value layer) {
  auto access = nest.accesses.find(op);
  if (access == nest.accesses.end())
    return staged.emit(op);
  emitAccess(op, access->second, layer);
  return std::nullopt;
}

/// The carried value that `value` is, or that updates made of it; null if it is none.
static BlockArgument findCarriedStack(Value value) {
  while (auto update = value.getDefiningOp<stablehlo::DynamicUpdateSliceOp>())
    value = update.getOperand();
  return dyn_cast<BlockArgument>(value);
}

/// A slice or update of a stage's part of a stack. In the block that runs it is the same slice for all stages; of all
/// that a stage has, blocks begin at different places.
void TickWriter::emitAccess(Operation *op, const StackAccess &access, Value layer) {
  Value stack = staged.find(op->getOperand(0)).value;
  RankedTensorType type = getType(stack);
  int64_t size = getType(op->getOperand(0)).getDimSize(access.dim), blockSize = size / blocks.count();
  int64_t base = access.index.slope > 0 ? access.index.base : access.index.base - size + blockSize;
  Value step = stablehlo::MulOp::create(builder, loc, layer.getType(), layer, emit().integer(access.index.slope));
  Value start = stablehlo::AddOp::create(builder, loc, layer.getType(), step, emit().integer(base));
  if (type.getDimSize(access.dim + 1) != blockSize)
    return emitBlockAccess(op, access.dim, start, blockSize);
  SmallVector<Value> starts(type.getRank(), emit().integer(0));
  starts[access.dim + 1] = start;
  auto read = [&](RankedTensorType part) -> Value {
    return stablehlo::DynamicSliceOp::create(builder, op->getLoc(), part, stack, starts, part.getShape());
  };
  if (isa<stablehlo::DynamicSliceOp>(op))
    return staged.define(op->getResult(0), {read(staged.addStages(op->getResult(0).getType())), true});
  Value update = staged.findStaged(op->getOperand(1));
  // A sum over microbatches takes only those that exist.
  BlockArgument argument = findCarriedStack(op->getOperand(0));
  if (argument && nest.carried[argument.getArgNumber()].running)
    update = selectValid(update, read(getType(update)));
  Value made = stablehlo::DynamicUpdateSliceOp::create(builder, op->getLoc(), type, stack, update, starts);
  staged.define(op->getResult(0), {made, true});
}

/// `start`: in the block. What a stage without a microbatch writes is out of bounds.
void TickWriter::emitBlockAccess(Operation *op, unsigned dim, Value start, int64_t blockSize) {
  Value stack = staged.find(op->getOperand(0)).value;
  SmallVector<StagedValue> starts(getType(stack).getRank() - 1, {emit().integer(0), false});
  Value first = emitBlockStart(blockSize).value;
  starts[dim] = {stablehlo::AddOp::create(builder, loc, first.getType(), first, emitNumbers(start)), true};
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    Value read = staged.emitGather(op->getLoc(), {stack, true}, starts, slice.getSliceSizes());
    return staged.define(op->getResult(0), {read, true});
  }
  Value made = staged.emitScatter(op->getLoc(), stack, staged.findStaged(op->getOperand(1)), starts);
  staged.define(op->getResult(0), {made, true});
}

} // namespace partita::pipeline
