//===- Scatter.cpp - scatter ----------------------------------------------===//
//
// Updates are applied in the order of their index vectors. A window that does
// not lie wholly in the inputs is dropped, as in XLA. The specification speaks
// of single elements.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/ElementFunction.h"
#include "partita/Evaluate/Ops/IndexedWindows.h"
#include "partita/Evaluate/Ops/Indexing.h"
#include "partita/Evaluate/Scalars.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// One evaluation of a scatter: results begin as the inputs.
struct Scattering {
  IndexedWindows windows;
  const Tensor &indices;
  SmallVector<Tensor> results;
  SmallVector<Tensor> updates;
};

} // namespace

/// Calls `work(result offset, updates offset)` for each window that lies in the inputs.
template <typename Work> static void visitWindows(const Scattering &scattering, Work work) {
  for (BoxWalk walk = scattering.windows.walk(); walk.isInside(); walk.next())
    if (std::optional<int64_t> begin = scattering.windows.findInside(walk, scattering.indices))
      work(*begin, walk.offset(IndexedWindows::Slices));
}

/// Whether a region returns the updates as they are.
static bool isOverwrite(Region &region) {
  Block &block = region.front();
  return llvm::hasSingleElement(block) &&
         llvm::equal(block.getTerminator()->getOperands(), block.getArguments().take_back(block.getNumArguments() / 2));
}

static void overwrite(Scattering &scattering) {
  visitWindows(scattering, [&](int64_t to, int64_t from) {
    for (auto [result, update] : llvm::zip_equal(scattering.results, scattering.updates))
      copyPair(scattering.windows.getBoxes(), result, to, update, from);
  });
}

static void combine(Scattering &scattering, ScalarCombiner combiner) {
  Tensor &result = scattering.results.front();
  visitCombiner(combiner, result.getElementType(), result.getMode(), [&]<typename T>(T *, auto combineTwo) {
    T *out = result.edit<T>().data();
    const T *in = scattering.updates.front().get<T>().data();
    visitWindows(scattering, [&](int64_t to, int64_t from) {
      scattering.windows.getBoxes().visitRuns(to, from, [&](const BoxPair::Run &run) {
        for (int64_t i = 0; i < run.size; ++i) {
          T &element = out[run.to + i * run.toStride];
          element = combineTwo(element, in[run.from + i * run.fromStride]);
        }
      });
    });
  });
}

static Status updateElement(Scattering &scattering, ElementFunction &update, int64_t to, int64_t from) {
  SmallVector<Element> arguments;
  for (const Tensor &result : scattering.results)
    arguments.push_back(loadElement(result, to));
  for (const Tensor &values : scattering.updates)
    arguments.push_back(loadElement(values, from));
  Result<ArrayRef<Element>> returned = update(arguments);
  if (!returned)
    return returned.error();
  for (auto [result, element] : llvm::zip_equal(scattering.results, *returned))
    storeElement(result, to, element);
  return std::nullopt;
}

static Status applyRegion(Scattering &scattering, ElementFunction update) {
  Status status;
  visitWindows(scattering, [&](int64_t to, int64_t from) {
    scattering.windows.getBoxes().visitRuns(to, from, [&](const BoxPair::Run &run) {
      for (int64_t i = 0; i < run.size && !status; ++i)
        status = updateElement(scattering, update, run.to + i * run.toStride, run.from + i * run.fromStride);
    });
  });
  return status;
}

/// Sizes of a window in all dims of the inputs.
static SmallVector<int64_t> getWindowSizes(const stablehlo::IndexedDims &dims, int64_t rank,
                                           ArrayRef<int64_t> updates) {
  SmallVector<int64_t> sizes(rank, 1);
  for (auto [operandDim, updatesDim] : llvm::zip_equal(stablehlo::getWindowedOperandDims(dims, rank), dims.window.dims))
    sizes[operandDim] = updates[updatesDim];
  return sizes;
}

static Scattering buildScattering(stablehlo::ScatterOp op, Call &call) {
  size_t count = op.getInputs().size();
  const Tensor &input = call.operands[0], &indices = call.operands[count], &update = call.operands[count + 1];
  stablehlo::IndexedDims dims = stablehlo::getIndexedDims(op.getScatterDimensionNumbers());
  IndexedWindows windows(dims, input.getShape(), indices.getShape(), update.getShape(),
                         getWindowSizes(dims, input.getRank(), update.getShape()), WindowDirection::ToOperand);
  Scattering scattering{std::move(windows), indices, {}, {}};
  for (size_t i = 0; i < count; ++i) {
    Type element = resultType(op, i).getElementType();
    scattering.results.push_back(promote(std::exchange(call.operands[i], Tensor()), element));
    scattering.updates.push_back(promote(call.operands[count + 1 + i], element));
  }
  return scattering;
}

Status evaluateScatter(stablehlo::ScatterOp op, Call &call) {
  Scattering scattering = buildScattering(op, call);
  Region &region = op.getUpdateComputation();
  // Without updates there may be no place for them either.
  if (scattering.updates.front().size() > 0) {
    if (isOverwrite(region))
      overwrite(scattering);
    else if (std::optional<ScalarCombiner> combiner = recognizeCombiner(region))
      combine(scattering, *combiner);
    else if (Status error = applyRegion(scattering, ElementFunction(region, call)))
      return error;
  }
  llvm::append_range(call.results, std::move(scattering.results));
  return std::nullopt;
}

} // namespace partita::evaluate
