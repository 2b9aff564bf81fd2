//===- ReductionRules.cpp - reduce, windows, map --------------------------===//
//
//   reduce         kept dims parallel, reduced dims reduce(combiner). If results
//                  have no common combiner but partial results can be folded
//                  by the body (argmax), the major reduced dim is fold.
//   reduce_window  a dim cut into windows without gap, overlap or padding is
//                  (ab): a counts windows and is parallel, b runs within one
//                  and is reduce(combiner); a dim whose windows have one element
//                  is the case without b. A dim with as many windows as it
//                  has steps of the stride is (ab) with a halo: edges come from
//                  neighbors, and init values beyond the ends, which must be
//                  neutral: padding is not combined. Other dims are `window`.
//   select_and_scatter  without halos, b whole
//   map            elementwise
//
// The init value of a reduced dim counts once: the device with the first piece
// starts from it, others from the combiner's identity. For an idempotent
// combiner all start from it.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/Window.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/SelectionBodies.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr const char *unknownRegion =
    "reduced dims, if the region is none of add, multiply, maximum, minimum, and, or, xor and does not choose elements "
    "by comparing them, as argmax does";

/// How partial results of a part of each reduced dim are combined; None if they cannot be.
static Combiner findReductionCombiner(Region &body, ValueRange initValues) {
  Combiner combiner = findCombiner(body);
  bool hasPartial =
      llvm::all_of(initValues, [&](Value init) { return hasPartialResults(getElementTypeOrSelf(init), combiner); });
  return hasPartial ? combiner : Combiner::None;
}

