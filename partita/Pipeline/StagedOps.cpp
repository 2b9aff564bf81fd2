//===- StagedOps.cpp - the ops of a layer, for all stages at once ---------===//

#include "partita/Pipeline/StagedOps.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Effects.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/StagedCalls.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partita::pipeline {

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Error refuse(Operation *op, const std::string &why) {
  return Error::unsupported(locationOf(op), "no pipeline: '" + op->getName().getStringRef().str() + "' " + why);
}

static Error refuseUnknown(Operation *op) {
  return refuse(op, "in the layers cannot run for all stages at once")
      .withRemedy("take it out of the loop over layers, or leave the pipeline out");
}

SmallVector<int64_t> addFirst(ArrayRef<int64_t> list, std::optional<int64_t> first, int64_t more) {
  SmallVector<int64_t> result;
  if (first)
    result.push_back(*first);
  for (int64_t number : list)
    result.push_back(number + more);
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void StagedOps::define(Value original, StagedValue made) {
  known[original] = made;
  if (made.isStaged)
    plain.erase(original);
  else
    plain.map(original, made.value);
}

StagedValue StagedOps::find(Value original) const {
  auto it = known.find(original);
  return it == known.end() ? StagedValue{original, false} : it->second;
}

Value StagedOps::findStaged(Value original) {
  StagedValue value = find(original);
  return value.isStaged ? value.value : spread(value.value);
}

RankedTensorType StagedOps::addStages(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(addFirst(tensor.getShape(), numStages, 0));
}

Value StagedOps::spread(Value value) {
  RankedTensorType type = addStages(value.getType());
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
  return stablehlo::BroadcastInDimOp::create(builder, value.getLoc(), type, value, dims);
}

Value StagedOps::spreadAlong(Value numbers, ArrayRef<int64_t> shape, Location loc) {
  return rules::LocalArithmetic{builder, loc}.broadcast(numbers, shape, {0});
}

bool StagedOps::hasStagedOperand(Operation *op) const {
  if (llvm::any_of(op->getOperands(), [&](Value operand) { return find(operand).isStaged; }))
    return true;
  llvm::SetVector<Value> captured;
  if (op->getNumRegions() > 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, [&](Value value) { return find(value).isStaged; });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Operation *StagedOps::emitAllStaged(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, findStaged(operand));
  Operation *made = builder.clone(*op, mapping);
  for (OpResult result : made->getResults())
    result.setType(addStages(result.getType()));
  return made;
}

void StagedOps::defineStaged(Operation *op, Operation *made) {
  for (auto [original, result] : llvm::zip_equal(op->getResults(), made->getResults()))
    define(original, {result, true});
}

Status StagedOps::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (Status wrong = emit(&op))
      return wrong;
  return std::nullopt;
}

Status StagedOps::emit(Operation *op) {
  if (hasStagedOperand(op))
    return emitStaged(op);
  Operation *made = builder.clone(*op, plain);
  for (auto [original, result] : llvm::zip_equal(op->getResults(), made->getResults()))
    define(original, {result, false});
  return std::nullopt;
}

/// Ops whose last dims are what they compute with: any number of dims may stand before.
static bool hasLeadingDims(Operation *op) {
  using namespace stablehlo;
  return isa<ReshapeOp, BitcastConvertOp, chlo::TopKOp, CholeskyOp, TriangularSolveOp, FftOp>(op);
}

