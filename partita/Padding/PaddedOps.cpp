//===- PaddedOps.cpp - what an op computes on padded operands -------------===//

#include "partita/Padding/PaddedOps.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Padding/PaddableFactors.h"
#include "partita/Padding/PaddedLinks.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/IndexedPieces.h"

using namespace mlir;

namespace partita::padding {

using rules::LocalArithmetic;

SmallVector<int64_t> computePaddedShape(ArrayRef<int64_t> shape, const Rule &rule, const ValueFactors &factors,
                                        ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> padded(shape);
  for (auto [size, dimFactors] : llvm::zip(padded, factors))
    for (uint8_t factor : dimFactors)
      size = size / rule.factors[factor].size * sizes[factor];
  return padded;
}

static void applyLinks(ArrayRef<SizedLink> links, bool isResult, unsigned value, MutableArrayRef<int64_t> shape) {
  for (const SizedLink &sized : links)
    for (auto [end, size] : llvm::zip_equal(sized.link.ends, sized.sizes))
      if (end.dim.isResult == isResult && end.dim.value == value)
        shape[end.dim.dim] = size;
}

SmallVector<int64_t> PaddedOp::computeOperandShape(unsigned operand, ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> padded = computePaddedShape(shape, rule, rule.operands[operand], sizes);
  applyLinks(links, /*isResult=*/false, operand, padded);
  return padded;
}

SmallVector<int64_t> PaddedOp::computeResultShape(unsigned result, ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> padded = computePaddedShape(shape, rule, rule.results[result], sizes);
  applyLinks(links, /*isResult=*/true, result, padded);
  return padded;
}

Value emitIsBefore(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, unsigned dim, int64_t end) {
  LocalArithmetic emit{builder, loc};
  bool isShort = shape[dim] <= INT32_MAX;
  auto counters = RankedTensorType::get(shape, isShort ? builder.getI32Type() : builder.getI64Type());
  Value numbers = stablehlo::IotaOp::create(builder, loc, counters, dim);
  Attribute size = builder.getIntegerAttr(counters.getElementType(), end);
  return emit.compare(stablehlo::ComparisonDirection::LT, numbers,
                      emit.constant(DenseElementsAttr::get(counters, size)));
}

Value emitMask(OpBuilder &builder, Location loc, const PaddedValue &value, ArrayRef<unsigned> dims, Value fill) {
  ArrayRef<int64_t> shape = rules::getShape(value.value);
  LocalArithmetic emit{builder, loc};
  Value isElement;
  for (unsigned dim : dims) {
    Value isBefore = emitIsBefore(builder, loc, shape, dim, value.shape[dim]);
    isElement = isElement ? emit.conjunction(isElement, isBefore) : isBefore;
  }
  return emit.select(isElement, value.value, emit.broadcast(fill, shape, {}));
}

namespace {

/// Pads one op. Masks stand right before it.
class OpPadder {
public:
  OpPadder(PaddedOp &padded, int64_t &numMasks)
      : padded(padded), op(padded.op), builder(op), loc(NameLoc::get(builder.getStringAttr("mask"), op->getLoc())),
        numMasks(numMasks) {}

  void prepareOperands();
  SmallVector<PaddedValue> finish();

private:
  Value emitZero(Type element) { return LocalArithmetic{builder, loc}.zero(RankedTensorType::get({}, element)); }
  /// The dims of an operand whose factors are padded and that are summed up from the end.
  SmallVector<unsigned> findDimsFromEnd(stablehlo::ReduceWindowOp window) const;
  /// The dims of an operand whose factors are padded and reduced or folded.
  SmallVector<unsigned> findReducedDims(unsigned operand) const;
  Fill getFill(unsigned operand, ArrayRef<unsigned> dims) const;
  void mask(unsigned operand, ArrayRef<unsigned> dims, Value fill);
  void prepareLinks();
  void prepareProduct();
  void prepareReduction(stablehlo::ReduceOp reduce);
  void prepareWindows(stablehlo::ReduceWindowOp window);
  void prepareTopK();
  void prepareGather(stablehlo::GatherOp gather);
  void prepareScatter(stablehlo::ScatterOp scatter);
  void resizeSlice(stablehlo::SliceOp slice);
  void resizeAttributes();
  void resizeConstant(stablehlo::ConstantOp constant);

