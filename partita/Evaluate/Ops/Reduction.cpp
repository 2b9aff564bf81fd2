//===- Reduction.cpp - reduce, and registration of the family -------------===//
//
// Elements are combined in row-major order of the input, beginning with the
// initial value. In exact mode, where functions are hashes that know no laws, a
// body that is associative on real numbers is another one that is associative:
// a∘b = a + b - i, i being the initial value. So all elements count once, in any
// order, and the initial value never.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Ops/Reduction.h"

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Strided.h"
#include "partita/Evaluate/Scalars.h"
#include "partita/Program/Rules/NumericBodies.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::evaluate {

/// The type in which elements of `type` are accumulated by a combiner.
static Type getAccumulatorType(Type type) {
  bool isNarrowFloat = isa<FloatType>(type) && !type.isF64();
  return isNarrowFloat ? Float32Type::get(type.getContext()) : type;
}

Reducing::Reducing(Operation *op, Region &reducer, Call &call) : combiner(recognizeCombiner(reducer)) {
  size_t count = call.operands.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    RankedTensorType result = resultType(op, i);
    Type accumulated = result.getElementType(), taken = getElementTypeOrSelf(reducer.getArgument(count + i).getType());
    if (combiner)
      accumulated = taken = getAccumulatorType(accumulated);
    Tensor &accumulator = accumulators.emplace_back(result.clone(accumulated), call.mode);
    fill(accumulator, promote(call.operands[count + i], accumulated));
    inputs.push_back(promote(call.operands[i], taken));
  }
}

Status Reducing::reduceElement(ElementFunction &reducer, int64_t to, int64_t from) {
  SmallVector<Element, 4> arguments;
  for (const Tensor &accumulator : accumulators)
    arguments.push_back(loadElement(accumulator, to));
  for (const Tensor &input : inputs)
    arguments.push_back(loadElement(input, from));
  Result<ArrayRef<Element>> returned = reducer(arguments);
  if (!returned)
    return returned.error();
  for (auto [accumulator, element] : llvm::zip_equal(accumulators, *returned))
    storeElement(accumulator, to, element);
  return std::nullopt;
}

void Reducing::takeInputs() {
  for (auto [accumulator, input] : llvm::zip_equal(accumulators, inputs))
    accumulator = promote(input, accumulator.getElementType()).withType(accumulator.getType());
}

void Reducing::finish(Operation *op, Call &call) {
  for (auto [index, accumulator] : llvm::enumerate(accumulators)) {
    RankedTensorType type = resultType(op, index);
    if (accumulator.getKind() == StorageKind::Float && !type.getElementType().isF32()) {
      FloatRounder round(type.getElementType());
      for (float &element : accumulator.edit<float>())
        element = round(element);
    }
    call.results.push_back(accumulator.withType(type));
  }
}

/// Accumulators and inputs in one walk: along reduced dims the accumulator's stride is 0.
static BoxPair buildBoxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> reducedDims) {
  SmallVector<int64_t> toStrides(shape.size(), 0), keptShape, keptDims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!llvm::is_contained(reducedDims, static_cast<int64_t>(dim))) {
      keptDims.push_back(dim);
      keptShape.push_back(shape[dim]);
    }
  for (auto [dim, stride] : llvm::zip_equal(keptDims, computeStrides(keptShape)))
    toStrides[dim] = stride;
  return BoxPair(shape, toStrides, computeStrides(shape));
}

template <typename T, typename F> static void combineRun(T *out, const T *in, const BoxPair::Run &run, F combine) {
  out += run.to;
  in += run.from;
  if (run.toStride == 0) {
    T accumulator = *out;
    for (int64_t i = 0; i < run.size; ++i)
      accumulator = combine(accumulator, in[i * run.fromStride]);
    *out = accumulator;
    return;
  }
  for (int64_t i = 0; i < run.size; ++i)
    out[i * run.toStride] = combine(out[i * run.toStride], in[i * run.fromStride]);
}

static void reduceByCombiner(Reducing &reducing, const BoxPair &boxes) {
  Tensor &accumulator = reducing.getAccumulator();
  visitCombiner(*reducing.getCombiner(), accumulator.getElementType(), accumulator.getMode(),
                [&]<typename T>(T *, auto combine) {
                  T *out = accumulator.edit<T>().data();
                  const T *in = reducing.getInput().get<T>().data();
                  boxes.visitRuns(0, 0, [&](const BoxPair::Run &run) { combineRun(out, in, run, combine); });
                });
}

static Status reduceByRegion(Reducing &reducing, const BoxPair &boxes, ElementFunction reducer) {
  Status status;
  boxes.visitRuns(0, 0, [&](const BoxPair::Run &run) {
    for (int64_t i = 0; i < run.size && !status; ++i)
      status = reducing.reduceElement(reducer, run.to + i * run.toStride, run.from + i * run.fromStride);
  });
  return status;
}

/// Adds to each initial value what elements differ from it, so that an element that is the initial value adds nothing.
static void sumDifferences(Tensor &accumulator, const Tensor &input, const BoxPair &boxes) {
  ScalarCombiner sum = accumulator.getKind() == StorageKind::Bool ? ScalarCombiner::Xor : ScalarCombiner::Add;
  visitCombiner(sum, accumulator.getElementType(), accumulator.getMode(), [&]<typename T>(T *, auto combine) {
    if constexpr (std::is_integral_v<T>) {
      T *out = accumulator.edit<T>().data();
      const T *in = input.get<T>().data();
      T init = accumulator.size() == 0 ? T(0) : out[0];
      T inverse = sum == ScalarCombiner::Xor ? init : static_cast<T>(0 - static_cast<uint64_t>(init));
      boxes.visitRuns(0, 0, [&](const BoxPair::Run &run) {
        combineRun(out, in, run, [&](T a, T b) { return combine(a, combine(b, inverse)); });
      });
    }
  });
}

static Status evaluateReduce(stablehlo::ReduceOp op, Call &call) {
  Reducing reducing(op, op.getBody(), call);
  BoxPair boxes = buildBoxes(reducing.getInput().getShape(), op.getDimensions());
  if (reducing.getInput().size() == reducing.getAccumulator().size())
    reducing.takeInputs();
  else if (reducing.getCombiner())
    reduceByCombiner(reducing, boxes);
  else if (call.mode == Mode::Exact && rules::isSumInExactMode(op.getBody()))
    reducing.visit([&](Tensor &accumulator, const Tensor &input) { sumDifferences(accumulator, input, boxes); });
  else if (Status error = reduceByRegion(reducing, boxes, ElementFunction(op.getBody(), call)))
    return error;
  reducing.finish(op, call);
  return std::nullopt;
}

void registerReduction(OpTable &table) {
  table.add<stablehlo::ReduceOp, evaluateReduce>();
  table.add<stablehlo::ReduceWindowOp, evaluateReduceWindow>();
  table.add<chlo::ScanOp, evaluateScan>();
}

} // namespace partita::evaluate
