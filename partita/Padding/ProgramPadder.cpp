//===- ProgramPadder.cpp - writes the padded program ----------------------===//

#include "partita/Padding/ProgramPadder.h"

#include "partita/Padding/PaddableFactors.h"
#include "partita/Program/Names.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::padding {

static ArrayRef<int64_t> getSizes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

PaddedValue ProgramPadder::describe(Value value) const {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  ArrayRef<int64_t> shape = getSizes(value);
  return {value, SmallVector<int64_t>(shape), SmallVector<Fill>(shape.size(), Fill::Any)};
}

void ProgramPadder::define(PaddedValue value) {
  if (getSizes(value.value) != ArrayRef(value.shape))
    values[value.value] = std::move(value);
}

ProgramPadder::Shape ProgramPadder::getShapeOf(Value value) const {
  Shape shape(describe(value).shape);
  auto known = reach.values.find(value);
  if (known != reach.values.end())
    for (auto [size, rows] : llvm::zip(shape, known->second))
      if (rows)
        size = reach.getPaddedSize(*rows);
  return shape;
}

/// A place where `value` is known and from which `user` and all that follow see it: where the block of the value first
/// needs it.
static OpBuilder getBuilderFor(Value value, Operation *user) {
  Block *block = value.getParentBlock();
  return OpBuilder(block->findAncestorOpInBlock(*user));
}

/// Arguments' names lead to what they are padded to.
static Location locatePadded(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto main = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  std::string name = main ? namePadded(nameArgument(main, argument.getArgNumber())) : paddedName.str();
  return NameLoc::get(StringAttr::get(value.getContext(), name), value.getLoc());
}

Value ProgramPadder::emitCut(OpBuilder &builder, Value value, ArrayRef<int64_t> limits) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  ++counts.numCuts;
  Location loc = NameLoc::get(builder.getStringAttr(unpaddedName), value.getLoc());
  return stablehlo::SliceOp::create(builder, loc, type.clone(limits), value, starts, limits, strides);
}

/// NaN, the largest integer, true.
static DenseElementsAttr makePoison(Type element) {
  auto type = RankedTensorType::get({}, element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat nan = APFloat::getNaN(cast<FloatType>(complex.getElementType()).getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex<APFloat>(nan, nan));
  }
  if (auto floating = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(type, APFloat::getNaN(floating.getFloatSemantics()));
  auto integer = cast<IntegerType>(element);
  bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  return DenseElementsAttr::get(type, isSigned ? APInt::getSignedMaxValue(integer.getWidth())
                                               : APInt::getMaxValue(integer.getWidth()));
}

Value ProgramPadder::emitPad(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = locatePadded(value);
  Type element = type.getElementType();
  // The value is the first of its name.
  Location fillLoc = NameLoc::get(builder.getStringAttr("fill"), value.getLoc());
  Value fill = isPoisoned ? rules::LocalArithmetic{builder, fillLoc}.constant(makePoison(element))
                          : rules::LocalArithmetic{builder, fillLoc}.zero(type);
  SmallVector<int64_t> low(shape.size(), 0), high, interior(shape.size(), 0);
  for (auto [size, longer] : llvm::zip_equal(type.getShape(), shape))
    high.push_back(longer - size);
  ++counts.numPads;
  return stablehlo::PadOp::create(builder, loc, type.clone(shape), value, fill, low, high, interior);
}

PaddedValue ProgramPadder::resize(Value value, ArrayRef<int64_t> shape, Operation *user) {
  PaddedValue given = describe(value);
  Operation *definition = value.getDefiningOp();
  bool isFree = definition && freeOps.contains(definition);
  OpBuilder builder = isFree ? OpBuilder(definition->getContext()) : getBuilderFor(value, user);
  if (isFree)
    builder.setInsertionPointAfter(definition);
  SmallVector<int64_t> limits;
  SmallVector<Fill> fills = given.fills;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(getSizes(value), given.shape, shape))) {
    auto [size, elements, wanted] = sizes;
    limits.push_back(std::min(size, wanted));
    Fill known = size > elements ? fills[dim] : Fill::Zero;
    if (size < wanted)
      fills[dim] = isPoisoned ? Fill::Any : known;
    given.shape[dim] = std::min(elements, wanted);
  }
  Value made = ArrayRef(limits) == getSizes(value) ? value : emitCut(builder, value, limits);
  if (ArrayRef(limits) != shape) {
    made = emitPad(builder, made, shape);
    // The new elements are behind the end of other dims as well.
    if (isPoisoned)
      llvm::fill(fills, Fill::Any);
  }
  return {made, given.shape, std::move(fills)};
}

