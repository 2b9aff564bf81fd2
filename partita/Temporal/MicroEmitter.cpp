//===- MicroEmitter.cpp - emits units, whole or in a turn -----------------===//

#include "partita/Temporal/MicroEmitter.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Program/Rules/CustomTargets.h"
#include "partita/Program/Rules/LocalArithmetic.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::temporal {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void MicroEmitter::beginTurn(stablehlo::WhileOp newLoop, Value newIndex) {
  loop = newLoop;
  index = newIndex;
  firstScope = freeScopes.size();
  freeScopes.emplace_back();
}

void MicroEmitter::endTurn() {
  freeScopes.pop_back();
  firstScope = 0;
  loop = {};
  index = {};
  inTurn.clear();
  slices.clear();
  lastSlice = nullptr;
  sums.clear();
  addingOps.clear();
}

void MicroEmitter::continueSum(CellId cell, RunningSum sum, Value value) {
  sums[cell.get()] = value;
  if (sum.isStack)
    addingOps.insert(sum.update.get());
}

void MicroEmitter::define(CellId cell, Value value) {
  if (index)
    inTurn[cell.get()] = value;
  else
    whole[cell] = value;
}

/// The microbatch of a value that is known before the loop. It is cut once, where the turn begins; its view is made
/// before the loop.
Value MicroEmitter::slice(CellId cell, RowDigit digit) {
  Value &known = slices[{cell, digit}];
  if (known)
    return known;
  Value value = whole[cell];
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder before(loop);
  MicroPieces outside{before, value.getLoc(), program.count};
  Value view = outside.reshape(value, outside.getViewType(type, digit));
  OpBuilder inside = OpBuilder::atBlockBegin(&loop.getBody().front());
  if (lastSlice)
    inside.setInsertionPointAfter(lastSlice);
  known = MicroPieces{inside, value.getLoc(), program.count}.emitPiece(view, type, digit, index);
  lastSlice = known.getDefiningOp();
  return known;
}

/// What a turn takes of a value that it has whole.
Value MicroEmitter::convert(Value value, CellId cell, const ValueForm &needed, Location loc) {
  if (needed.form == Form::Piece) {
    auto type = cast<RankedTensorType>(value.getType());
    MicroPieces emit = at(loc);
    return emit.emitPiece(emit.reshape(value, emit.getViewType(type, needed.digit)), type, needed.digit, index);
  }
  if (needed.form == Form::Partial && !program.topology.isZero(cell))
    return at(loc).emitCountedOnce(value, index);
  return value;
}

Value MicroEmitter::read(CellId cell, const ValueForm &needed, Location loc) {
  const ValueForm &given = forms.cells[cell];
  if (Value here = index ? inTurn.lookup(cell.get()) : Value(); here && isUsable(given, needed))
    return given == needed ? here : convert(here, cell, needed, loc);
  if (needed.form == Form::Piece)
    return slice(cell, needed.digit);
  return convert(whole[cell], cell, needed, loc);
}

