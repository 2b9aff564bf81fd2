//===- WindowRules.cpp - reduce_window, select_and_scatter ----------------===//
//
//   reduce_window  a dim cut into windows without gap, overlap or padding is
//                  (ab): a counts windows and is parallel, b runs within one
//                  and is reduce(combiner); a dim whose windows have one element
//                  is the case without b. A dim with as many windows as it
//                  has steps of the stride is (ab) with a halo: edges come from
//                  neighbors, and init values beyond the ends, which must be
//                  neutral: padding is not combined. So is a dim whose elements
//                  are spread, with a window at every position: the windows are
//                  (ab). A dim with as many windows
//                  as elements, each from the first element on or up to the last
//                  one, is a prefix: cumulative sums. Other dims are `window`.
//   select_and_scatter  cut dims as above, b whole; a dim with as many windows as
//                  it has steps of the stride is (ab) with a halo of both: each
//                  device scatters all windows that reach into its piece, those of
//                  its neighbors included, and keeps its own rows. So rows are
//                  added in the order of the whole op.
//
// Init values of reduced dims count once, as in ReductionRules.cpp.
//
// Where a prefix is split, each device computes that of its piece, and combines
// it with the totals of the pieces before it (or behind it, for sums from the
// end), of which all gather one row:
//
//   pieces     1 2 | 3 4 | 5 6
//   own        1 3 | 3 7 | 5 11
//   totals       3     7     11
//   before     0   | 3   | 10
//   result     1 3 | 6 10| 15 21
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/Window.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/LocalArithmetic.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// Dims
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
         (at(window.windowDilations) == 1 || length == 1) && size > 0 && size % length == 0 && count == size / length;
}

/// The rows that windows of a piece need from its neighbors, if there are as many windows as steps of the stride, or as
/// positions of elements that are spread.
static std::optional<Halo> findHalo(const stablehlo::WindowAttrs &window, unsigned dim, int64_t size, int64_t count) {
  auto at = [&](ArrayRef<int64_t> list) { return list.empty() ? 1 : list[dim]; };
  int64_t low = window.padding ? window.padding.getValues<int64_t>()[2 * uint64_t(dim)] : 0;
  int64_t span = (window.sizes[dim] - 1) * at(window.windowDilations) + 1, stride = at(window.strides);
  int64_t spread = at(window.baseDilations);
  Halo halo{low, span - low - stride};
  if (spread > 1)
    halo = {llvm::divideFloorSigned(low, spread), llvm::divideFloorSigned(span - 2 - low, spread) + 1};
  halo = {std::max<int64_t>(0, halo.low), std::max<int64_t>(0, halo.high)};
  bool isAligned = spread == 1 ? size == count * stride : stride == 1 && count == size * spread;
  // Windows over all elements would take all from all.
  bool isNear = halo.low + halo.high < size;
  return isAligned && size > 1 && count > 1 && isNear ? std::optional(halo) : std::nullopt;
}

/// Whether windows begin at the first element and end one element later each, or end at the last one.
enum class PrefixSide { None, Front, Back };

