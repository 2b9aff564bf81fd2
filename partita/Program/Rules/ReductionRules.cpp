//===- ReductionRules.cpp - reduce, windows, map --------------------------===//
//
//   reduce         kept dims parallel, reduced dims reduce(combiner)
//   reduce_window  a dim cut into windows without gap, overlap or padding is
//                  (ab): a counts windows and is parallel, b runs within one
//                  and is reduce(combiner); a dim whose windows have one element
//                  is the case without b. Other dims are `window`.
//   select_and_scatter  likewise, b whole
//   map            elementwise
//
// The init value of a reduced dim counts once: the device with the first piece
// starts from it, others from the combiner's identity. For an idempotent
// combiner all start from it.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/Window.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr const char *unknownRegion =
    "reduced dims, if the region is none of add, multiply, maximum, minimum, and, or, xor (argmax keeps them whole)";

/// How partial results of a part of each reduced dim are combined; None if they cannot be.
static Combiner findReductionCombiner(Region &body, ValueRange initValues) {
  Combiner combiner = findCombiner(body);
  bool hasPartial =
      llvm::all_of(initValues, [&](Value init) { return hasPartialResults(getElementTypeOrSelf(init), combiner); });
  return hasPartial ? combiner : Combiner::None;
}

/// A reduced factor, or one that may not be split if partial results cannot be combined.
static uint8_t addReduced(Rule &rule, int64_t size, Combiner combiner) {
  FactorKind kind = combiner == Combiner::None ? FactorKind::Replicate : FactorKind::Reduce;
  return rule.addFactor(kind, size, combiner);
}

/// The operands of `op`, which has as many inputs as init values, with init values that are counted once.
static SmallVector<Value> emitInits(Operation *op, const LocalContext &local, Combiner combiner) {
  SmallVector<Value> operands(local.operands);
  for (size_t i = operands.size() / 2; i < operands.size(); ++i)
    operands[i] = emitCountedOnce(op->getLoc(), local, combiner, op->getOperand(i), operands[i]);
  return operands;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

static OpRule ruleOfReduce(stablehlo::ReduceOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  Combiner combiner = findReductionCombiner(op.getBody(), op.getInitValues());
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(getShape(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim));
    unsigned resultDim = isReduced ? 0 : kept++;
    if (size <= 1)
      continue;
    uint8_t factor = isReduced ? addReduced(rule, size, combiner) : rule.addFactor(FactorKind::Parallel, size);
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      rule.operands[i][dim].push_back(factor);
      if (!isReduced)
        rule.results[i][resultDim].push_back(factor);
    }
  }
  result.whole = combiner == Combiner::None ? unknownRegion : "";
  return result;
}

static Value emitCombination(OpBuilder &builder, Location loc, Combiner combiner, Value lhs, Value rhs) {
  switch (combiner) {
  case Combiner::None:
    break;
  case Combiner::Add:
    return stablehlo::AddOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Multiply:
    return stablehlo::MulOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Maximum:
    return stablehlo::MaxOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Minimum:
    return stablehlo::MinOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::And:
    return stablehlo::AndOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Or:
    return stablehlo::OrOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Xor:
    return stablehlo::XorOp::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  llvm_unreachable("no combiner");
}

/// A reduction of single elements, written as elementwise ops: XLA would turn it into a reshape and forget the init
/// values. The result's elements may be wider than the operands'.
static Pieces emitSingleElements(stablehlo::ReduceOp op, const LocalContext &local, Combiner combiner,
                                 ArrayRef<Value> operands) {
  LocalArithmetic emit{local.builder, op.getLoc()};
  Pieces pieces;
  size_t count = operands.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    RankedTensorType type = local.getResultType(op, i);
    Value wide = emit.convert(operands[i], type.getElementType());
    Value elements = stablehlo::ReshapeOp::create(local.builder, op.getLoc(), type, wide);
    Value init = emit.broadcast(emit.convert(operands[count + i], type.getElementType()), type.getShape(), {});
    pieces.push_back(emitCombination(local.builder, op.getLoc(), combiner, init, elements));
  }
  return pieces;
}

