//===- IndexInputs.cpp - indices that expose wrong rules ------------------===//

#include "partita/ValidateRules/IndexInputs.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Number.h"

using namespace mlir;

namespace partita::validate {

namespace {

/// One component of an index: the size of its dim and the size of the window there.
struct IndexedDim {
  int64_t size = 1;
  int64_t window = 1;
};

} // namespace

/// Most are in range, some repeat, some are at the bounds or beyond.
static int64_t makeIndex(IndexedDim dim, bool extreme, uint64_t bits) {
  int64_t last = std::max<int64_t>(dim.size - dim.window, 0);
  if (extreme && (bits >> 40) % 4 == 0)
    return (bits >> 48) % 2 ? INT64_MAX : INT64_MIN;
  switch ((bits >> 8) % 8) {
  case 0:
    return last;
  case 1:
    return last + 1 + static_cast<int64_t>((bits >> 16) % 3);
  case 2:
    return -1 - static_cast<int64_t>((bits >> 16) % 2);
  default:
    return static_cast<int64_t>((bits >> 16) % (last + 1));
  }
}

/// Stores an index as the type can hold it: what is beyond its range becomes the range's end.
static void store(Tensor &tensor, int64_t position, int64_t value) {
  unsigned width = getIntegerWidth(tensor.getElementType());
  if (tensor.getKind() == StorageKind::Unsigned) {
    uint64_t highest = wrapUnsigned(UINT64_MAX, width);
    // Unsigned types have no small negative numbers. The lowest number stands for "extreme".
    uint64_t clamped = value == INT64_MIN ? highest - 1 : std::max<int64_t>(value, 0);
    tensor.edit<uint64_t>()[position] = std::min(clamped, highest);
    return;
  }
  int64_t highest = width == 64 ? INT64_MAX : (int64_t(1) << (width - 1)) - 1;
  tensor.edit<int64_t>()[position] = std::clamp(value, -highest - 1, highest);
}

static void fillScalar(Tensor &tensor, IndexedDim dim, bool extreme, uint64_t seed) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    store(tensor, i, makeIndex(dim, extreme, ringHash(seed, i)));
}

/// Component `component` of index vector `number` where no two windows may meet: the number in mixed radix, each digit
/// times its window. Vectors that find no room are out of range.
static int64_t makeUniqueIndex(ArrayRef<IndexedDim> dims, int64_t component, int64_t number) {
  auto radix = [&](int64_t dim) { return std::max<int64_t>(dims[dim].size / dims[dim].window, 1); };
  for (int64_t minor = component + 1; minor < static_cast<int64_t>(dims.size()); ++minor)
    number /= radix(minor);
  return (component == 0 ? number : number % radix(component)) * dims[component].window;
}

/// The numbers below `count` in an order that the seed chooses.
static SmallVector<int64_t> makeOrder(int64_t count, uint64_t seed) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, count));
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return std::pair(ringHash(seed, a), a) < std::pair(ringHash(seed, b), b); });
  return order;
}

/// Index vectors along `vectorDim` (the rank, if each is a single number).
static void fillVectors(Tensor &tensor, int64_t vectorDim, ArrayRef<IndexedDim> dims, bool extreme, bool isUnique,
                        uint64_t seed) {
  SmallVector<int64_t> index(tensor.getRank(), 0);
  int64_t components = vectorDim < tensor.getRank() ? std::max<int64_t>(tensor.getDim(vectorDim), 1) : 1;
  SmallVector<int64_t> order = makeOrder(tensor.size() / components, seed);
  for (int64_t position = 0; position < tensor.size(); ++position) {
    int64_t component = 0, number = 0;
    for (auto [dim, value] : llvm::enumerate(index)) {
      if (static_cast<int64_t>(dim) == vectorDim)
        component = value;
      else
        number = number * tensor.getDim(dim) + value;
    }
    store(tensor, position,
          isUnique ? makeUniqueIndex(dims, component, order[number])
                   : makeIndex(dims[component], extreme, ringHash(seed, position)));
    increment(index, tensor.getShape());
  }
}