static PrefixSide findPrefix(const stablehlo::WindowAttrs &window, unsigned dim, int64_t size, int64_t count) {
  auto at = [&](ArrayRef<int64_t> list) { return list.empty() ? 1 : list[dim]; };
  if (!window.padding || size != count || size < 2 || at(window.strides) != 1 || at(window.baseDilations) != 1 ||
      at(window.windowDilations) != 1 || window.sizes[dim] < size)
    return PrefixSide::None;
  int64_t low = window.padding.getValues<int64_t>()[2 * uint64_t(dim)];
  int64_t high = window.padding.getValues<int64_t>()[2 * uint64_t(dim) + 1];
  if (low == window.sizes[dim] - 1 && high == 0)
    return PrefixSide::Front;
  return low == 0 && high == window.sizes[dim] - 1 ? PrefixSide::Back : PrefixSide::None;
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

/// (ab) for elements, a with a halo for windows; or the other way round, if elements are spread.
static void addHaloDim(Rule &rule, const WindowRoles &roles, unsigned dim, int64_t size, int64_t count, Halo halo) {
  uint8_t factor = rule.addFactor(FactorKind::Parallel, std::min(size, count));
  rule.factors[factor].halo = halo;
  put(roles.elements, dim, factor);
  put(roles.windows, dim, factor);
  if (size > count)
    put(roles.elements, dim, rule.addFactor(FactorKind::Replicate, size / count));
  if (count > size)
    put(roles.windows, dim, rule.addFactor(FactorKind::Replicate, count / size));
}

static void addPrefixDim(Rule &rule, const WindowRoles &roles, unsigned dim, int64_t size) {
  uint8_t factor = rule.addFactor(FactorKind::Parallel, size);
  rule.factors[factor].isPrefix = true;
  put(roles.elements, dim, factor);
  put(roles.windows, dim, factor);
}

/// `findEdges` gives the halo of a dim that may have one.
static void addWindowDims(Rule &rule, const WindowRoles &roles, const stablehlo::WindowAttrs &window,
                          ArrayRef<int64_t> elements, ArrayRef<int64_t> windows, Combiner combiner,
                          llvm::function_ref<std::optional<Halo>(unsigned dim)> findEdges, bool hasPrefixes = false) {
  for (unsigned dim = 0; dim < elements.size(); ++dim) {
    std::optional<Halo> halo = findEdges(dim);
    if (isCutIntoWindows(window, dim, elements[dim], windows[dim]))
      addCutDim(rule, roles, dim, windows[dim], window.sizes[dim], combiner);
    else if (hasPrefixes && findPrefix(window, dim, elements[dim], windows[dim]) != PrefixSide::None)
      addPrefixDim(rule, roles, dim, elements[dim]);
    else if (halo)
      addHaloDim(rule, roles, dim, elements[dim], windows[dim], *halo);
    else
      addSlidingDim(rule, roles, dim, elements[dim], windows[dim]);
  }
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// Whether partial results of windows, and init values among them, may be combined.
static bool mayExchange(stablehlo::ReduceWindowOp op) {
  auto haveSameType = [](auto values) {
    return getElementTypeOrSelf(std::get<0>(values)) == getElementTypeOrSelf(std::get<1>(values));
  };
  return combinesEach(op.getBody(), op.getInitValues()) && llvm::all_of(op.getInputs(), mayExchangeEdges) &&
         llvm::all_of(llvm::zip_equal(op.getInputs(), op.getResults()), haveSameType);
}

static OpRule ruleOfReduceWindow(stablehlo::ReduceWindowOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  WindowRoles roles;
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    roles.elements.push_back(&rule.operands[i]);
    roles.windows.push_back(&rule.results[i]);
  }
  stablehlo::WindowAttrs window = getWindow(op);
  ArrayRef<int64_t> elements = getShape(op.getInputs().front()), windows = getShape(op.getResult(0));
  bool isExchanged = mayExchange(op);
  auto findEdges = [&](unsigned dim) {
    return isExchanged ? findHalo(window, dim, elements[dim], windows[dim]) : std::nullopt;
  };
  addWindowDims(rule, roles, window, elements, windows, findReductionCombiner(op.getBody(), op.getInitValues()),
                findEdges, isExchanged);
  result.whole = "dims whose number of windows is not that of steps of the stride, and those of a body that is no "
                 "combiner of each result or whose init value is not neutral";
  return result;
}

/// The split of the windows of a dim that was not simply cut into them, or of a prefix; null for other dims and whole
/// ones.
static const Split *findWindows(stablehlo::ReduceWindowOp op, const LocalContext &local, unsigned dim, bool isPrefix) {
  const DimFactors &factors = local.rule.results.front()[dim];
  bool isCut =
      isCutIntoWindows(getWindow(op), dim, getShape(op.getInputs().front())[dim], getShape(op.getResult(0))[dim]);
  if (factors.empty() || isCut || local.rule.factors[factors.front()].isPrefix != isPrefix)
    return nullptr;
  return local.find(factors.front());
}

/// Puts edges of other pieces around those of the inputs, for windows that reach into them, so that all windows of a
/// device lie in its rows. Beyond the ends there are init values, as in the padding.
static void emitHalos(stablehlo::ReduceWindowOp op, const LocalContext &local, MutableArrayRef<Value> operands,
                      MutableArrayRef<int64_t> padding) {
  stablehlo::WindowAttrs window = getWindow(op);
  auto at = [](ArrayRef<int64_t> list, unsigned dim) { return list.empty() ? 1 : list[dim]; };
  size_t count = op.getInputs().size();
  for (unsigned dim = 0; dim < window.sizes.size(); ++dim) {
    const Split *split = findWindows(op, local, dim, /*isPrefix=*/false);
    if (!split)
      continue;
    Halo halo = local.rule.factors[split->factor].halo;
    for (size_t i = 0; i < count; ++i)
      operands[i] = emitHalo(local, op.getLoc(), operands[i], dim, *split, halo, local.operands[count + i]);
    int64_t windows = getShape(op.getResult(0))[dim] / split->parts;
    int64_t span = (window.sizes[dim] - 1) * at(window.windowDilations, dim) + 1;
    int64_t spread = at(window.baseDilations, dim);
    int64_t &low = padding[2 * size_t(dim)], &high = padding[2 * size_t(dim) + 1];
    low -= halo.low * spread;
    int64_t positions = (getShape(operands.front())[dim] - 1) * spread + 1;
    high = (windows - 1) * at(window.strides, dim) + span - positions - low;
  }
}

/// Where a factor within the windows is split, windows are shorter on each device; so they are along a prefix.
static void shortenWindows(stablehlo::ReduceWindowOp op, const LocalContext &local, stablehlo::ReduceWindowOp piece,
                           MutableArrayRef<int64_t> padding) {
  SmallVector<int64_t> sizes(op.getWindowDimensions());
  SmallVector<int64_t> strides(op.getWindowStrides().value_or(ArrayRef<int64_t>()));
  strides.resize(sizes.size(), 1);
  for (auto [dim, factors] : llvm::enumerate(local.rule.operands.front()))
    for (uint8_t factor : factors) {
      const Split *split = local.find(factor);
      if (split && local.rule.factors[factor].kind == FactorKind::Reduce)
        strides[dim] = sizes[dim] = sizes[dim] / split->parts;
      if (!split || !local.rule.factors[factor].isPrefix)
        continue;
      sizes[dim] = getShape(local.operands.front())[dim];
      for (int64_t &side : padding.slice(2 * dim, 2))
        side = side == 0 ? 0 : sizes[dim] - 1;
    }
  piece.setWindowDimensions(sizes);
  piece.setWindowStrides(strides);
}

/// The totals of all devices along the dim, where those that do not count for this one are init values.
static Value emitTotals(OpBuilder &builder, Location loc, Value own, Value init, unsigned dim, PrefixSide side,
                        const Split &split) {
  auto type = cast<RankedTensorType>(own.getType());
  SmallVector<int64_t> shape(type.getShape()), starts(shape.size(), 0), limits(shape), strides(shape.size(), 1);
  starts[dim] = side == PrefixSide::Front ? shape[dim] - 1 : 0;
  limits[dim] = starts[dim] + 1;
  shape[dim] = 1;
  Value total = own;
  if (type.getDimSize(dim) != 1)
    total = stablehlo::SliceOp::create(builder, loc, type.clone(shape), own, starts, limits, strides);
  Value totals = emitGathered(builder, loc, total, dim, split);
  using stablehlo::ComparisonDirection;
  LocalArithmetic emit{builder, loc};
  shape[dim] = split.parts;
  Value numbers =
      stablehlo::IotaOp::create(builder, loc, RankedTensorType::get(shape, builder.getI64Type()), uint64_t(dim));
  Value isCounted = emit.compare(side == PrefixSide::Front ? ComparisonDirection::LT : ComparisonDirection::GT, numbers,
                                 emit.broadcast(split.index, shape, {}));
  return emit.select(isCounted, totals, emit.broadcast(init, shape, {}));
}

/// Combines a device's own results along a dim with the totals of the devices before it, or behind it.
static void emitPrefix(stablehlo::ReduceWindowOp op, OpBuilder &builder, unsigned dim, ArrayRef<Value> inits,
                       const Split &split, MutableArrayRef<Value> results) {
  PrefixSide side =
      findPrefix(getWindow(op), dim, getShape(op.getInputs().front())[dim], getShape(op.getResult(0))[dim]);
  SmallVector<Value> totals;
  SmallVector<Type> types;
  SmallVector<int64_t> shape(getShape(results.front())), kept;
  for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other)
    if (other != dim)
      kept.push_back(other);
  SmallVector<int64_t> lineShape = llvm::map_to_vector(kept, [&](int64_t other) { return shape[other]; });
  for (auto [own, init] : llvm::zip_equal(results, inits)) {
    totals.push_back(emitTotals(builder, op.getLoc(), own, init, dim, side, split));
    types.push_back(cast<RankedTensorType>(own.getType()).clone(lineShape));
  }
  auto before = stablehlo::ReduceOp::create(builder, op.getLoc(), types, totals, inits, ArrayRef<int64_t>(dim));
  IRMapping mapping;
  op.getBody().cloneInto(&before.getBody(), mapping);
  LocalArithmetic emit{builder, op.getLoc()};
  for (auto [own, value, combiner] : llvm::zip_equal(results, before.getResults(), findCombiners(op.getBody())))
    own = emitCombination(builder, op.getLoc(), combiner, emit.broadcast(value, shape, kept), own);
}

