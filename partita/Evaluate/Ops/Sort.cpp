//===- Sort.cpp - sort and top_k ------------------------------------------===//
//
// A merge sort sorts the rows. It is stable and safe for any comparator: where
// comparisons contradict each other, as with NaNs, some order results.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/StableHlo/ReductionOps.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/ElementFunction.h"
#include "partita/Evaluate/Ops/Strided.h"
#include "partita/Evaluate/Ops/TotalOrder.h"

#include <numeric>

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// Sort
//===----------------------------------------------------------------------===//

namespace {

/// One row of each input; `order` says which of its elements comes where.
struct Row {
  std::vector<SmallVector<Element>> values;
  std::vector<int64_t> order;
};

} // namespace

/// Whether element `a` of the row must come before `b`.
static Result<bool> isLess(const Row &row, ElementFunction &comparator, int64_t a, int64_t b) {
  SmallVector<Element, 4> arguments;
  for (const SmallVector<Element> &values : row.values) {
    arguments.push_back(values[a]);
    arguments.push_back(values[b]);
  }
  Result<ArrayRef<Element>> returned = comparator(arguments);
  if (!returned)
    return returned.error();
  return returned->front().get<uint8_t>() != 0;
}

/// Merges order[begin, middle) and order[middle, end), both sorted, into `merged`.
static Status mergeRuns(const Row &row, ElementFunction &comparator, int64_t begin, int64_t middle, int64_t end,
                        std::vector<int64_t> &merged) {
  int64_t left = begin, right = middle;
  for (int64_t to = begin; to < end; ++to) {
    bool takesRight = left == middle;
    if (left < middle && right < end) {
      Result<bool> isRightLess = isLess(row, comparator, row.order[right], row.order[left]);
      if (!isRightLess)
        return isRightLess.error();
      takesRight = *isRightLess;
    }
    merged[to] = row.order[takesRight ? right++ : left++];
  }
  return std::nullopt;
}

static Status sortRow(Row &row, ElementFunction &comparator) {
  int64_t size = row.order.size();
  std::iota(row.order.begin(), row.order.end(), 0);
  std::vector<int64_t> merged(size);
  for (int64_t width = 1; width < size; width *= 2) {
    for (int64_t begin = 0; begin < size; begin += 2 * width) {
      int64_t middle = std::min(begin + width, size), end = std::min(begin + 2 * width, size);
      if (Status error = mergeRuns(row, comparator, begin, middle, end, merged))
        return error;
    }
    std::swap(row.order, merged);
  }
  return std::nullopt;
}

static Status evaluateSort(stablehlo::SortOp op, Call &call) {
  SmallVector<int64_t> shape(call.operands[0].getShape()), strides = computeStrides(shape);
  auto dim = static_cast<int64_t>(op.getDimension());
  dim += dim < 0 ? static_cast<int64_t>(shape.size()) : 0;
  int64_t size = std::exchange(shape[dim], 1), stride = strides[dim];
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    call.results.emplace_back(resultType(op, i), call.mode);
  ElementFunction comparator(op.getComparator(), call);
  Row row{std::vector<SmallVector<Element>>(call.operands.size(), SmallVector<Element>(size)),
          std::vector<int64_t>(size)};
  for (BoxWalk rows(shape, {strides}); size > 0 && rows.isInside(); rows.next()) {
    for (auto [values, input] : llvm::zip_equal(row.values, call.operands))
      for (int64_t i = 0; i < size; ++i)
        values[i] = loadElement(input, rows.offset(0) + i * stride);
    if (Status error = sortRow(row, comparator))
      return error;
    for (auto [values, result] : llvm::zip_equal(row.values, call.results))
      for (int64_t i = 0; i < size; ++i)
        storeElement(result, rows.offset(0) + i * stride, values[row.order[i]]);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Top k
//===----------------------------------------------------------------------===//

/// Puts the indices of the k largest of `row` into the front of `order`; among equals the first ones win.
template <typename T> static void selectLargest(ArrayRef<T> row, MutableArrayRef<int64_t> order, int64_t k) {
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    auto left = getTotalOrder(row[a]), right = getTotalOrder(row[b]);
    return left != right ? left > right : a < b;
  });
}

/// Values and indices of the k largest elements along the last dim, the largest first.
static Status evaluateTopK(chlo::TopKOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  if (isa<ComplexType>(operand.getElementType()))
    return Error::unsupported({}, "top_k of complex numbers, which have no order");
  int64_t size = operand.getShape().back(), k = op.getK();
  Tensor values(resultType(op, 0), call.mode), indices(resultType(op, 1), call.mode);
  std::vector<int64_t> order(size);
  visitKind(operand.getKind(), [&]<typename T>(T *) {
    if constexpr (requires { getTotalOrder(T()); })
      for (int64_t row = 0; k > 0 && row < operand.size() / size; ++row) {
        ArrayRef<T> elements = operand.get<T>().slice(row * size, size);
        selectLargest(elements, order, k);
        for (int64_t i = 0; i < k; ++i) {
          values.edit<T>()[row * k + i] = elements[order[i]];
          indices.edit<int64_t>()[row * k + i] = wrapSigned(order[i], 32);
        }
      }
  });
  call.results.push_back(std::move(values));
  call.results.push_back(std::move(indices));
  return std::nullopt;
}

void registerSort(OpTable &table) {
  table.add<stablehlo::SortOp, evaluateSort>();
  table.add<chlo::TopKOp, evaluateTopK>();
}

} // namespace partita::evaluate