  PaddedOp &padded;
  Operation *op;
  OpBuilder builder;
  Location loc;
  int64_t &numMasks;
};

} // namespace

SmallVector<unsigned> OpPadder::findReducedDims(unsigned operand) const {
  SmallVector<unsigned> dims;
  for (auto [dim, factors] : llvm::enumerate(padded.rule.operands[operand]))
    if (!factors.empty() && padded.isPadded(factors.front()) &&
        padded.rule.factors[factors.front()].kind != FactorKind::Parallel)
      dims.push_back(dim);
  return dims;
}

SmallVector<unsigned> OpPadder::findDimsFromEnd(stablehlo::ReduceWindowOp window) const {
  SmallVector<unsigned> dims;
  // Sums from the first element on see nothing that lies behind.
  for (auto [dim, factors] : llvm::enumerate(padded.rule.operands[0]))
    if (!factors.empty() && padded.isPadded(factors.front()) && padded.rule.factors[factors.front()].isPrefix &&
        window.getPadding()->getValues<int64_t>()[2 * dim] == 0)
      dims.push_back(dim);
  return dims;
}

Fill OpPadder::getFill(unsigned operand, ArrayRef<unsigned> dims) const {
  Fill fill = Fill::Zero;
  for (unsigned dim : dims)
    fill = std::max(fill, padded.operands[operand].fills[dim]);
  return isa<IntegerType>(getElementTypeOrSelf(padded.operands[operand].value)) ? std::min(fill, Fill::Finite) : fill;
}

void OpPadder::mask(unsigned operand, ArrayRef<unsigned> dims, Value fill) {
  PaddedValue &value = padded.operands[operand];
  value.value = emitMask(builder, loc, value, dims, fill);
  // What lies behind the end of other dims may be anything only there.
  for (unsigned dim : dims)
    value.fills[dim] = findFill(fill);
  ++numMasks;
}

void OpPadder::prepareLinks() {
  for (const SeenPadding &seen : findSeenPadding(padded)) {
    Value neutral = seen.neutral ? padded.operands[*seen.neutral].value
                                 : emitZero(getElementTypeOrSelf(padded.operands[seen.operand].value));
    bool isNeutral = findFill(neutral) == Fill::Zero && getFill(seen.operand, seen.dims) == Fill::Zero;
    if (!isNeutral)
      mask(seen.operand, seen.dims, neutral);
  }
  resizeWindows(padded);
}

void OpPadder::prepareProduct() {
  SmallVector<unsigned> dims[] = {findReducedDims(0), findReducedDims(1)};
  if (dims[0].empty())
    return;
  Fill fills[] = {getFill(0, dims[0]), getFill(1, dims[1])};
  auto maskOne = [&](unsigned operand) {
    Type element = getElementTypeOrSelf(padded.operands[operand].value);
    mask(operand, dims[operand], emitZero(element));
    fills[operand] = Fill::Zero;
  };
  if (fills[0] == Fill::Any)
    maskOne(0);
  if (fills[1] == Fill::Any)
    maskOne(1);
  if (fills[0] != Fill::Zero && fills[1] != Fill::Zero)
    maskOne(0);
}

void OpPadder::prepareReduction(stablehlo::ReduceOp reduce) {
  SmallVector<unsigned> dims = findReducedDims(0);
  if (dims.empty())
    return;
  Combiner combiner = rules::findCombiner(reduce.getBody());
  bool isSum = combiner == Combiner::Add || combiner == Combiner::Or || combiner == Combiner::Xor;
  unsigned numInputs = padded.operands.size() / 2;
  for (unsigned input = 0; input < numInputs; ++input) {
    if (isSum && getFill(input, dims) == Fill::Zero)
      continue;
    Type element = getElementTypeOrSelf(padded.operands[input].value);
    Value fill = padded.operands[numInputs + input].value;
    // Where partial results are folded, init values may come again.
    if (combiner != Combiner::None && !rules::isIdempotent(combiner))
      fill = LocalArithmetic{builder, loc}.constant(rules::getIdentity(RankedTensorType::get({}, element), combiner));
    mask(input, dims, fill);
  }
}

void OpPadder::prepareWindows(stablehlo::ReduceWindowOp window) {
  SmallVector<unsigned> dims = findDimsFromEnd(window);
  unsigned numInputs = padded.operands.size() / 2;
  for (unsigned input = 0; input < numInputs && !dims.empty(); ++input)
    mask(input, dims, padded.operands[numInputs + input].value);
  // Windows of cumulative sums are as long as the dim.
  SmallVector<int64_t> sizes(window.getWindowDimensions()), padding(2 * sizes.size(), 0);
  if (window.getPadding())
    llvm::copy(window.getPadding()->getValues<int64_t>(), padding.begin());
  for (auto [dim, factors] : llvm::enumerate(padded.rule.operands[0]))
    if (!factors.empty() && padded.rule.factors[factors.front()].isPrefix) {
      int64_t added = padded.sizes[factors.front()] - padded.rule.factors[factors.front()].size;
      sizes[dim] += added;
      padding[padding[2 * dim] == 0 ? 2 * dim + 1 : 2 * dim] += added;
    }
  window.setWindowDimensions(sizes);
  window.setPaddingAttr(DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(sizes.size()), 2}, builder.getI64Type()), padding));
}