/// Whether every result has a combiner of its own to which its init value adds nothing, however often it is counted.
static bool combinesEach(Region &body, ValueRange inits) {
  auto isNeutral = [](Combiner own, Value init) {
    return own != Combiner::None && hasPartialResults(getElementTypeOrSelf(init), own) &&
           (isIdempotent(own) || isNeutralConstant(init, own));
  };
  SmallVector<Combiner> each = findCombiners(body);
  SmallVector<Value> sources(inits);
  // JAX broadcasts a scalar to a scalar.
  for (Value &source : sources)
    while (auto broadcast = source.getDefiningOp<stablehlo::BroadcastInDimOp>())
      source = broadcast.getOperand();
  return each.size() == sources.size() && llvm::all_of_zip(each, sources, isNeutral);
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

/// Whether the body can fold partial results, each of which began with the init values.
static bool isFoldable(stablehlo::ReduceOp op) {
  auto haveSameType = [](auto values) {
    return getElementTypeOrSelf(std::get<0>(values)) == getElementTypeOrSelf(std::get<1>(values));
  };
  return llvm::all_of(llvm::zip_equal(op.getInputs(), op.getResults()), haveSameType) &&
         (combinesEach(op.getBody(), op.getInitValues()) || foldsSelections(op.getBody(), op.getInitValues()));
}

/// Adds the factor of reduced dim `dim`.
static uint8_t addReducedDim(stablehlo::ReduceOp op, Rule &rule, int64_t dim, int64_t size, Combiner combiner) {
  // Pieces of the major dim alone follow each other in the order in which elements are reduced.
  auto isShort = [&](int64_t other) { return other >= dim || getShape(op.getInputs().front())[other] <= 1; };
  if (combiner == Combiner::None && llvm::all_of(op.getDimensions(), isShort) && isFoldable(op))
    return rule.addFactor(FactorKind::Fold, size);
  return addReduced(rule, size, combiner);
}

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
    uint8_t factor = isReduced ? addReducedDim(op, rule, static_cast<int64_t>(dim), size, combiner)
                               : rule.addFactor(FactorKind::Parallel, size);
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

/// The split of the folded dim; null if it is whole.
static const Split *findFold(const LocalContext &local) {
  const Split *found = llvm::find_if(
      local.splits, [&](const Split &split) { return local.rule.factors[split.factor].kind == FactorKind::Fold; });
  return found == local.splits.end() ? nullptr : found;
}

/// `op` on a dim of partial results, the first one.
static Pieces emitFold(stablehlo::ReduceOp op, const LocalContext &local, ArrayRef<Value> partials) {
  SmallVector<Value> operands(partials);
  operands.append(local.operands.begin() + static_cast<ptrdiff_t>(partials.size()), local.operands.end());
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  pieces.front().getDefiningOp<stablehlo::ReduceOp>().setDimensions({0});
  return pieces;
}

/// Partial results of all devices, folded by the same body.
static Pieces localFold(stablehlo::ReduceOp op, const LocalContext &local, const Split &split) {
  ArrayRef<int64_t> piece = getShape(local.operands.front());
  // A reduction of single elements: XLA would turn it into a reshape and forget the init values.
  bool isSingle = llvm::all_of(op.getDimensions(), [&](int64_t dim) { return piece[dim] == 1; });
  Pieces partials = isSingle ? Pieces(local.operands.take_front(op.getInputs().size())) : emitSame(op, local);
  for (auto [number, partial] : llvm::enumerate(partials)) {
    RankedTensorType type = local.getResultType(op, number);
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    Value row = stablehlo::ReshapeOp::create(local.builder, op.getLoc(), type.clone(shape), partial);
    partial = emitGathered(local.builder, op.getLoc(), row, 0, split);
  }
  return emitFold(op, local, partials);
}

static Pieces localReduce(stablehlo::ReduceOp op, const LocalContext &local) {
  if (const Split *fold = findFold(local))
    return localFold(op, local, *fold);
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

/// The rows that windows of a piece need from its neighbors, if there are as many windows as steps of the stride.
static std::optional<Halo> findHalo(const stablehlo::WindowAttrs &window, unsigned dim, int64_t size, int64_t count) {
  auto at = [&](ArrayRef<int64_t> list) { return list.empty() ? 1 : list[dim]; };
  int64_t low = window.padding ? window.padding.getValues<int64_t>()[2 * uint64_t(dim)] : 0;
  int64_t span = (window.sizes[dim] - 1) * at(window.windowDilations) + 1, stride = at(window.strides);
  Halo halo{std::max<int64_t>(0, low), std::max<int64_t>(0, span - low - stride)};
  // Windows over all elements, as cumulative sums have them, would take all from all.
  bool isNear = halo.low + halo.high < size;
  return at(window.baseDilations) == 1 && count > 1 && size == count * stride && isNear ? std::optional(halo)
                                                                                        : std::nullopt;
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

/// (ab) for elements, a with a halo for windows.
static void addHaloDim(Rule &rule, const WindowRoles &roles, unsigned dim, int64_t size, int64_t count, Halo halo) {
  uint8_t factor = rule.addFactor(FactorKind::Parallel, count);
  rule.factors[factor].halo = halo;
  put(roles.elements, dim, factor);
  put(roles.windows, dim, factor);
  if (size > count)
    put(roles.elements, dim, rule.addFactor(FactorKind::Replicate, size / count));
}

static void addWindowDims(Rule &rule, const WindowRoles &roles, const stablehlo::WindowAttrs &window,
                          ArrayRef<int64_t> elements, ArrayRef<int64_t> windows, Combiner combiner,
                          bool mayExchange = false) {
  for (unsigned dim = 0; dim < elements.size(); ++dim) {
    std::optional<Halo> halo = mayExchange ? findHalo(window, dim, elements[dim], windows[dim]) : std::optional<Halo>();
    if (isCutIntoWindows(window, dim, elements[dim], windows[dim]))
      addCutDim(rule, roles, dim, windows[dim], window.sizes[dim], combiner);
    else if (halo)
      addHaloDim(rule, roles, dim, elements[dim], windows[dim], *halo);
    else
      addSlidingDim(rule, roles, dim, elements[dim], windows[dim]);
  }
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
                findReductionCombiner(op.getBody(), op.getInitValues()),
                /*mayExchange=*/combinesEach(op.getBody(), op.getInitValues()) &&
                    llvm::all_of(op.getInputs(), mayExchangeEdges));
  result.whole = "dims with windows over all elements (cumulative sums), and those whose number of windows is not that "
                 "of steps of the stride or whose init value is not neutral";
  return result;
}

/// The split of the windows of a dim that was not simply cut into them; null for other dims and whole ones.
static const Split *findWindows(stablehlo::ReduceWindowOp op, const LocalContext &local, unsigned dim) {
  const DimFactors &factors = local.rule.results.front()[dim];
  bool isCut =
      isCutIntoWindows(getWindow(op), dim, getShape(op.getInputs().front())[dim], getShape(op.getResult(0))[dim]);
  return factors.empty() || isCut ? nullptr : local.find(factors.front());
}

/// Puts edges of other pieces around those of the inputs, for windows that reach into them, so that all windows of a
/// device lie in its rows. Beyond the ends there are init values, as in the padding.
static void emitHalos(stablehlo::ReduceWindowOp op, const LocalContext &local, MutableArrayRef<Value> operands,
                      MutableArrayRef<int64_t> padding) {
  stablehlo::WindowAttrs window = getWindow(op);
  auto at = [](ArrayRef<int64_t> list, unsigned dim) { return list.empty() ? 1 : list[dim]; };
  size_t count = op.getInputs().size();
  for (unsigned dim = 0; dim < window.sizes.size(); ++dim) {
    const Split *split = findWindows(op, local, dim);
    if (!split)
      continue;
    Halo halo = local.rule.factors[split->factor].halo;
    for (size_t i = 0; i < count; ++i)
      operands[i] = emitHalo(local, op.getLoc(), operands[i], dim, *split, halo, local.operands[count + i]);
    int64_t windows = getShape(op.getResult(0))[dim] / split->parts;
    int64_t span = (window.sizes[dim] - 1) * at(window.windowDilations, dim) + 1;
    int64_t &low = padding[2 * size_t(dim)], &high = padding[2 * size_t(dim) + 1];
    low -= halo.low;
    high = (windows - 1) * at(window.strides, dim) + span - getShape(operands.front())[dim] - low;
  }
}

/// Where a factor within the windows is split, windows are shorter on each device.
static void shortenWindows(stablehlo::ReduceWindowOp op, const LocalContext &local, stablehlo::ReduceWindowOp piece) {
  SmallVector<int64_t> sizes(op.getWindowDimensions());
  SmallVector<int64_t> strides(op.getWindowStrides().value_or(ArrayRef<int64_t>()));
  strides.resize(sizes.size(), 1);
  for (auto [dim, factors] : llvm::enumerate(local.rule.operands.front()))
    for (uint8_t factor : factors)
      if (const Split *split = local.find(factor); split && local.rule.factors[factor].kind == FactorKind::Reduce)
        strides[dim] = sizes[dim] = sizes[dim] / split->parts;
  piece.setWindowDimensions(sizes);
  piece.setWindowStrides(strides);
}

static Pieces localReduceWindow(stablehlo::ReduceWindowOp op, const LocalContext &local) {
  auto rank = static_cast<unsigned>(op.getWindowDimensions().size());
  bool isSliding =
      llvm::any_of(llvm::seq(0U, rank), [&](unsigned dim) { return findWindows(op, local, dim) != nullptr; });
  bool isReduced = !getReducedSplits(local).empty();
  SmallVector<Value> operands(local.operands);
  if (isReduced)
    operands = emitInits(op, local, findReductionCombiner(op.getBody(), op.getInitValues()));
  SmallVector<int64_t> padding(2 * size_t(rank), 0);
  if (op.getPadding())
    llvm::copy(op.getPadding()->getValues<int64_t>(), padding.begin());
  if (isSliding)
    emitHalos(op, local, operands, padding);
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  auto piece = pieces.front().getDefiningOp<stablehlo::ReduceWindowOp>();
  if (isSliding)
    piece.setPaddingAttr(
        DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, local.builder.getI64Type()), padding));
  if (isReduced)
    shortenWindows(op, local, piece);
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
