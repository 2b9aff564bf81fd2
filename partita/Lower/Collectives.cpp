//===- Collectives.cpp - emits the collectives of reshard plans -----------===//

#include "partita/Lower/Collectives.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Cost/StepPrograms.h"
#include "partita/Lower/MeshAttrs.h"

using namespace mlir;

namespace partita::lower {

//===----------------------------------------------------------------------===//
// Device groups
//===----------------------------------------------------------------------===//

int64_t Collectives::getParts(ArrayRef<AxisId> list) const {
  int64_t parts = 1;
  for (AxisId axis : list)
    parts *= axes[axis].size;
  return parts;
}

stablehlo::ChannelHandleAttr Collectives::takeChannel(MLIRContext *context) {
  constexpr int64_t deviceToDevice = 1;
  return stablehlo::ChannelHandleAttr::get(context, nextChannel++, deviceToDevice);
}

static Attribute buildDenseGroups(MLIRContext *context, const Axes &axes, ArrayRef<AxisId> list) {
  std::vector<std::vector<int64_t>> groups = computeGroups(axes, list);
  SmallVector<int64_t> ids;
  for (const std::vector<int64_t> &group : groups)
    llvm::append_range(ids, group);
  auto numGroups = static_cast<int64_t>(groups.size()), size = static_cast<int64_t>(groups.front().size());
  return DenseIntElementsAttr::get(RankedTensorType::get({numGroups, size}, IntegerType::get(context, 64)), ids);
}

Attribute Collectives::getGroups(MLIRContext *context, ArrayRef<AxisId> list) {
  Attribute &known = groups[std::vector<AxisId>(list)];
  if (!known)
    known = axes.mesh.getNumDevices() <= maxDenseDevices ? buildDenseGroups(context, axes, list)
                                                         : makeGroupAxes(context, axes, list);
  return known;
}

Attribute Collectives::getPairs(MLIRContext *context, const Sharding &from, const Sharding &to) {
  auto toKey = [](const Sharding &sharding) {
    return std::vector<DimAxes>(sharding.dims.begin(), sharding.dims.end());
  };
  Attribute &known = pairs[{toKey(from), toKey(to)}];
  if (known)
    return known;
  SmallVector<int64_t> ids;
  for (auto [target, source] : llvm::enumerate(computeSources(axes, from, to)))
    ids.append({source, static_cast<int64_t>(target)});
  auto type = RankedTensorType::get({static_cast<int64_t>(ids.size()) / 2, 2}, IntegerType::get(context, 64));
  return known = DenseIntElementsAttr::get(type, ids);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `type` with the size of `dim` times `times` divided by `parts`.
static RankedTensorType scaleDim(RankedTensorType type, int64_t dim, int64_t times, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  assert(shape[dim] * times % parts == 0 && "a dim that does not divide");
  shape[dim] = shape[dim] * times / parts;
  return type.clone(shape);
}

static Value emitCombined(OpBuilder &builder, Location loc, Combiner combiner, Value a, Value b) {
  switch (combiner) {
  case Combiner::Add:
    return stablehlo::AddOp::create(builder, loc, a.getType(), a, b);
  case Combiner::Multiply:
    return stablehlo::MulOp::create(builder, loc, a.getType(), a, b);
  case Combiner::Maximum:
    return stablehlo::MaxOp::create(builder, loc, a.getType(), a, b);
  case Combiner::Minimum:
    return stablehlo::MinOp::create(builder, loc, a.getType(), a, b);
  case Combiner::And:
    return stablehlo::AndOp::create(builder, loc, a.getType(), a, b);
  case Combiner::Or:
    return stablehlo::OrOp::create(builder, loc, a.getType(), a, b);
  case Combiner::Xor:
    return stablehlo::XorOp::create(builder, loc, a.getType(), a, b);
  case Combiner::None:
    break;
  }
  llvm_unreachable("partial values have a combiner");
}

/// Fills the region of a reduction.
static void emitReducer(OpBuilder &builder, Location loc, mlir::Region &region, Type elementType, Combiner combiner) {
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = RankedTensorType::get({}, elementType);
  Block *block = builder.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  Value combined = emitCombined(builder, loc, combiner, block->getArgument(0), block->getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, combined);
}

Value Collectives::emitStep(OpBuilder &builder, Location loc, Value value, const PartialSharding &before,
                            const ReshardStep &step) {
  switch (step.kind) {
  case CollectiveKind::AllSlice:
    return emitAllSlice(builder, loc, value, step.dim, step.axes);
  case CollectiveKind::AllGather:
    return emitAllGather(builder, loc, value, step.dim, step.axes);
  case CollectiveKind::AllToAll:
    return emitAllToAll(builder, loc, value, step.dim, step.toDim, step.axes);
  case CollectiveKind::CollectivePermute:
    return emitPermute(builder, loc, value, before.sharding, step.after.sharding);
  case CollectiveKind::AllReduce:
    return emitAllReduce(builder, loc, value, step.axes, before.combiner);
  case CollectiveKind::ReduceScatter:
    return emitReduceScatter(builder, loc, value, step.dim, step.axes, before.combiner);
  }
  llvm_unreachable("a step of another kind");
}

Value Collectives::emitPlan(OpBuilder &builder, Location loc, Value value, const ReshardPlan &plan) {
  const PartialSharding *before = &plan.from;
  for (size_t number = 0; number < plan.steps.size();) {
    size_t count = countExchangeSteps(plan, number);
    value = count > 1 ? emitExchange(builder, loc, value, ArrayRef(plan.steps).slice(number, count))
                      : emitStep(builder, loc, value, *before, plan.steps[number]);
    number += count;
    before = &plan.steps[number - 1].after;
  }
  return value;
}

Value Collectives::emitAllSlice(OpBuilder &builder, Location loc, Value value, int64_t dim, ArrayRef<AxisId> list) {
  RankedTensorType type = scaleDim(getType(value), dim, 1, getParts(list));
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  auto constant = [&](int64_t number) -> Value {
    return stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalar, number));
  };
  SmallVector<Value> starts;
  if (type.getRank() > 1)
    starts.assign(type.getRank(), constant(0));
  else
    starts.resize(1);
  starts[dim] = stablehlo::MulOp::create(builder, loc, scalar, index.get(list), constant(type.getDimSize(dim)));
  return stablehlo::DynamicSliceOp::create(builder, loc, type, value, starts, type.getShape());
}