static SmallVector<IndexedDim> getGatherDims(stablehlo::GatherOp op) {
  SmallVector<IndexedDim> dims;
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  for (int64_t dim : op.getDimensionNumbers().getStartIndexMap())
    dims.push_back({type.getDimSize(dim), op.getSliceSizes()[dim]});
  return dims;
}

/// The size of the update window along each dim of a scatter's operand.
static SmallVector<IndexedDim> getScatterDims(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  auto input = cast<RankedTensorType>(op.getInputs().front().getType());
  auto updates = cast<RankedTensorType>(op.getUpdates().front().getType());
  SmallVector<int64_t> windows(input.getRank(), 1);
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  for (int64_t dim = 0; dim < input.getRank() && !windowDims.empty(); ++dim) {
    if (llvm::is_contained(numbers.getInsertedWindowDims(), dim) ||
        llvm::is_contained(numbers.getInputBatchingDims(), dim))
      continue;
    windows[dim] = std::max<int64_t>(updates.getDimSize(windowDims.front()), 1);
    windowDims = windowDims.drop_front();
  }
  SmallVector<IndexedDim> dims;
  for (int64_t dim : numbers.getScatterDimsToOperandDims())
    dims.push_back({input.getDimSize(dim), windows[dim]});
  return dims;
}

/// Sizes of groups that together take at most `rows`, some of them empty.
static void fillGroupSizes(Tensor &tensor, int64_t rows, uint64_t seed) {
  int64_t groups = tensor.getRank() == 0 ? 1 : tensor.getShape().back();
  int64_t left = rows;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i % groups == 0)
      left = rows;
    uint64_t bits = ringHash(seed, i);
    bool takesRest = i % groups == groups - 1 && (bits >> 40) % 2 == 0;
    int64_t size = takesRest ? left : bits % 6 == 0 ? 0 : static_cast<int64_t>((bits >> 8) % (left + 1));
    store(tensor, i, size);
    left -= size;
  }
}

static void fillStarts(OperandRange starts, Value operand, ArrayRef<int64_t> windows, Value argument, bool extreme,
                       uint64_t seed, Tensor &tensor) {
  auto type = cast<RankedTensorType>(operand.getType());
  for (auto [dim, start] : llvm::enumerate(starts))
    if (start == argument)
      fillScalar(tensor, {type.getDimSize(dim), windows[dim]}, extreme, seed);
}

void fillIndices(Operation *op, Value argument, bool extreme, uint64_t seed, Tensor &tensor) {
  if (tensor.getKind() != StorageKind::Signed &&
      (tensor.getKind() != StorageKind::Unsigned || !isa<IntegerType>(tensor.getElementType())))
    return;
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op))
    fillStarts(slice.getStartIndices(), slice.getOperand(), slice.getSliceSizes(), argument, extreme, seed, tensor);
  else if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    fillStarts(update.getStartIndices(), update.getOperand(),
               cast<RankedTensorType>(update.getUpdate().getType()).getShape(), argument, extreme, seed, tensor);
  else if (auto gather = dyn_cast<stablehlo::GatherOp>(op); gather && gather.getStartIndices() == argument)
    fillVectors(tensor, gather.getDimensionNumbers().getIndexVectorDim(), getGatherDims(gather), extreme,
                /*isUnique=*/false, seed);
  else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op); scatter && scatter.getScatterIndices() == argument)
    fillVectors(tensor, scatter.getScatterDimensionNumbers().getIndexVectorDim(), getScatterDims(scatter), extreme,
                scatter.getUniqueIndices(), seed);
  else if (auto dot = dyn_cast<chlo::RaggedDotOp>(op); dot && dot.getGroupSizes() == argument)
    fillGroupSizes(tensor,
                   cast<RankedTensorType>(dot.getLhs().getType())
                       .getDimSize(dot.getRaggedDotDimensionNumbers().getLhsRaggedDimensions().front()),
                   seed);
}

} // namespace partita::validate