void OpPadder::prepareTopK() {
  SmallVector<unsigned> dims = findReducedDims(0);
  if (!dims.empty())
    mask(0, dims, LocalArithmetic{builder, loc}.constant(getLeast(getElementTypeOrSelf(padded.operands[0].value))));
}

/// Whether all numbers are numbers of a signed type.
static bool holdsAll(Type type, ArrayRef<int64_t> numbers) {
  auto integer = cast<IntegerType>(type);
  return !integer.isUnsigned() &&
         llvm::all_of(numbers, [&](int64_t number) { return llvm::isIntN(integer.getWidth(), number); });
}

void OpPadder::prepareGather(stablehlo::GatherOp gather) {
  stablehlo::IndexedDims dims = stablehlo::getIndexedDims(gather.getDimensionNumbers());
  SmallVector<unsigned> indexed = findReducedDims(0);
  SmallVector<int64_t> sliceSizes(gather.getSliceSizes()), last;
  ArrayRef<int64_t> shape = padded.operands[0].shape;
  for (int64_t dim : dims.indexMap.dims)
    last.push_back(shape[dim] - sliceSizes[dim]);
  if (!indexed.empty() && !last.empty()) {
    LocalArithmetic emit{builder, loc};
    Value &indices = padded.operands[1].value;
    if (!holdsAll(getElementTypeOrSelf(indices), last))
      indices = rules::emitWideIndices(emit, indices);
    Type element = getElementTypeOrSelf(indices);
    Value most = emit.convert(rules::emitPerComponent(emit, emit.integers(last), dims, indices), element);
    indices = stablehlo::ClampOp::create(builder, loc, indices.getType(), emitZero(element), indices, most);
    ++numMasks;
  }
  for (auto [dim, size] : llvm::enumerate(sliceSizes))
    if (size == shape[dim])
      size = rules::getShape(padded.operands[0].value)[dim];
  gather.setSliceSizes(sliceSizes);
}

