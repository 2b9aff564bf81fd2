//===- ReduceWindow.cpp - reductions over a sliding window ----------------===//
//
// As in XLA, padding and the holes of a dilated input do not count: the initial
// value enters each window once.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Reduction.h"
#include "partita/Evaluate/Ops/Taps.h"
#include "partita/Evaluate/Scalars.h"

using namespace mlir;

namespace partita::evaluate {

static SlidingWindow buildWindow(stablehlo::ReduceWindowOp op, const Tensor &input, const Tensor &result) {
  SmallVector<stablehlo::WindowDim> window =
      buildWindow({.sizes = op.getWindowDimensions(),
                   .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
                   .baseDilations = op.getBaseDilations().value_or(ArrayRef<int64_t>()),
                   .windowDilations = op.getWindowDilations().value_or(ArrayRef<int64_t>()),
                   .padding = op.getPaddingAttr()});
  return SlidingWindow(window, input.getShape(), result.getShape());
}

/// Calls `work(result offset, input offset)` for each element that each window sees, until it returns false.
template <typename Work>
static void visitTaps(const SlidingWindow &window, ArrayRef<int64_t> inputShape, ArrayRef<int64_t> shape, Work work) {
  SmallVector<int64_t> strides = computeStrides(inputShape);
  BoxWalk positions(shape, {computeStrides(shape)});
  for (; positions.isInside(); positions.next()) {
    SlidingWindow::View view = window.look(positions.getIndex(), strides, strides);
    for (BoxWalk taps = view.walk(); taps.isInside(); taps.next())
      if (!work(positions.offset(0), view.operandBegin + taps.offset(0)))
        return;
  }
}

static void reduceByCombiner(Reducing &reducing, const SlidingWindow &window) {
  Tensor &result = reducing.getAccumulator();
  const Tensor &input = reducing.getInput();
  visitCombiner(*reducing.getCombiner(), result.getElementType(), result.getMode(), [&]<typename T>(T *, auto combine) {
    T *out = result.edit<T>().data();
    const T *in = input.get<T>().data();
    visitTaps(window, input.getShape(), result.getShape(), [&](int64_t to, int64_t from) {
      out[to] = combine(out[to], in[from]);
      return true;
    });
  });
}

static Status reduceByRegion(Reducing &reducing, const SlidingWindow &window, ElementFunction reducer) {
  Status status;
  visitTaps(window, reducing.getInput().getShape(), reducing.getAccumulator().getShape(),
            [&](int64_t to, int64_t from) {
              status = reducing.reduceElement(reducer, to, from);
              return !status;
            });
  return status;
}

Status evaluateReduceWindow(stablehlo::ReduceWindowOp op, Call &call) {
  Reducing reducing(op, op.getBody(), call);
  SlidingWindow window = buildWindow(op, reducing.getInput(), reducing.getAccumulator());
  if (reducing.getInput().getRank() == 0)
    reducing.takeInputs();
  else if (reducing.getCombiner())
    reduceByCombiner(reducing, window);
  else if (Status error = reduceByRegion(reducing, window, ElementFunction(op.getBody(), call)))
    return error;
  reducing.finish(op, call);
  return std::nullopt;
}

} // namespace partita::evaluate