Status StagedOps::emitStaged(Operation *op) {
  using namespace stablehlo;
  if (hasLeadingDims(op)) {
    defineStaged(op, emitAllStaged(op));
    return std::nullopt;
  }
  if (isa<BroadcastInDimOp, TransposeOp, ReverseOp, ConcatenateOp, SliceOp>(op))
    return emitShape(op);
  if (auto pad = dyn_cast<PadOp>(op))
    return emitPad(pad);
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return emitDot(dot);
  if (isa<ReduceOp, ReduceWindowOp>(op))
    return emitReduce(op);
  if (auto sort = dyn_cast<SortOp>(op))
    return emitSort(sort);
  if (auto call = dyn_cast<CustomCallOp>(op))
    return emitCall(call);
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return emitSlice(slice);
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
    return emitUpdate(update);
  if (auto gather = dyn_cast<GatherOp>(op))
    return emitGatherOp(gather);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return emitScatterOp(scatter);
  if (auto barrier = dyn_cast<OptimizationBarrierOp>(op))
    return emitBarrier(barrier);
  if (auto loop = dyn_cast<WhileOp>(op))
    return emitWhile(loop);
  if (isa<CaseOp, IfOp>(op))
    return emitBranches(op);
  if (classify(op) == OpClass::Elementwise && op->getNumResults() == 1 && op->getNumRegions() == 0)
    return emitElementwise(op);
  return refuseUnknown(op);
}

/// Scalars that choose or limit for a whole tensor stay scalars where they are the same for all stages.
Status StagedOps::emitElementwise(Operation *op) {
  RankedTensorType type = addStages(op->getResult(0).getType());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType own = getType(operand);
    StagedValue value = find(operand);
    bool isScalar = own.getRank() == 0 && type.getRank() > 1;
    if (own.getRank() + 1 != type.getRank() && !(isScalar && isa<stablehlo::SelectOp, stablehlo::ClampOp>(op)))
      return refuseUnknown(op);
    if (isScalar)
      operands.push_back(value.isStaged ? spreadAlong(value.value, type.getShape(), op->getLoc()) : value.value);
    else
      operands.push_back(findStaged(operand));
  }
  // A limit is a scalar or has all dims, as the other one does.
  if (isa<stablehlo::ClampOp>(op))
    for (Value &limit : operands)
      if (getType(limit).getRank() == 0 &&
          llvm::any_of(operands, [&](Value other) { return other != operands[1] && getType(other).getRank() > 0; }))
        limit = rules::LocalArithmetic{builder, op->getLoc()}.broadcast(limit, type.getShape(), {});
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  defineStaged(op, made);
  return std::nullopt;
}

Status StagedOps::emitShape(Operation *op) {
  Operation *made = emitAllStaged(op);
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(made))
    broadcast.setBroadcastDimensions(addFirst(broadcast.getBroadcastDimensions(), 0));
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(made))
    transpose.setPermutation(addFirst(transpose.getPermutation(), 0));
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(made))
    reverse.setDimensions(addFirst(reverse.getDimensions(), std::nullopt));
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(made))
    concatenate.setDimension(concatenate.getDimension() + 1);
  if (auto slice = dyn_cast<stablehlo::SliceOp>(made)) {
    slice.setStartIndices(addFirst(slice.getStartIndices(), 0, 0));
    slice.setLimitIndices(addFirst(slice.getLimitIndices(), numStages, 0));
    slice.setStrides(addFirst(slice.getStrides(), 1, 0));
  }
  defineStaged(op, made);
  return std::nullopt;
}

Status StagedOps::emitPad(stablehlo::PadOp op) {
  StagedValue fill = find(op.getPaddingValue());
  if (fill.isStaged)
    return refuse(op, "fills with a value that differs between layers or microbatches")
        .withRemedy("pad with a constant and add the value behind it (jnp.where)");
  Value made =
      stablehlo::PadOp::create(builder, op.getLoc(), addStages(op.getType()), findStaged(op.getOperand()), fill.value,
                               addFirst(op.getEdgePaddingLow(), 0, 0), addFirst(op.getEdgePaddingHigh(), 0, 0),
                               addFirst(op.getInteriorPadding(), 0, 0));
  define(op, {made, true});
  return std::nullopt;
}