static Pieces localReduceWindow(stablehlo::ReduceWindowOp op, const LocalContext &local) {
  auto dims = llvm::seq(0U, static_cast<unsigned>(op.getWindowDimensions().size()));
  auto isSplit = [&](bool isPrefix) {
    return llvm::any_of(dims, [&](unsigned dim) { return findWindows(op, local, dim, isPrefix) != nullptr; });
  };
  bool isSliding = isSplit(false), hasPrefix = isSplit(true), isReduced = !getReducedSplits(local).empty();
  SmallVector<Value> operands(local.operands);
  if (isReduced)
    operands = emitInits(op, local, findReductionCombiner(op.getBody(), op.getInitValues()));
  SmallVector<int64_t> padding(2 * dims.size(), 0);
  if (op.getPadding())
    llvm::copy(op.getPadding()->getValues<int64_t>(), padding.begin());
  if (isSliding)
    emitHalos(op, local, operands, padding);
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  auto piece = pieces.front().getDefiningOp<stablehlo::ReduceWindowOp>();
  if (isReduced || hasPrefix)
    shortenWindows(op, local, piece, padding);
  if (isSliding || hasPrefix)
    piece.setPaddingAttr(DenseIntElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(dims.size()), 2}, local.builder.getI64Type()), padding));
  for (unsigned dim : dims)
    if (const Split *split = findWindows(op, local, dim, /*isPrefix=*/true))
      emitPrefix(op, local.builder, dim, ArrayRef(operands).drop_front(pieces.size()), *split, pieces);
  return pieces;
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

