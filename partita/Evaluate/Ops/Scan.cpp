//===- Scan.cpp - a loop over slices --------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Reduction.h"
#include "partita/Evaluate/Ops/Strided.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// Slices of a tensor along one dim, which they do not have themselves.
struct Slices {
  SmallVector<int64_t> shape, strides;
  int64_t step;
};

} // namespace

static Slices getSlices(const Tensor &tensor, int64_t dim) {
  Slices slices{SmallVector<int64_t>(tensor.getShape()), computeStrides(tensor.getShape()), 0};
  slices.step = slices.strides[dim];
  slices.shape.erase(slices.shape.begin() + dim);
  slices.strides.erase(slices.strides.begin() + dim);
  return slices;
}

static Tensor readSlice(const Tensor &tensor, int64_t dim, int64_t index) {
  Slices slices = getSlices(tensor, dim);
  Tensor slice(RankedTensorType::get(slices.shape, tensor.getElementType()), tensor.getMode());
  copyBox(slice, getWhole(slices.shape), tensor, {index * slices.step, slices.strides}, slices.shape);
  return slice;
}

static void writeSlice(Tensor &tensor, int64_t dim, int64_t index, const Tensor &slice) {
  Slices slices = getSlices(tensor, dim);
  copyBox(tensor, {index * slices.step, slices.strides}, slice, getWhole(slices.shape), slices.shape);
}

/// (outputs[i], carries) = body(inputs[i], carries) for all i, or backwards; outputs are stacked along the scanned dim.
Status evaluateScan(chlo::ScanOp op, Call &call) {
  int64_t dim = op.getDimension();
  size_t numInputs = op.getInputs().size(), numOutputs = op.getOutputs().size();
  ArrayRef<Tensor> inputs = call.operands.take_front(numInputs);
  SmallVector<Tensor> carries(call.operands.drop_front(numInputs)), outputs;
  for (size_t i = 0; i < numOutputs; ++i)
    outputs.emplace_back(resultType(op, i), call.mode);
  int64_t count = inputs.empty() ? outputs.front().getDim(dim) : inputs.front().getDim(dim);
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = op.getIsReverse() ? count - 1 - i : i;
    SmallVector<Tensor> arguments;
    for (const Tensor &input : inputs)
      arguments.push_back(readSlice(input, dim, index));
    llvm::append_range(arguments, carries);
    Result<SmallVector<Tensor>> returned = call.regions.run(op.getBody(), arguments);
    if (!returned)
      return returned.error();
    for (auto [output, slice] : llvm::zip(outputs, *returned))
      writeSlice(output, dim, index, slice);
    carries.assign(returned->begin() + numOutputs, returned->end());
  }
  llvm::append_range(call.results, outputs);
  llvm::append_range(call.results, carries);
  return std::nullopt;
}

} // namespace partita::evaluate