Status StagedOps::emitDot(stablehlo::DotGeneralOp op) {
  auto made = cast<stablehlo::DotGeneralOp>(emitAllStaged(op));
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  made.setDotDimensionNumbersAttr(stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), addFirst(dims.getLhsBatchingDimensions(), 0), addFirst(dims.getRhsBatchingDimensions(), 0),
      addFirst(dims.getLhsContractingDimensions(), std::nullopt),
      addFirst(dims.getRhsContractingDimensions(), std::nullopt)));
  defineStaged(op, made);
  return std::nullopt;
}

static std::optional<ArrayRef<int64_t>> prependOne(std::optional<ArrayRef<int64_t>> list,
                                                   SmallVector<int64_t> &storage) {
  if (!list)
    return list;
  storage = addFirst(*list, 1, 0);
  return ArrayRef<int64_t>(storage);
}

Status StagedOps::emitReduce(Operation *op) {
  unsigned numInputs = op->getNumOperands() / 2;
  SmallVector<Value> operands;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    StagedValue value = find(operand);
    if (number >= numInputs && value.isStaged)
      return refuse(op, "starts from a value that differs between layers or microbatches")
          .withRemedy("start from a constant (0 for a sum) and combine the value with the result");
    operands.push_back(number < numInputs ? findStaged(operand) : value.value);
  }
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  for (OpResult result : made->getResults())
    result.setType(addStages(result.getType()));
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(made))
    reduce.setDimensions(addFirst(reduce.getDimensions(), std::nullopt));
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(made)) {
    SmallVector<int64_t> strides, base, dilations;
    window.setWindowDimensions(addFirst(window.getWindowDimensions(), 1, 0));
    window.setWindowStrides(prependOne(window.getWindowStrides(), strides));
    window.setBaseDilations(prependOne(window.getBaseDilations(), base));
    window.setWindowDilations(prependOne(window.getWindowDilations(), dilations));
    if (DenseIntElementsAttr padding = window.getPaddingAttr()) {
      SmallVector<int64_t> values{0, 0};
      llvm::append_range(values, padding.getValues<int64_t>());
      auto type = RankedTensorType::get({static_cast<int64_t>(values.size()) / 2, 2}, builder.getI64Type());
      window.setPaddingAttr(DenseIntElementsAttr::get(type, values));
    }
  }
  defineStaged(op, made);
  return std::nullopt;
}

Status StagedOps::emitSort(stablehlo::SortOp op) {
  auto made = cast<stablehlo::SortOp>(emitAllStaged(op));
  if (auto dim = static_cast<int64_t>(op.getDimension()); dim >= 0)
    made.setDimension(dim + 1);
  defineStaged(op, made);
  return std::nullopt;
}

/// Each stage makes the layer's call, whatever it computes.
Status StagedOps::emitCall(stablehlo::CustomCallOp op) {
  if (hasEffect(op))
    return refuse(op, "has an effect, and stages without a microbatch would have it, too")
        .withRemedy("take it out of the loop over layers");
  SmallVector<Value> operands;
  SmallVector<bool> isStaged;
  for (Value operand : op->getOperands()) {
    operands.push_back(find(operand).value);
    isStaged.push_back(find(operand).isStaged);
  }
  defineStaged(op, emitStagedCall(builder, op, operands, isStaged, numStages));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

Status StagedOps::emitBarrier(stablehlo::OptimizationBarrierOp op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(find(operand).value);
  auto made = stablehlo::OptimizationBarrierOp::create(builder, op.getLoc(), TypeRange(ValueRange(operands)), operands);
  for (auto [original, operand, result] : llvm::zip_equal(op->getResults(), op->getOperands(), made->getResults()))
    define(original, {result, find(operand).isStaged});
  return std::nullopt;
}

/// Adds the carried values of a loop that differ between stages, and what its body computes from them.
static void addStagedLoop(stablehlo::WhileOp loop, llvm::DenseSet<Value> &staged) {
  Block &body = loop.getBody().front(), &condition = loop.getCond().front();
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto [number, result] : llvm::enumerate(loop.getResults())) {
      bool isStaged =
          staged.contains(loop->getOperand(number)) || staged.contains(body.getTerminator()->getOperand(number));
      if (!isStaged || !staged.insert(result).second)
        continue;
      staged.insert(body.getArgument(number));
      staged.insert(condition.getArgument(number));
      isChanged = true;
    }
    size_t before = staged.size();
    addStagedValues(body, staged);
    isChanged |= staged.size() != before;
  }
  addStagedValues(condition, staged);
}