/// What a device needs to scatter all windows that reach into its piece: rows of the operand, and windows.
struct ScatterHalo {
  Halo elements, windows;
};

static std::optional<ScatterHalo> findScatterHalo(stablehlo::SelectAndScatterOp op, unsigned dim) {
  stablehlo::WindowAttrs window = getWindow(op);
  int64_t size = getShape(op.getOperand())[dim], count = getShape(op.getSource())[dim];
  int64_t low = window.padding ? window.padding.getValues<int64_t>()[2 * uint64_t(dim)] : 0;
  int64_t span = window.sizes.empty() ? 1 : window.sizes[dim];
  int64_t stride = window.strides.empty() ? 1 : window.strides[dim];
  if (size != count * stride || count < 2 || low != 0 || span < stride)
    return std::nullopt;
  // Those that begin before the piece and reach into it; no window behind it does.
  Halo windows{(span - 1) / stride, 0};
  Halo elements{windows.low * stride, span - stride};
  bool isNear = elements.low + elements.high < size;
  return isNear ? std::optional(ScatterHalo{elements, windows}) : std::nullopt;
}

/// Whether the body takes the larger of two elements, and the first of equal ones. Behind the end stand elements that
/// are not larger than any, and these are not taken then. Before the first element they would be.
static bool selectsLargest(mlir::Region &body) {
  Block &block = body.front();
  auto compare = dyn_cast<stablehlo::CompareOp>(block.front());
  return compare && block.getTerminator()->getOperand(0) == compare.getResult() &&
         compare.getLhs() == block.getArgument(0) && compare.getRhs() == block.getArgument(1) &&
         compare.getComparisonDirection() == stablehlo::ComparisonDirection::GE;
}

