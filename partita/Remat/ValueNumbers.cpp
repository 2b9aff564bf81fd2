//===- ValueNumbers.cpp - values of both passes that are equal ------------===//

#include "partita/Remat/ValueNumbers.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Program/Effects.h"
#include "partita/Support/Hash.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace partita::remat {

namespace {

/// What a key begins with. Keys of ops begin with an address, which is none of these.
enum KeyTag : uint64_t { Integer, Reshape, Splat };

} // namespace

static uint64_t toWord(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

size_t ValueNumbers::KeyHash::operator()(const Key &key) const {
  uint64_t hash = key.size();
  for (uint64_t word : key)
    hash = mixFastHash(hash, word);
  return finishFastHash(hash);
}

ValueNumber ValueNumbers::make(Type type) {
  ValueNumber number(types.size());
  types.push_back(type);
  unshaped.push_back(number);
  splats.push_back({});
  return number;
}

ValueNumber ValueNumbers::get(Key key, Type type) {
  auto [it, isNew] = byKey.try_emplace(std::move(key));
  if (isNew)
    it->second = make(type);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Values that are equal without being computed alike
//===----------------------------------------------------------------------===//

static bool isIdentity(stablehlo::ReducePrecisionOp op) {
  auto type = dyn_cast<FloatType>(cast<ShapedType>(op.getType()).getElementType());
  if (!type)
    return false;
  const llvm::fltSemantics &format = type.getFloatSemantics();
  unsigned mantissaBits = llvm::APFloat::semanticsPrecision(format) - 1;
  unsigned exponentBits = type.getWidth() - mantissaBits - 1;
  return op.getMantissaBits() >= mantissaBits && op.getExponentBits() >= exponentBits;
}

/// The number of the operand that an op passes on unchanged; invalid if it does something to it.
ValueNumber ValueNumbers::findPassedOn(OpResult result) const {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op))
    return get(barrier.getOperand()[index]);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return isInvariant(loop, index) ? get(loop.getOperand()[index]) : ValueNumber();
  if (auto reduced = dyn_cast<stablehlo::ReducePrecisionOp>(op))
    return isIdentity(reduced) ? get(reduced.getOperand()) : ValueNumber();
  bool isCast = isa<stablehlo::ConvertOp>(op) && op->getOperand(0).getType() == result.getType();
  if (isCast || isa<sdy::ShardingConstraintOp>(op))
    return get(op->getOperand(0));
  return {};
}

/// A read of a stack is what the forward loop wrote.
ValueNumber ValueNumbers::findRead(OpResult result, const Scope &scope) const {
  auto read = dyn_cast<stablehlo::DynamicSliceOp>(result.getOwner());
  if (!scope.isBackward || !read)
    return {};
  for (const LayerStack &stack : scope.pair->stacks)
    if (llvm::is_contained(stack.reads, read))
      return get(stablehlo::DynamicUpdateSliceOp(stack.update).getUpdate());
  return {};
}

ValueNumber ValueNumbers::getSplat(Attribute element, Type type) {
  ValueNumber number = get({Splat, toWord(element.getAsOpaquePointer()), toWord(type.getAsOpaquePointer())}, type);
  splats[number] = element;
  return number;
}

/// Integers of one element that are functions of the iteration alone.
ValueNumber ValueNumbers::findInteger(Value value, Scope &scope) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!scope.evaluator || !type || type.getNumElements() != 1 || !isa<IntegerType>(type.getElementType()))
    return {};
  std::optional<Affine> affine = scope.evaluator->evaluate(value);
  if (affine && scope.isBackward)
    affine = scope.pair->toForward(*affine);
  if (!affine)
    return {};
  if (affine->isConstant()) {
    auto element = cast<IntegerType>(type.getElementType());
    llvm::APInt bits(64, static_cast<uint64_t>(affine->base));
    return getSplat(IntegerAttr::get(element, bits.zextOrTrunc(element.getWidth())), type);
  }
  return get({Integer, scope.number, static_cast<uint64_t>(affine->base), static_cast<uint64_t>(affine->slope),
              toWord(type.getAsOpaquePointer())},
             type);
}

/// Constants whose elements are all equal.
ValueNumber ValueNumbers::findSplat(OpResult result) {
  Operation *op = result.getOwner();
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat() ? getSplat(elements.getSplatValue<Attribute>(), result.getType())
                                          : ValueNumber();
  }
  if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
    return {};
  ValueNumber operand = get(op->getOperand(0));
  return operand.isValid() && splats[operand] ? getSplat(splats[operand], result.getType()) : ValueNumber();
}

ValueNumber ValueNumbers::findReshaped(OpResult result) {
  if (!isReshape(result.getOwner()))
    return {};
  ValueNumber operand = get(result.getOwner()->getOperand(0));
  if (!operand.isValid())
    return {};
  ValueNumber source = unshaped[operand];
  if (types[source] == result.getType())
    return source;
  ValueNumber number = get({Reshape, source.get(), toWord(result.getType().getAsOpaquePointer())}, result.getType());
  unshaped[number] = source;
  return number;
}