void addStagedValues(Block &block, llvm::DenseSet<Value> &staged) {
  auto isStaged = [&](Value value) { return staged.contains(value); };
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      addStagedLoop(loop, staged);
      continue;
    }
    if (isa<stablehlo::OptimizationBarrierOp>(op)) {
      for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults()))
        if (isStaged(operand))
          staged.insert(result);
      continue;
    }
    llvm::SetVector<Value> captured;
    if (op.getNumRegions() > 0)
      getUsedValuesDefinedAbove(op.getRegions(), captured);
    if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
      for (mlir::Region &region : op.getRegions())
        addStagedValues(region.front(), staged);
    if (llvm::any_of(op.getOperands(), isStaged) || llvm::any_of(captured, isStaged))
      staged.insert(op.result_begin(), op.result_end());
  }
}

Status StagedOps::emitWhile(stablehlo::WhileOp op) {
  llvm::DenseSet<Value> staged;
  for (const auto &[value, made] : known)
    if (made.isStaged)
      staged.insert(value);
  addStagedLoop(op, staged);
  Block &condition = op.getCond().front(), &body = op.getBody().front();
  if (staged.contains(condition.getTerminator()->getOperand(0)))
    return refuse(op, "runs another number of times for each stage, or microbatch")
        .withRemedy("run it as often for all layers, with jnp.where for what must not change any more (lax.fori_loop "
                    "with constant bounds)");
  SmallVector<Value> initial;
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
    initial.push_back(staged.contains(result) ? findStaged(operand) : find(operand).value);
  auto made = stablehlo::WhileOp::create(builder, op.getLoc(), TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : {std::pair(&condition, &made.getCond()), std::pair(&body, &made.getBody())}) {
    Block *block = builder.createBlock(to);
    for (auto [argument, value] : llvm::zip_equal(from->getArguments(), initial))
      define(argument, {block->addArgument(value.getType(), argument.getLoc()), staged.contains(argument)});
    if (Status wrong = emitBlock(*from))
      return wrong;
    SmallVector<Value> yielded;
    for (auto [number, value] : llvm::enumerate(from->getTerminator()->getOperands())) {
      bool isStaged = from == &body && staged.contains(op->getResult(number));
      yielded.push_back(isStaged ? findStaged(value) : find(value).value);
    }
    stablehlo::ReturnOp::create(builder, from->getTerminator()->getLoc(), yielded);
  }
  for (auto [original, result] : llvm::zip_equal(op->getResults(), made->getResults()))
    define(original, {result, staged.contains(original)});
  return std::nullopt;
}

Status StagedOps::emitBranches(Operation *op) {
  StagedValue predicate = find(op->getOperand(0));
  if (predicate.isStaged)
    return refuse(op, "takes another branch for each stage, or microbatch")
        .withRemedy("compute both and select, as jnp.where does");
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(predicate.value);
  for (Type type : op->getResultTypes())
    state.addTypes(addStages(type));
  for (mlir::Region &region : op->getRegions()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(state.addRegion());
    if (Status wrong = emitBlock(region.front()))
      return wrong;
    SmallVector<Value> yielded;
    for (Value value : region.front().getTerminator()->getOperands())
      yielded.push_back(findStaged(value));
    stablehlo::ReturnOp::create(builder, op->getLoc(), yielded);
  }
  defineStaged(op, builder.create(state));
  return std::nullopt;
}

} // namespace partita::pipeline
