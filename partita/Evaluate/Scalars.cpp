//===- Scalars.cpp - reducer regions as combiners -------------------------===//

#include "partita/Evaluate/Scalars.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::evaluate {

Tensor getScalar(const Tensor &tensor, int64_t index) {
  Tensor scalar(RankedTensorType::get({}, tensor.getElementType()), tensor.getMode());
  visitKind(tensor.getKind(), [&]<typename T>(T *) { scalar.edit<T>()[0] = tensor.get<T>()[index]; });
  return scalar;
}

void setScalar(Tensor &tensor, int64_t index, const Tensor &scalar) {
  visitKind(tensor.getKind(), [&]<typename T>(T *) { tensor.edit<T>()[index] = scalar.get<T>()[0]; });
}

template <typename To, typename From> static Tensor widen(const Tensor &tensor, Tensor result) {
  llvm::copy(tensor.get<From>(), result.edit<To>().begin());
  return result;
}

Tensor promote(const Tensor &tensor, Type elementType) {
  if (tensor.getElementType() == elementType)
    return tensor;
  Tensor result(tensor.getType().clone(elementType), tensor.getMode());
  StorageKind from = tensor.getKind(), to = result.getKind();
  if (from == StorageKind::Float && to == StorageKind::Double)
    return widen<double, float>(tensor, std::move(result));
  if (from == StorageKind::Complex64 && to == StorageKind::Complex128)
    return widen<std::complex<double>, std::complex<float>>(tensor, std::move(result));
  if (from == StorageKind::Bool && to == StorageKind::Signed)
    return widen<int64_t, uint8_t>(tensor, std::move(result));
  if (from == StorageKind::Bool && to == StorageKind::Unsigned)
    return widen<uint64_t, uint8_t>(tensor, std::move(result));
  // Types with the same storage hold a narrow value unchanged.
  if (from == to)
    visitKind(from, [&]<typename T>(T *) { llvm::copy(tensor.get<T>(), result.edit<T>().begin()); });
  return result;
}

std::optional<ScalarCombiner> recognizeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ScalarCombiner>>(op)
      .Case([](stablehlo::AddOp) { return ScalarCombiner::Add; })
      .Case([](stablehlo::MulOp) { return ScalarCombiner::Multiply; })
      .Case([](stablehlo::MaxOp) { return ScalarCombiner::Maximum; })
      .Case([](stablehlo::MinOp) { return ScalarCombiner::Minimum; })
      .Case([](stablehlo::AndOp) { return ScalarCombiner::And; })
      .Case([](stablehlo::OrOp) { return ScalarCombiner::Or; })
      .Case([](stablehlo::XorOp) { return ScalarCombiner::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Complex numbers are only added and multiplied here. The RegionRunner runs what else the dialect allows.
static bool hasFunction(ScalarCombiner combiner, Type type) {
  return !isa<ComplexType>(type) || combiner == ScalarCombiner::Add || combiner == ScalarCombiner::Multiply;
}

std::optional<ScalarCombiner> recognizeCombiner(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return std::nullopt;
  Operation *op = &block.front(), *terminator = &block.back();
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != op->getResult(0))
    return std::nullopt;
  Value a = block.getArgument(0), b = block.getArgument(1);
  bool takesBoth =
      (op->getOperand(0) == a && op->getOperand(1) == b) || (op->getOperand(0) == b && op->getOperand(1) == a);
  std::optional<ScalarCombiner> combiner = recognizeOp(op);
  if (!takesBoth || !combiner || !hasFunction(*combiner, getElementTypeOrSelf(op->getResult(0).getType())))
    return std::nullopt;
  return combiner;
}

static Status combineByRegion(MutableArrayRef<Tensor> accumulators, ArrayRef<Tensor> elements, Region &reducer,
                              RegionRunner &regions) {
  for (int64_t index = 0; index < accumulators.front().size(); ++index) {
    SmallVector<Tensor> arguments;
    for (const Tensor &accumulator : accumulators)
      arguments.push_back(getScalar(accumulator, index));
    for (const Tensor &element : elements)
      arguments.push_back(getScalar(element, index));
    Result<SmallVector<Tensor>> returned = regions.run(reducer, arguments);
    if (!returned)
      return returned.error();
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, *returned))
      setScalar(accumulator, index, value);
  }
  return std::nullopt;
}

Status combineInto(MutableArrayRef<Tensor> accumulators, ArrayRef<Tensor> elements, Region &reducer,
                   RegionRunner &regions) {
  if (accumulators.empty())
    return std::nullopt;
  std::optional<ScalarCombiner> combiner = recognizeCombiner(reducer);
  if (!combiner)
    return combineByRegion(accumulators, elements, reducer, regions);
  Tensor &accumulator = accumulators.front();
  visitCombiner(*combiner, accumulator.getElementType(), accumulator.getMode(), [&]<typename T>(T *, auto combine) {
    MutableArrayRef<T> out = accumulator.edit<T>();
    ArrayRef<T> in = elements.front().get<T>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = combine(out[i], in[i]);
  });
  return std::nullopt;
}

} // namespace partita::evaluate