/// Copies of one op have locations of their own: the static check of a local program goes by them where pieces of
/// several values look alike.
static Location locateCopy(Operation *op, ArrayRef<int64_t> shape) {
  std::string name = "padded";
  for (int64_t size : shape)
    name += "x" + std::to_string(size);
  return NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc());
}

std::optional<PaddedValue> ProgramPadder::computeFree(Value value, ArrayRef<int64_t> shape) {
  Operation *op = value.getDefiningOp();
  if (!op || !freeOps.contains(op) || op->getNumResults() != 1 || !isPaddable(op))
    return std::nullopt;
  Result<OpRule> known = computeRule(op, userRules);
  if (!known)
    return std::nullopt;
  const Rule &rule = known->rule;
  PaddedOp padded{op, rule, {}, {}, {}};
  for (const Factor &factor : rule.factors)
    padded.sizes.push_back(factor.size);
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(getSizes(value), shape))) {
    auto [size, wanted] = sizes;
    if (size == wanted)
      continue;
    const DimFactors &factors = rule.results[0][dim];
    if (factors.empty() || !mayBePadded(op, rule, factors.front()))
      return std::nullopt;
    int64_t minor = size / rule.factors[factors.front()].size;
    if (wanted % minor != 0)
      return std::nullopt;
    padded.sizes[factors.front()] = wanted / minor;
  }
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
    padded.operands.push_back(read(operand, computePaddedShape(getSizes(operand), rule, factors, padded.sizes), op));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  padded.op = builder.clone(*op);
  padded.op->setLoc(locateCopy(op, shape));
  return padOp(std::move(padded), counts.numMasks).front();
}

PaddedValue ProgramPadder::read(Value value, ArrayRef<int64_t> shape, Operation *user) {
  if (getSizes(value) == shape)
    return describe(value);
  ShapeKey key{value.getAsOpaquePointer(), shape.vec()};
  if (auto known = resized.find(key); known != resized.end())
    return known->second;
  // Rows that no window reads are cut off.
  bool isCut = llvm::any_of(llvm::zip_equal(describe(value).shape, shape),
                            [](auto sizes) { return std::get<0>(sizes) > std::get<1>(sizes); });
  std::optional<PaddedValue> made = isCut ? std::nullopt : computeFree(value, shape);
  if (!made)
    made = resize(value, shape, user);
  return resized[key] = *made;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Also in regions that take values from outside.
void ProgramPadder::cutOperands(Operation *op) {
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (auto known = values.find(operand.get()); known != values.end())
        operand.set(read(operand.get(), Shape(known->second.shape), op).value);
  });
}

void ProgramPadder::padReached(Operation *op, const PaddedList &list) {
  const Rule &rule = reach.rules.find(op)->second;
  PaddedOp padded{op, rule, {}, {}, {}};
  for (auto [factor, rows] : llvm::zip_equal(rule.factors, list))
    padded.sizes.push_back(rows ? reach.getPaddedSize(*rows) : factor.size);
  if (auto known = reach.links.find(op); known != reach.links.end())
    for (const ReachedLink &reached : known->second)
      padded.links.push_back({reached.link, reach.getPaddedSizes(reached)});
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    padded.operands.push_back(read(operand, padded.computeOperandShape(number, describe(operand).shape), op));
  for (PaddedValue &result : padOp(std::move(padded), counts.numMasks))
    define(std::move(result));
  ++counts.numOps;
}