/// A slice that is one of the operands of a concatenation.
ValueNumber ValueNumbers::findPart(OpResult result) const {
  auto slice = dyn_cast<stablehlo::SliceOp>(result.getOwner());
  if (!slice)
    return {};
  auto it = concatenations.find(get(slice.getOperand()).get());
  if (it == concatenations.end())
    return {};
  stablehlo::ConcatenateOp whole = it->second;
  uint64_t dim = whole.getDimension();
  ArrayRef<int64_t> starts = slice.getStartIndices();
  auto isOne = [](int64_t stride) { return stride == 1; };
  if (!llvm::all_of(slice.getStrides(), isOne))
    return {};
  for (auto [other, start] : llvm::enumerate(starts))
    if (other != dim && start != 0)
      return {};
  int64_t first = 0;
  for (Value part : whole.getInputs()) {
    if (first == starts[dim] && part.getType() == result.getType())
      return get(part);
    first += cast<RankedTensorType>(part.getType()).getDimSize(dim);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Values that are computed alike
//===----------------------------------------------------------------------===//

bool ValueNumbers::areEqual(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inside;
  auto check = [&](Value ofA, Value ofB) {
    if (auto it = inside.find(ofA); it != inside.end())
      return success(it->second == ofB);
    ValueNumber number = get(ofA);
    return success(ofA == ofB || (number.isValid() && number == get(ofB)));
  };
  auto mark = [&](Value ofA, Value ofB) { inside[ofA] = ofB; };
  return OperationEquivalence::isEquivalentTo(a, b, check, mark, OperationEquivalence::IgnoreLocations);
}

/// The first op that computes what `op`, which has large bodies or is a kernel, does.
Operation *ValueNumbers::findEqualOp(Operation *op) {
  Key key{toWord(op->getName().getAsOpaquePointer())};
  for (Value operand : op->getOperands())
    key.push_back(get(operand).isValid() ? get(operand).get() : UINT64_MAX);
  for (Type type : op->getResultTypes())
    key.push_back(toWord(type.getAsOpaquePointer()));
  SmallVector<Operation *, 1> &known = largeOps[key];
  for (Operation *other : known)
    if (areEqual(other, op))
      return other;
  known.push_back(op);
  return op;
}

ValueNumber ValueNumbers::findComputed(OpResult result) {
  Operation *op = result.getOwner();
  if (!mayRunAgain(op))
    return {};
  // Kernels of one kind give results to the same users (AlikeOps.h); equal ones need not.
  if (!hasSmallBodies(op) || isa<stablehlo::CustomCallOp>(op)) {
    Operation *equal = findEqualOp(op);
    return equal == op ? ValueNumber() : get(equal->getResult(result.getResultNumber()));
  }
  Key key{toWord(kinds.find(op).first), result.getResultNumber()};
  for (Value operand : op->getOperands()) {
    ValueNumber number = get(operand);
    if (!number.isValid())
      return {};
    key.push_back(number.get());
  }
  return get(std::move(key), result.getType());
}

ValueNumber ValueNumbers::find(OpResult result, Scope &scope) {
  if (ValueNumber number = findPassedOn(result); number.isValid())
    return number;
  if (ValueNumber number = findInteger(result, scope); number.isValid())
    return number;
  if (ValueNumber number = findRead(result, scope); number.isValid())
    return number;
  if (ValueNumber number = findSplat(result); number.isValid())
    return number;
  if (ValueNumber number = findReshaped(result); number.isValid())
    return number;
  if (ValueNumber number = findPart(result); number.isValid())
    return number;
  return findComputed(result);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void ValueNumbers::addLoopBody(stablehlo::WhileOp loop) {
  Scope scope;
  std::optional<AffineEvaluator> evaluator;
  for (auto [number, pair] : llvm::enumerate(pairs)) {
    if (loop != pair.forward && loop != pair.backward)
      continue;
    bool isBackward = loop == pair.backward;
    evaluator = makeEvaluator(loop, isBackward ? pair.backwardCount : pair.forwardCount);
    scope = {&pair, number, isBackward, &*evaluator};
  }
  Block &body = loop.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    ValueNumber number = findInteger(argument, scope);
    if (!number.isValid() && isInvariant(loop, argument.getArgNumber()))
      number = get(loop.getOperand()[argument.getArgNumber()]);
    set(argument, number.isValid() ? number : make(argument.getType()));
  }
  addBlock(body, scope);
}

void ValueNumbers::addRegions(Operation *op, Scope &scope) {
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return addLoopBody(loop);
  // Branches have no arguments; bodies of reductions are part of the op.
  if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
    for (mlir::Region &region : op->getRegions())
      addBlock(region.front(), scope);
}

void ValueNumbers::addOp(Operation *op, Scope &scope) {
  for (OpResult result : op->getResults()) {
    ValueNumber number = find(result, scope);
    set(result, number.isValid() ? number : make(result.getType()));
  }
  if (auto concatenation = dyn_cast<stablehlo::ConcatenateOp>(op))
    concatenations.try_emplace(get(concatenation.getResult()).get(), concatenation);
  addRegions(op, scope);
}

void ValueNumbers::addBlock(Block &block, Scope &scope) {
  for (Operation &op : block)
    addOp(&op, scope);
}

ValueNumbers::ValueNumbers(ModuleOp module, ArrayRef<LayerLoops> pairs) : pairs(pairs) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (BlockArgument argument : main.getArguments())
    set(argument, make(argument.getType()));
  Scope scope;
  addBlock(main.getBody().front(), scope);
}

llvm::DenseMap<uint32_t, Value> indexValues(Block &block, const ValueNumbers &numbers) {
  llvm::DenseMap<uint32_t, Value> index;
  auto add = [&](Value value) {
    if (ValueNumber number = numbers.get(value); number.isValid())
      index.try_emplace(number.get(), value);
  };
  llvm::for_each(block.getArguments(), add);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), add);
  return index;
}

} // namespace partita::remat