Value Collectives::emitAllGather(OpBuilder &builder, Location loc, Value value, int64_t dim, ArrayRef<AxisId> list) {
  MLIRContext *context = builder.getContext();
  stablehlo::ChannelHandleAttr channel = takeChannel(context);
  RankedTensorType type = scaleDim(getType(value), dim, getParts(list), 1);
  return stablehlo::AllGatherOp::create(builder, loc, TypeRange{type}, value, dim, getGroups(context, list), channel,
                                        /*use_global_device_ids=*/true)
      .getResult(0);
}

Value Collectives::emitAllToAll(OpBuilder &builder, Location loc, Value value, int64_t dim, int64_t toDim,
                                ArrayRef<AxisId> list) {
  MLIRContext *context = builder.getContext();
  stablehlo::ChannelHandleAttr channel = takeChannel(context);
  int64_t parts = getParts(list);
  RankedTensorType type = scaleDim(scaleDim(getType(value), toDim, 1, parts), dim, parts, 1);
  return stablehlo::AllToAllOp::create(builder, loc, TypeRange{type}, value, /*split_dimension=*/toDim,
                                       /*concat_dimension=*/dim, parts, getGroups(context, list), channel)
      .getResult(0);
}

Value Collectives::emitExchange(OpBuilder &builder, Location loc, Value value, ArrayRef<ReshardStep> steps) {
  auto count = static_cast<int64_t>(steps.size());
  int64_t dim = steps.front().dim, toDim = steps.front().toDim, fromDim = dim + (dim > toDim ? count : 0);
  // The first step has the minor axes.
  SmallVector<int64_t> parts, shape(getType(value).getShape());
  for (const ReshardStep &step : llvm::reverse(steps))
    parts.push_back(getParts(step.axes));
  for (int64_t part : parts) {
    assert(shape[toDim] % part == 0 && "a dim that does not divide");
    shape[toDim] /= part;
  }
  shape.insert(shape.begin() + toDim, parts.begin(), parts.end());
  value = stablehlo::ReshapeOp::create(builder, loc, getType(value).clone(shape), value);
  for (auto [number, step] : llvm::enumerate(steps))
    value = emitAllToAll(builder, loc, value, fromDim, toDim + count - 1 - static_cast<int64_t>(number), step.axes);
  shape.assign(getType(value).getShape().begin(), getType(value).getShape().end());
  shape.erase(shape.begin() + toDim, shape.begin() + toDim + count);
  return stablehlo::ReshapeOp::create(builder, loc, getType(value).clone(shape), value);
}

