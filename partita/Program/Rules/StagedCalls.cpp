//===- StagedCalls.cpp - custom calls of all stages at once ---------------===//

#include "partita/Program/Rules/StagedCalls.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program {

static constexpr llvm::StringLiteral stagesName = "part.stages";

static RankedTensorType addDim(Type type, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin(), size);
  return tensor.clone(shape);
}

static RankedTensorType dropDim(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(tensor.getShape().drop_front());
}

stablehlo::CustomCallOp emitStagedCall(OpBuilder &builder, stablehlo::CustomCallOp op, ValueRange operands,
                                       ArrayRef<bool> isStaged, int64_t numStages) {
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(addDim(type, numStages));
  state.addAttribute("call_target_name", op.getCallTargetNameAttr());
  NamedAttrList mark;
  mark.append("call", op->getAttrDictionary());
  mark.append("staged", builder.getDenseBoolArrayAttr(isStaged));
  state.addAttribute(stagesName, mark.getDictionary(op.getContext()));
  return cast<stablehlo::CustomCallOp>(builder.create(state));
}

bool isStagedCall(Operation *op) { return isa<stablehlo::CustomCallOp>(op) && op->hasAttr(stagesName); }

void dropStageMarks(Operation *root) {
  root->walk([](stablehlo::CustomCallOp op) { op->removeDiscardableAttr(stagesName); });
}

namespace rules {

namespace {

/// The call of one stage, in a block of its own.
class StageCall {
public:
  explicit StageCall(stablehlo::CustomCallOp op);

  Operation *get() { return &block.front(); }
  bool isStaged(unsigned operand) const { return staged[operand]; }

private:
  Block block;
  ArrayRef<bool> staged;
};

} // namespace

StageCall::StageCall(stablehlo::CustomCallOp op) {
  auto mark = op->getAttrOfType<DictionaryAttr>(stagesName);
  staged = mark.getAs<DenseBoolArrayAttr>("staged").asArrayRef();
  OperationState state(op.getLoc(), op->getName());
  for (auto [operand, isStaged] : llvm::zip_equal(op->getOperands(), staged))
    state.addOperands(
        block.addArgument(isStaged ? Type(dropDim(operand.getType())) : operand.getType(), operand.getLoc()));
  for (Type type : op->getResultTypes())
    state.addTypes(dropDim(type));
  state.addAttributes(mark.getAs<DictionaryAttr>("call").getValue());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Operation *made = builder.create(state);
  // A kernel's rule depends on which results are used.
  SmallVector<Value> used;
  for (auto [result, own] : llvm::zip_equal(op->getResults(), made->getResults()))
    if (!result.use_empty())
      used.push_back(own);
  stablehlo::ReturnOp::create(builder, op.getLoc(), used);
}

OpRule ruleOfStagedCall(stablehlo::CustomCallOp op, RuleContext &context) {
  StageCall call(op);
  Result<OpRule> found = computeRule(call.get(), context.userRules);
  if (!found) {
    context.error = found.error();
    return makeRule(op);
  }
  OpRule result = std::move(*found);
  int64_t numStages = getShape(op->getResult(0)).front();
  if (result.flops)
    result.flops = llvm::SaturatingMultiply(static_cast<uint64_t>(*result.flops), static_cast<uint64_t>(numStages)) >
                           static_cast<uint64_t>(INT64_MAX / 8)
                       ? INT64_MAX / 8
                       : *result.flops * numStages;
  DimFactors stages;
  if (numStages > 1)
    stages.push_back(result.rule.addFactor(FactorKind::Parallel, numStages));
  for (auto [number, value] : llvm::enumerate(result.rule.operands))
    if (call.isStaged(number))
      value.insert(value.begin(), stages);
  for (ValueFactors &value : result.rule.results)
    value.insert(value.begin(), stages);
  return result;
}

/// The rule of one stage's call, of that of all. `stages` is the factor that counts them.
static Rule dropStages(const Rule &rule, std::optional<uint8_t> stages, const StageCall &call) {
  Rule own = rule;
  for (auto [number, value] : llvm::enumerate(own.operands))
    if (call.isStaged(number))
      value.erase(value.begin());
  for (ValueFactors &value : own.results)
    value.erase(value.begin());
  if (!stages)
    return own;
  own.factors.erase(own.factors.begin() + *stages);
  for (MutableArrayRef<ValueFactors> values :
       {MutableArrayRef<ValueFactors>(own.operands), MutableArrayRef<ValueFactors>(own.results)})
    for (ValueFactors &value : values)
      for (DimFactors &dim : value)
        for (uint8_t &factor : dim)
          factor -= factor > *stages ? 1 : 0;
  return own;
}

/// The `stage`-th of the stages that `value` has.
static Value takeStage(OpBuilder &builder, Location loc, Value value, int64_t stage) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getDimSize(0) > 1) {
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
    starts[0] = stage;
    limits[0] = stage + 1;
    value =
        stablehlo::SliceOp::create(builder, loc, addDim(dropDim(type), 1), value, starts, limits, strides).getResult();
  }
  return stablehlo::ReshapeOp::create(builder, loc, dropDim(type), value);
}

Pieces localStagedCall(stablehlo::CustomCallOp op, const LocalContext &local) {
  StageCall call(op);
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  const DimFactors &dim = local.rule.results.front().front();
  std::optional<uint8_t> stages = dim.empty() ? std::nullopt : std::optional(dim.front());
  Rule own = dropStages(local.rule, stages, call);
  SmallVector<Split> splits;
  for (Split split : local.splits)
    if (split.factor != stages) {
      split.factor -= stages && split.factor > *stages ? 1 : 0;
      splits.push_back(split);
    }
  int64_t numStages = local.getResultType(op, 0).getDimSize(0);
  SmallVector<SmallVector<Value>> made(op->getNumResults());
  for (int64_t stage = 0; stage < numStages; ++stage) {
    SmallVector<Value> operands;
    for (auto [number, operand] : llvm::enumerate(local.operands))
      operands.push_back(call.isStaged(number) ? takeStage(builder, loc, operand, stage) : operand);
    for (auto [number, piece] : llvm::enumerate(emitLocal(builder, call.get(), own, operands, splits)))
      made[number].push_back(stablehlo::ReshapeOp::create(builder, loc, addDim(piece.getType(), 1), piece));
  }
  Pieces pieces;
  for (auto [number, values] : llvm::enumerate(made))
    pieces.push_back(
        values.size() == 1
            ? values.front()
            : stablehlo::ConcatenateOp::create(builder, loc, local.getResultType(op, number), values, 0).getResult());
  return pieces;
}

} // namespace rules

} // namespace partita::program