static Pieces localReduce(stablehlo::ReduceOp op, const LocalContext &local) {
  if (getReducedSplits(local).empty())
    return emitSame(op, local);
  Combiner combiner = findReductionCombiner(op.getBody(), op.getInitValues());
  SmallVector<Value> operands = emitInits(op, local, combiner);
  ArrayRef<int64_t> piece = getShape(operands.front());
  if (llvm::all_of(op.getDimensions(), [&](int64_t dim) { return piece[dim] == 1; }))
    return emitSingleElements(op, local, combiner, operands);
  return emitSame(op, {local.builder, local.rule, operands, local.splits});
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static stablehlo::WindowAttrs getWindow(stablehlo::ReduceWindowOp op) {
  return {.sizes = op.getWindowDimensions(),
          .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
          .baseDilations = op.getBaseDilations().value_or(ArrayRef<int64_t>()),
          .windowDilations = op.getWindowDilations().value_or(ArrayRef<int64_t>()),
          .padding = op.getPaddingAttr()};
}

static stablehlo::WindowAttrs getWindow(stablehlo::SelectAndScatterOp op) {
  return {.sizes = op.getWindowDimensions().value_or(ArrayRef<int64_t>()),
          .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
          .baseDilations = {},
          .windowDilations = {},
          .padding = op.getPaddingAttr()};
}

/// Whether `count` windows are the dim of size `size`, cut into equal parts.
static bool isCutIntoWindows(const stablehlo::WindowAttrs &window, unsigned dim, int64_t size, int64_t count) {
  auto at = [&](ArrayRef<int64_t> list) { return list.empty() ? 1 : list[dim]; };
  uint64_t first = 2 * uint64_t(dim);
  bool isPadded = window.padding && (window.padding.getValues<int64_t>()[first] != 0 ||
                                     window.padding.getValues<int64_t>()[first + 1] != 0);
  int64_t length = window.sizes[dim];
  return !isPadded && (at(window.strides) == length || count == 1) && at(window.baseDilations) == 1 &&
         (at(window.windowDilations) == 1 || length == 1) && size % length == 0 && count == size / length;
}

/// Values that have a dim of elements, and values that have one of windows.
struct WindowRoles {
  SmallVector<ValueFactors *> elements, windows;
};

static void put(ArrayRef<ValueFactors *> values, unsigned dim, uint8_t factor) {
  for (ValueFactors *value : values)
    (*value)[dim].push_back(factor);
}

/// (ab) for elements, a for windows.
static void addCutDim(Rule &rule, const WindowRoles &roles, unsigned dim, int64_t count, int64_t length,
                      Combiner combiner) {
  if (count > 1) {
    uint8_t factor = rule.addFactor(FactorKind::Parallel, count);
    put(roles.elements, dim, factor);
    put(roles.windows, dim, factor);
  }
  if (length > 1)
    put(roles.elements, dim, addReduced(rule, length, combiner));
}

/// One window factor if the dims go together, else one for each.
static void addSlidingDim(Rule &rule, const WindowRoles &roles, unsigned dim, int64_t size, int64_t count) {
  if (size > 1)
    put(roles.elements, dim, rule.addFactor(FactorKind::Window, size));
  if (count > 1)
    put(roles.windows, dim,
        size == count ? static_cast<uint8_t>(rule.factors.size() - 1) : rule.addFactor(FactorKind::Window, count));
}

static void addWindowDims(Rule &rule, const WindowRoles &roles, const stablehlo::WindowAttrs &window,
                          ArrayRef<int64_t> elements, ArrayRef<int64_t> windows, Combiner combiner) {
  for (unsigned dim = 0; dim < elements.size(); ++dim)
    if (isCutIntoWindows(window, dim, elements[dim], windows[dim]))
      addCutDim(rule, roles, dim, windows[dim], window.sizes[dim], combiner);
    else
      addSlidingDim(rule, roles, dim, elements[dim], windows[dim]);
}

static OpRule ruleOfReduceWindow(stablehlo::ReduceWindowOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  WindowRoles roles;
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    roles.elements.push_back(&rule.operands[i]);
    roles.windows.push_back(&rule.results[i]);
  }
  addWindowDims(rule, roles, getWindow(op), getShape(op.getInputs().front()), getShape(op.getResult(0)),
                findReductionCombiner(op.getBody(), op.getInitValues()));
  result.whole =
      "dims with windows that overlap, leave gaps or are padded (cumulative sums, strided pooling): they need "
      "neighbours";
  return result;
}

/// Where a factor within the windows is split, windows are shorter on each device.
static Pieces localReduceWindow(stablehlo::ReduceWindowOp op, const LocalContext &local) {
  if (getReducedSplits(local).empty())
    return emitSame(op, local);
  SmallVector<Value> operands = emitInits(op, local, findReductionCombiner(op.getBody(), op.getInitValues()));
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  auto piece = pieces.front().getDefiningOp<stablehlo::ReduceWindowOp>();
  SmallVector<int64_t> sizes(op.getWindowDimensions());
  SmallVector<int64_t> strides(op.getWindowStrides().value_or(ArrayRef<int64_t>()));
  strides.resize(sizes.size(), 1);
  for (auto [dim, factors] : llvm::enumerate(local.rule.operands.front()))
    for (uint8_t factor : factors)
      if (const Split *split = local.find(factor); split && local.rule.factors[factor].kind == FactorKind::Reduce)
        strides[dim] = sizes[dim] = sizes[dim] / split->parts;
  piece.setWindowDimensions(sizes);
  piece.setWindowStrides(strides);
  return pieces;
}

static OpRule ruleOfSelectAndScatter(stablehlo::SelectAndScatterOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  WindowRoles roles{{&rule.operands[0], &rule.results[0]}, {&rule.operands[1]}};
  addWindowDims(rule, roles, getWindow(op), getShape(op.getOperand()), getShape(op.getSource()), Combiner::None);
  result.whole = "within a window; dims with windows that overlap, leave gaps or are padded: they need neighbours";
  return result;
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

static OpRule ruleOfMap(stablehlo::MapOp op, RuleContext &) { return makeElementwiseRule(op); }

void registerReductionRules(RuleTable &table) {
  table.add<stablehlo::ReduceOp, ruleOfReduce, localReduce>();
  table.add<stablehlo::ReduceWindowOp, ruleOfReduceWindow, localReduceWindow>();
  table.add<stablehlo::SelectAndScatterOp, ruleOfSelectAndScatter>();
  table.add<stablehlo::MapOp, ruleOfMap>();
}

} // namespace partita::program::rules