Value Collectives::emitPermute(OpBuilder &builder, Location loc, Value value, const Sharding &from,
                               const Sharding &to) {
  MLIRContext *context = builder.getContext();
  stablehlo::ChannelHandleAttr channel = takeChannel(context);
  return stablehlo::CollectivePermuteOp::create(builder, loc, value.getType(), value,
                                                cast<DenseIntElementsAttr>(getPairs(context, from, to)), channel);
}

Value Collectives::emitRotation(OpBuilder &builder, Location loc, Value value, ArrayRef<AxisId> list, int64_t shift) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> ids;
  for (const std::vector<int64_t> &group : computeGroups(axes, list))
    for (size_t place = 0; place < group.size(); ++place)
      ids.append({group[(place + static_cast<size_t>(shift)) % group.size()], group[place]});
  auto type = RankedTensorType::get({static_cast<int64_t>(ids.size()) / 2, 2}, IntegerType::get(context, 64));
  return stablehlo::CollectivePermuteOp::create(builder, loc, value.getType(), value,
                                                DenseIntElementsAttr::get(type, ids), takeChannel(context));
}

Value Collectives::emitAllReduce(OpBuilder &builder, Location loc, Value value, ArrayRef<AxisId> list,
                                 Combiner combiner) {
  MLIRContext *context = builder.getContext();
  stablehlo::ChannelHandleAttr channel = takeChannel(context);
  RankedTensorType type = getType(value);
  auto op = stablehlo::AllReduceOp::create(builder, loc, TypeRange{type}, value, getGroups(context, list), channel,
                                           /*use_global_device_ids=*/true);
  emitReducer(builder, loc, op.getComputation(), type.getElementType(), combiner);
  return op.getResult(0);
}

Value Collectives::emitReduceScatter(OpBuilder &builder, Location loc, Value value, int64_t dim, ArrayRef<AxisId> list,
                                     Combiner combiner) {
  MLIRContext *context = builder.getContext();
  stablehlo::ChannelHandleAttr channel = takeChannel(context);
  RankedTensorType type = scaleDim(getType(value), dim, 1, getParts(list));
  auto op = stablehlo::ReduceScatterOp::create(builder, loc, type, value, dim, getGroups(context, list), channel,
                                               /*use_global_device_ids=*/true);
  emitReducer(builder, loc, op.getComputation(), type.getElementType(), combiner);
  return op;
}

SmallVector<Operation *, 2> findUnusedReductions(Value value, Value reduced) {
  SmallVector<Operation *, 2> found;
  for (; reduced != value; reduced = found.back()->getOperand(0)) {
    Operation *op = reduced.getDefiningOp();
    bool isReduction = op && isa<stablehlo::ReduceScatterOp, stablehlo::AllReduceOp>(op) && op->getNumOperands() == 1;
    if (!isReduction || !(found.empty() ? reduced.use_empty() : reduced.hasOneUse()))
      return {};
    found.push_back(op);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

} // namespace partita::lower