Value MicroEmitter::readOperand(OpId op, uint32_t operand) {
  ValueForm needed = index ? getNeeded(program, forms, op, operand) : ValueForm();
  return read(graph.getOperands(op)[operand], needed, program.flattened.origins[op]->getLoc());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

MicroEmitter::FreeKey MicroEmitter::makeFreeKey(OpId op) const {
  Operation *origin = program.flattened.origins[op];
  if (!index || !forms.isSplit(op))
    return {origin, -1, 0};
  return {origin, forms.digits[op].factor, forms.digits[op].stride};
}

Value *MicroEmitter::findFree(const FreeKey &key) {
  for (size_t scope = firstScope; scope < freeScopes.size(); ++scope)
    if (auto it = freeScopes[scope].find(key); it != freeScopes[scope].end())
      return &it->second;
  return nullptr;
}

/// Row j of microbatch m is row (j / stride) * stride * count + m * stride + j % stride of the whole.
Value MicroEmitter::emitIota(stablehlo::IotaOp op, RankedTensorType type, int64_t stride) {
  Location loc = op.getLoc();
  rules::LocalArithmetic emit{builder, loc};
  auto counters = type.clone(builder.getI64Type());
  auto spread = [&](int64_t value) { return emit.broadcast(emit.integer(value), counters.getShape(), {}); };
  Value rows = stablehlo::IotaOp::create(builder, loc, counters, op.getIotaDimension());
  Value groups = rows, rest;
  if (stride > 1) {
    groups = stablehlo::DivOp::create(builder, loc, counters, rows, spread(stride));
    rest = stablehlo::RemOp::create(builder, loc, counters, rows, spread(stride));
  }
  Value start = stablehlo::MulOp::create(builder, loc, index.getType(), index, emit.integer(stride));
  Value numbers = stablehlo::MulOp::create(builder, loc, counters, groups, spread(stride * program.count));
  numbers = stablehlo::AddOp::create(builder, loc, counters, numbers, emit.broadcast(start, counters.getShape(), {}));
  if (rest)
    numbers = stablehlo::AddOp::create(builder, loc, counters, numbers, rest);
  return emit.convert(numbers, type.getElementType());
}

Value MicroEmitter::emitAdded(stablehlo::DynamicUpdateSliceOp op, ValueRange operands) {
  auto type = cast<RankedTensorType>(operands[1].getType());
  Value before = stablehlo::DynamicSliceOp::create(builder, op.getLoc(), type, operands[0], operands.drop_front(2),
                                                   type.getShape());
  return stablehlo::AddOp::create(builder, op.getLoc(), type, before, operands[1]);
}

/// What is stated of a custom call's flops is about the whole batch.
static void setPieceFlops(ValueRange pieces, int64_t flops) {
  auto call = pieces.empty() ? stablehlo::CustomCallOp() : pieces.front().getDefiningOp<stablehlo::CustomCallOp>();
  if (!call || flops == 0)
    return;
  constexpr StringLiteral name = "mhlo.frontend_attributes";
  NamedAttrList attributes;
  if (auto known = call->getAttrOfType<DictionaryAttr>(name))
    attributes.append(known.begin(), known.end());
  attributes.set(rules::pieceFlopsName, StringAttr::get(call.getContext(), std::to_string(flops)));
  call->setAttr(name, attributes.getDictionary(call.getContext()));
}

SmallVector<Value> MicroEmitter::emitPieces(OpId id, ValueRange operands) {
  Operation *op = program.flattened.origins[id];
  if (isa<sdy::ShardingConstraintOp>(op)) {
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    Operation *made = builder.clone(*op, mapping);
    made->getResult(0).setType(operands.front().getType());
    return {made->getResult(0)};
  }
  const Rule &rule = program.rules[id];
  if (!index || !forms.isSplit(id))
    return emitLocal(builder, op, rule, operands, {});
  FactorDigit digit = forms.digits[id];
  Split split{digit.factor, program.count, index};
  auto getType = [&] {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return type.clone(computeLocalShape(type.getShape(), rule.results[0], split));
  };
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op);
      iota && llvm::is_contained(rule.results[0][iota.getIotaDimension()], digit.factor))
    return {emitIota(iota, getType(), digit.stride)};
  // The rule's own form wants major factors to be split first.
  if (isa<stablehlo::ReshapeOp>(op))
    return {stablehlo::ReshapeOp::create(builder, op->getLoc(), getType(), operands.front())};
  SmallVector<Value> pieces = emitLocal(builder, op, rule, operands, split);
  setPieceFlops(pieces, graph.ops[id].flops / program.count);
  return pieces;
}

/// Copies of one op, in a turn and elsewhere, have locations of their own: the static check of a local program goes by
/// them where pieces of several values look alike.
static void markCopies(OpBuilder &builder, Operation *before) {
  Block *block = builder.getInsertionBlock();
  Block::iterator from = before ? std::next(Block::iterator(before)) : block->begin();
  for (Operation &made : llvm::make_range(from, builder.getInsertionPoint()))
    made.setLoc(NameLoc::get(builder.getStringAttr("micro"), made.getLoc()));
}

/// The last op before the builder's insertion point; null at the beginning of a block.
static Operation *getOpBefore(OpBuilder &builder) {
  Block::iterator point = builder.getInsertionPoint();
  return point == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(point);
}

void MicroEmitter::emitOp(OpId id) {
  bool isFree = program.flattened.freeOps.contains(program.flattened.origins[id]);
  FreeKey key = makeFreeKey(id);
  if (Value *known = isFree ? findFree(key) : nullptr)
    return define(graph.getResults(id).front(), *known);
  SmallVector<Value> operands;
  for (uint32_t operand = 0; operand < graph.ops[id].numUses; ++operand)
    operands.push_back(readOperand(id, operand));
  if (addingOps.contains(id.get()))
    operands[1] = emitAdded(cast<stablehlo::DynamicUpdateSliceOp>(program.flattened.origins[id]), operands);
  Operation *before = getOpBefore(builder);
  SmallVector<Value> results = emitPieces(id, operands);
  if (isFree && index)
    markCopies(builder, before);
  for (auto [cell, value] : llvm::zip(graph.getResults(id), results))
    define(cell, value);
  if (isFree)
    freeScopes.back()[key] = results.front();
}

OpId MicroEmitter::take(Operation *origin) {
  auto next = [&] { return std::exchange(cursor, OpId(cursor.get() + 1)); };
  while (program.flattened.origins[cursor] != origin)
    emitOp(next());
  return next();
}