void ProgramPadder::padYielded(Operation *terminator, ArrayRef<Shape> shapes) {
  for (auto [number, shape] : llvm::enumerate(shapes))
    terminator->setOperand(number, read(terminator->getOperand(number), shape, terminator).value);
}

void ProgramPadder::padLoop(stablehlo::WhileOp loop) {
  SmallVector<Shape> shapes;
  Block &body = loop.getBody().front();
  for (unsigned number = 0; number < loop->getNumResults(); ++number) {
    Value result = loop->getResult(number);
    PaddedValue carried = read(loop->getOperand(number), shapes.emplace_back(getShapeOf(result)), loop);
    loop->setOperand(number, carried.value);
    // What a turn leaves in the padding is not known before the body is written.
    if (body.getTerminator()->getOperand(number) != body.getArgument(number))
      llvm::fill(carried.fills, Fill::Any);
    for (Value held : {result, Value(body.getArgument(number)), Value(loop.getCond().front().getArgument(number))}) {
      held.setType(carried.value.getType());
      define({held, carried.shape, carried.fills});
    }
  }
  padBlock(loop.getCond().front());
  padBlock(body);
  padYielded(body.getTerminator(), shapes);
}

void ProgramPadder::padBranches(Operation *op) {
  SmallVector<Shape> shapes;
  for (Value result : op->getResults())
    shapes.push_back(getShapeOf(result));
  for (mlir::Region &branch : op->getRegions()) {
    padBlock(branch.front());
    padYielded(branch.front().getTerminator(), shapes);
  }
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    PaddedValue known = describe(result);
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(type.clone(shape));
    define(std::move(known));
  }
}

void ProgramPadder::visit(Operation *op) {
  auto list = reach.ops.find(op);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    padLoop(loop);
  else if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    padBranches(op);
  else if (list != reach.ops.end() && !freeOps.contains(op))
    padReached(op, list->second);
  else
    cutOperands(op);
}

/// All but the terminator, which its parent knows more about.
void ProgramPadder::padBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    visit(op);
}

bool ProgramPadder::storeArgument(BlockArgument argument) {
  PaddedValue known = describe(argument);
  Shape shape = getShapeOf(argument);
  if (ArrayRef(shape) == ArrayRef(known.shape))
    return false;
  argument.setType(cast<RankedTensorType>(argument.getType()).clone(shape));
  llvm::fill(known.fills, Fill::Zero);
  define(std::move(known));
  return true;
}

/// Whatever the step left there, the padding that is stored is +0.
void ProgramPadder::storeResult(Operation *terminator, StoredState state) {
  Value argument = main.getArgument(state.argument);
  PaddedValue next = read(terminator->getOperand(state.result), getSizes(argument), terminator);
  SmallVector<unsigned> dims;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(getSizes(next.value), next.shape)))
    if (std::get<0>(sizes) != std::get<1>(sizes))
      dims.push_back(dim);
  OpBuilder builder(terminator);
  Location loc = NameLoc::get(builder.getStringAttr("mask"), next.value.getLoc());
  Value zero = rules::LocalArithmetic{builder, loc}.zero(cast<RankedTensorType>(argument.getType()));
  terminator->setOperand(state.result, emitMask(builder, loc, next, dims, zero));
  ++counts.numMasks;
}

PaddingCounts ProgramPadder::run(ArrayRef<StoredState> stored) {
  Block &block = main.getBody().front();
  Operation *terminator = block.getTerminator();
  SmallVector<StoredState> states;
  for (StoredState state : stored)
    if (storeArgument(main.getArgument(state.argument)))
      states.push_back(state);
  padBlock(block);
  for (StoredState state : states)
    storeResult(terminator, state);
  // Results that are stored have no padding that is known here any more.
  cutOperands(terminator);
  main.setType(FunctionType::get(main.getContext(), block.getArgumentTypes(), terminator->getOperandTypes()));
  return counts;
}

} // namespace partita::padding