/// The scalar that stands behind the end of the operand; null if there is none. The largest negative number of a type
/// without infinity is none: exact mode has smaller ones.
static DenseElementsAttr findLowest(stablehlo::SelectAndScatterOp op) {
  return selectsLargest(op.getSelect()) ? getLowest(getElementTypeOrSelf(op.getOperand())) : DenseElementsAttr();
}

/// Whether devices may exchange edges: beyond the ends nothing is scattered, so zeros must add nothing.
static bool mayExchange(stablehlo::SelectAndScatterOp op) {
  Combiner combiner = findCombiner(op.getScatter());
  bool addsZeros = combiner == Combiner::Add || combiner == Combiner::Or || combiner == Combiner::Xor;
  return addsZeros && findLowest(op) && mayExchangeEdges(op.getOperand()) && mayExchangeEdges(op.getSource()) &&
         getElementTypeOrSelf(op.getSource()) == getElementTypeOrSelf(op.getOperand());
}

static OpRule ruleOfSelectAndScatter(stablehlo::SelectAndScatterOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  WindowRoles roles{{&rule.operands[0], &rule.results[0]}, {&rule.operands[1]}};
  auto findEdges = [&](unsigned dim) -> std::optional<Halo> {
    std::optional<ScatterHalo> halo = mayExchange(op) ? findScatterHalo(op, dim) : std::nullopt;
    return halo ? std::optional(halo->elements) : std::nullopt;
  };
  addWindowDims(rule, roles, getWindow(op), getShape(op.getOperand()), getShape(op.getSource()), Combiner::None,
                findEdges);
  result.whole =
      "within a window; dims whose number of windows is not that of steps of the stride, and those of bodies "
      "that do not take the largest element and add to it";
  return result;
}

/// The operand with rows of other pieces around its own and the sources of the windows that reach into them.
static Pieces localSelectAndScatter(stablehlo::SelectAndScatterOp op, const LocalContext &local) {
  SmallVector<Value> operands(local.operands);
  ArrayRef<int64_t> ownShape = getShape(local.operands[0]);
  SmallVector<int64_t> starts(ownShape.size(), 0), limits(ownShape), strides(ownShape.size(), 1);
  SmallVector<int64_t> padding(2 * ownShape.size(), 0);
  if (op.getPadding())
    llvm::copy(op.getPadding()->getValues<int64_t>(), padding.begin());
  for (unsigned dim = 0; dim < ownShape.size(); ++dim) {
    const DimFactors &factors = local.rule.results.front()[dim];
    const Split *split = factors.empty() ? nullptr : local.find(factors.front());
    if (!split || local.rule.factors[split->factor].halo.isEmpty())
      continue;
    std::optional<ScatterHalo> halo = findScatterHalo(op, dim);
    Value lowest = LocalArithmetic{local.builder, op.getLoc()}.constant(findLowest(op));
    operands[0] = emitHalo(local, op.getLoc(), operands[0], dim, *split, halo->elements, lowest);
    operands[1] = emitHalo(local, op.getLoc(), operands[1], dim, *split, halo->windows);
    starts[dim] = halo->elements.low;
    limits[dim] += halo->elements.low;
    padding[2 * size_t(dim)] = padding[2 * size_t(dim) + 1] = 0;
  }
  if (operands[0] == local.operands[0])
    return emitSame(op, local);
  auto made = cast<stablehlo::SelectAndScatterOp>(local.builder.clone(*op));
  made->setOperands(operands);
  made.getResult().setType(op.getType().clone(getShape(operands[0])));
  made.setPaddingAttr(DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(ownShape.size()), 2}, local.builder.getI64Type()), padding));
  return {stablehlo::SliceOp::create(local.builder, op.getLoc(), local.getResultType(op, 0), made.getResult(), starts,
                                     limits, strides)};
}

void registerWindowRules(RuleTable &table) {
  table.add<stablehlo::ReduceWindowOp, ruleOfReduceWindow, localReduceWindow>();
  table.add<stablehlo::SelectAndScatterOp, ruleOfSelectAndScatter, localSelectAndScatter>();
}

} // namespace partita::program::rules