void MicroEmitter::emitModuleOp(Operation *op) {
  if (program.flattened.freeOps.contains(op))
    return;
  if (auto made = dyn_cast<stablehlo::WhileOp>(op))
    return emitWhile(made);
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return emitBranches(op);
  if (isa<stablehlo::OptimizationBarrierOp>(op))
    return emitBarrier(op);
  emitOp(take(op));
}

void MicroEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    emitModuleOp(&op);
}

void MicroEmitter::emit(const MicroUnit &unit) {
  cursor = unit.first;
  if (unit.isBundle)
    return emitModuleOp(unit.origin);
  emitOp(unit.first);
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

void MicroEmitter::emitBarrier(ArrayRef<OpId> ops) {
  Operation *origin = program.flattened.origins[ops.front()];
  SmallVector<Value> operands;
  for (OpId op : ops)
    operands.push_back(readOperand(op, 0));
  auto made = stablehlo::OptimizationBarrierOp::create(builder, origin->getLoc(), TypeRange(ValueRange(operands)),
                                                       ValueRange(operands));
  for (auto [op, value] : llvm::zip(ops, made->getResults()))
    define(graph.getResults(op).front(), value);
}

void MicroEmitter::emitBarrier(Operation *op) {
  SmallVector<OpId> ops;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    ops.push_back(take(op));
  emitBarrier(ops);
}

/// Creates a block with arguments like `carried` at the end of `region` and sets `builder` into it.
static Block *beginBlock(OpBuilder &builder, mlir::Region &region, ValueRange carried, Block &original) {
  Block *block = builder.createBlock(&region);
  for (auto [value, argument] : llvm::zip_equal(carried, original.getArguments()))
    block->addArgument(value.getType(), argument.getLoc());
  return block;
}

void MicroEmitter::emitWhile(stablehlo::WhileOp op) {
  SmallVector<Value> initial;
  SmallVector<CellId> carried;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    OpId entry = take(op);
    carried.push_back(graph.getResults(entry).front());
    auto sum = sums.find(carried.back().get());
    initial.push_back(sum != sums.end() ? sum->second : readOperand(entry, 0));
  }
  auto made = stablehlo::WhileOp::create(builder, op.getLoc(), TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(builder);
    Scope scope(freeScopes);
    Block *block = beginBlock(builder, made.getCond(), initial, op.getCond().front());
    for (auto [cell, argument] : llvm::zip(carried, block->getArguments()))
      define(cell, argument);
    emitBlock(op.getCond().front());
    Value predicate = readOperand(take(op), 0);
    stablehlo::ReturnOp::create(builder, op.getLoc(), predicate);
  }
  emitBody(op, made, carried);
  for (auto [cell, value] : llvm::zip(carried, made->getResults()))
    define(cell, value);
}

void MicroEmitter::emitBody(stablehlo::WhileOp op, stablehlo::WhileOp made, ArrayRef<CellId> carried) {
  OpBuilder::InsertionGuard guard(builder);
  Scope scope(freeScopes);
  Block &original = op.getBody().front();
  Block *block = beginBlock(builder, made.getBody(), made->getOperands(), original);
  for (auto [cell, argument] : llvm::zip(carried, block->getArguments()))
    define(cell, argument);
  emitBlock(original);
  SmallVector<Value> next;
  for (auto [number, value] : llvm::enumerate(original.getTerminator()->getOperands())) {
    // A value that is passed on unchanged has no op of its own.
    bool isUnchanged = value == original.getArgument(number);
    next.push_back(isUnchanged ? Value(block->getArgument(number)) : readOperand(take(op), 0));
  }
  stablehlo::ReturnOp::create(builder, original.getTerminator()->getLoc(), next);
}

void MicroEmitter::emitBranches(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(readOperand(take(op), 0));
  SmallVector<CellId> results;
  {
    OpBuilder::InsertionGuard guard(builder);
    for (mlir::Region &branch : op->getRegions()) {
      Scope scope(freeScopes);
      builder.createBlock(state.addRegion());
      emitBlock(branch.front());
      SmallVector<Value> yielded;
      results.clear();
      for (unsigned i = 0; i < op->getNumResults(); ++i) {
        OpId yield = take(op);
        yielded.push_back(readOperand(yield, 0));
        results.push_back(graph.getResults(yield).front());
      }
      stablehlo::ReturnOp::create(builder, branch.front().getTerminator()->getLoc(), yielded);
      if (state.types.empty())
        state.addTypes(TypeRange(ValueRange(yielded)));
    }
  }
  Operation *made = builder.create(state);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [cell, value] : llvm::zip(results, made->getResults()))
    define(cell, value);
}

} // namespace partita::temporal
