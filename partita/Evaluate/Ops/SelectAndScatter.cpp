//===- SelectAndScatter.cpp - select_and_scatter: the gradient of pooling -===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/ElementFunction.h"
#include "partita/Evaluate/Ops/Indexing.h"
#include "partita/Evaluate/Ops/Taps.h"
#include "partita/Evaluate/Scalars.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::evaluate {

/// Position of the window's element that `select` prefers to all before it; nothing if the window sees no element.
static Result<std::optional<int64_t>> selectElement(const SlidingWindow::View &view, const Tensor &operand,
                                                    ElementFunction &select) {
  std::optional<int64_t> selected;
  for (BoxWalk taps = view.walk(); taps.isInside(); taps.next()) {
    int64_t at = view.operandBegin + taps.offset(0);
    if (!selected) {
      selected = at;
      continue;
    }
    Result<ArrayRef<Element>> keeps = select({loadElement(operand, *selected), loadElement(operand, at)});
    if (!keeps)
      return keeps.error();
    if (!keeps->front().get<uint8_t>())
      selected = at;
  }
  return selected;
}

/// result[at] = scatter(result[at], source[from])
static Status scatterElement(Tensor &result, int64_t at, const Tensor &source, int64_t from, ElementFunction &scatter) {
  Result<ArrayRef<Element>> updated = scatter({loadElement(result, at), loadElement(source, from)});
  if (!updated)
    return updated.error();
  storeElement(result, at, updated->front());
  return std::nullopt;
}

static SlidingWindow buildWindow(stablehlo::SelectAndScatterOp op, const Tensor &operand, const Tensor &source) {
  SmallVector<stablehlo::WindowDim> window =
      buildWindow({.sizes = op.getWindowDimensions().value_or(ArrayRef<int64_t>()),
                   .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
                   .baseDilations = {},
                   .windowDilations = {},
                   .padding = op.getPaddingAttr()});
  return SlidingWindow(window, operand.getShape(), source.getShape());
}

Status evaluateSelectAndScatter(stablehlo::SelectAndScatterOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Tensor result(resultType(op), call.mode);
  fill(result, promote(call.operands[2], result.getElementType()));
  Tensor source = promote(call.operands[1], getElementTypeOrSelf(op.getScatter().getArgument(1).getType()));
  ElementFunction select(op.getSelect(), call), scatter(op.getScatter(), call);
  SlidingWindow window = buildWindow(op, operand, source);
  SmallVector<int64_t> strides = computeStrides(operand.getShape());
  for (BoxWalk windows(source.getShape(), {computeStrides(source.getShape())}); windows.isInside(); windows.next()) {
    Result<std::optional<int64_t>> at =
        selectElement(window.look(windows.getIndex(), strides, strides), operand, select);
    if (!at)
      return at.error();
    if (!*at)
      continue;
    if (Status error = scatterElement(result, **at, source, windows.offset(0), scatter))
      return error;
  }
  call.results.push_back(std::move(result));
  return std::nullopt;
}

} // namespace partita::evaluate