void OpPadder::prepareScatter(stablehlo::ScatterOp scatter) {
  unsigned number = scatter.getInputs().size();
  SmallVector<unsigned> dims = findReducedDims(number);
  if (dims.empty())
    return;
  auto element = cast<IntegerType>(getElementTypeOrSelf(padded.operands[number].value));
  auto skipped = DenseElementsAttr::get(RankedTensorType::get({}, element), APInt::getAllOnes(element.getWidth()));
  mask(number, dims, LocalArithmetic{builder, loc}.constant(skipped));
  scatter.setIndicesAreSorted(false);
  scatter.setUniqueIndices(false);
}

void OpPadder::resizeConstant(stablehlo::ConstantOp constant) {
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  auto type = elements.getType().clone(
      computePaddedShape(elements.getType().getShape(), padded.rule, padded.rule.results[0], padded.sizes));
  constant.setValueAttr(elements.resizeSplat(type));
}

/// A slice with a stride takes a dim whole if it begins in the first stride and ends in the last one. Limits may lie
/// behind the operand (writeLinks).
void OpPadder::resizeSlice(stablehlo::SliceOp slice) {
  SmallVector<int64_t> limits(slice.getLimitIndices());
  for (auto [dim, limit] : llvm::enumerate(limits)) {
    int64_t size = padded.operands[0].shape[dim], stride = slice.getStrides()[dim];
    if (slice.getStartIndices()[dim] < stride && limit > size - stride)
      limit += rules::getShape(padded.operands[0].value)[dim] - size;
  }
  for (const SizedLink &sized : padded.links) {
    unsigned dim = sized.link.index;
    limits[dim] = slice.getStartIndices()[dim] + (sized.sizes.back() - 1) * slice.getStrides()[dim] + 1;
  }
  slice.setLimitIndices(limits);
}

/// Sizes of dims that are taken whole stand in attributes, too.
void OpPadder::resizeAttributes() {
  auto resize = [&](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> longer(sizes);
    for (auto [dim, size] : llvm::enumerate(longer))
      if (size == padded.operands[0].shape[dim])
        size = rules::getShape(padded.operands[0].value)[dim];
    return longer;
  };
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
    resizeSlice(slice);
  else if (auto dynamic = dyn_cast<stablehlo::DynamicSliceOp>(op))
    dynamic.setSliceSizes(resize(dynamic.getSliceSizes()));
  else if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    resizeConstant(constant);
}

void OpPadder::prepareOperands() {
  prepareLinks();
  if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    prepareProduct();
  else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    prepareReduction(reduce);
  else if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op))
    prepareWindows(window);
  else if (isa<chlo::TopKOp>(op))
    prepareTopK();
  else if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    prepareGather(gather);
  else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    prepareScatter(scatter);
  else
    resizeAttributes();
}

SmallVector<PaddedValue> OpPadder::finish() {
  for (auto [number, operand] : llvm::enumerate(padded.operands))
    op->setOperand(number, operand.value);
  SmallVector<PaddedValue> results;
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    const ValueFactors &factors = padded.rule.results[result.getResultNumber()];
    PaddedValue made{result, SmallVector<int64_t>(type.getShape()), SmallVector<Fill>(type.getRank(), Fill::Any)};
    for (auto [dim, dimFactors] : llvm::enumerate(factors))
      if (!dimFactors.empty() && padded.isPadded(dimFactors.front()))
        made.fills[dim] = computeFill(op, padded.rule, result.getResultNumber(), dimFactors.front(), padded.operands);
    result.setType(type.clone(padded.computeResultShape(result.getResultNumber(), type.getShape())));
    results.push_back(std::move(made));
  }
  if (!results.empty())
    results.front().value = writeLinks(padded, numMasks);
  return results;
}

SmallVector<PaddedValue> padOp(PaddedOp padded, int64_t &numMasks) {
  OpPadder padder(padded, numMasks);
  padder.prepareOperands();
  return padder.finish();
}

} // namespace partita::padding
