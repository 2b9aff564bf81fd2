//===- Work.cpp - estimates the work of an op -----------------------------===//

#include "partita/Evaluate/Work.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/Part/Part.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::stablehlo;

namespace partita::evaluate {

static constexpr int64_t workPerOp = 256, workPerValue = 16, workPerElement = 8;

static ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count = multiplySaturated(count, size);
  return count;
}

static int64_t countElements(Value value) { return countElements(getShape(value)); }

static int64_t countElements(ValueRange values) {
  int64_t count = 0;
  for (Value value : values)
    count = addSaturated(count, countElements(value));
  return count;
}

/// `count` elements, to each of which the region is applied.
static int64_t countRegion(int64_t count, Region &region) {
  int64_t ops = 0;
  region.walk([&](Operation *) { ++ops; });
  return multiplySaturated(count, workPerElement * ops);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static int64_t countProducts(Value lhs, ArrayRef<int64_t> contracted, Value result) {
  int64_t products = countElements(result);
  for (int64_t dim : contracted)
    products = multiplySaturated(products, getShape(lhs)[dim]);
  return products;
}

/// Each group takes its own part of a ragged dim that is contracted.
static int64_t countRaggedProducts(chlo::RaggedDotOp op) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> contracted = numbers.getLhsContractingDimensions();
  int64_t products = countProducts(op->getOperand(0), contracted, op->getResult(0));
  bool isSplit = llvm::is_contained(contracted, numbers.getLhsRaggedDimensions().front());
  int64_t groups = isSplit ? getShape(op->getOperand(2)).back() : 1;
  return groups > 1 ? products / groups : products;
}

/// Each output element sees the kernel of its feature.
static int64_t countProducts(ConvolutionOp op) {
  int64_t features = getShape(op.getRhs())[op.getDimensionNumbers().getKernelOutputFeatureDimension()];
  return features == 0 ? 0 : multiplySaturated(countElements(op.getResult()), countElements(op.getRhs()) / features);
}

/// The product of the sizes of all letters. A formula that does not fit is refused when it is run.
static int64_t countProducts(StringRef formula, ValueRange operands) {
  SmallVector<StringRef> parts;
  formula.split("->").first.split(parts, ',');
  llvm::SmallSet<char, 16> letters;
  int64_t products = 1;
  for (auto [part, operand] : llvm::zip(parts, operands))
    for (auto [letter, size] : llvm::zip(part, getShape(operand)))
      if (letters.insert(letter).second)
        products = multiplySaturated(products, size);
  return products;
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// A length is split by its prime factors, and each costs what it is.
static int64_t countFft(FftOp op) {
  int64_t terms = 0;
  for (int64_t length : op.getFftLength())
    for (int64_t factor = 2; length > 1; ++factor) {
      if (factor * factor > length)
        factor = length;
      for (; length % factor == 0; length /= factor)
        terms = addSaturated(terms, factor);
    }
  int64_t elements = std::max(countElements(op.getOperand()), countElements(op.getResult()));
  return multiplySaturated(multiplySaturated(elements, terms), workPerElement);
}

static int64_t countSort(SortOp op) {
  if (op->getNumOperands() == 0)
    return 0;
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  auto dim = static_cast<int64_t>(op.getDimension());
  int64_t size = shape[dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim];
  int64_t rounds = 1 + llvm::Log2_64_Ceil(std::max<int64_t>(size, 1));
  int64_t elements = countElements(op->getOperands());
  return addSaturated(multiplySaturated(elements, workPerElement),
                      countRegion(multiplySaturated(countElements(shape), rounds), op.getComparator()));
}

/// Work for elements and products, without the fixed cost of an op.
static int64_t countElementWork(Operation *op) {
  auto elements = [](int64_t count) { return multiplySaturated(count, workPerElement); };
  auto resultElements = [&](Operation *op) { return elements(countElements(op->getResults())); };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<DotGeneralOp>([](auto op) {
        return countProducts(op.getLhs(), op.getDotDimensionNumbers().getLhsContractingDimensions(), op.getResult());
      })
      .Case<DotOp>([](auto op) {
        int64_t last = static_cast<int64_t>(getShape(op.getLhs()).size()) - 1;
        return countProducts(op.getLhs(), last < 0 ? ArrayRef<int64_t>() : ArrayRef(last), op.getResult());
      })
      .Case<chlo::RaggedDotOp>(countRaggedProducts)
      .Case<ConvolutionOp>([](auto op) { return countProducts(op); })
      .Case<EinsumOp, UnaryEinsumOp>([](auto op) { return countProducts(op.getEinsumConfig(), op->getOperands()); })
      .Case<CholeskyOp>(
          [](auto op) { return multiplySaturated(countElements(op.getResult()), getShape(op.getResult()).back()); })
      .Case<TriangularSolveOp>(
          [](auto op) { return multiplySaturated(countElements(op.getResult()), getShape(op.getA()).back()); })
      .Case<FftOp>(countFft)
      .Case<SortOp>(countSort)
      .Case<chlo::TopKOp>([&](auto op) {
        int64_t k = std::max<int64_t>(op.getK(), 1);
        return elements(multiplySaturated(countElements(op->getOperands()), 1 + llvm::Log2_64_Ceil(k)));
      })
      .Case<ReduceOp>([](auto op) { return countRegion(countElements(op.getInputs()), op.getBody()); })
      .Case<ReduceWindowOp>([](auto op) {
        int64_t taps = multiplySaturated(countElements(op->getResults()), countElements(op.getWindowDimensions()));
        return countRegion(taps, op.getBody());
      })
      .Case<SelectAndScatterOp>([&](auto op) {
        ArrayRef<int64_t> window = op.getWindowDimensions().value_or(ArrayRef<int64_t>());
        int64_t taps = multiplySaturated(countElements(op.getSource()), countElements(window));
        return addSaturated(countRegion(taps, op.getSelect()),
                            countRegion(countElements(op.getSource()), op.getScatter()));
      })
      .Case<ScatterOp>([](auto op) { return countRegion(countElements(op.getUpdates()), op.getUpdateComputation()); })
      .Case<MapOp>([](auto op) { return countRegion(countElements(op->getOperands()), op.getComputation()); })
      // Ops that read a part of an operand, or edit one.
      .Case<DynamicUpdateSliceOp>([&](auto op) { return elements(countElements(op.getUpdate())); })
      .Case<SliceOp, DynamicSliceOp, GatherOp, TorchIndexSelectOp, part::SliceOp, IotaOp>(
          [&](auto op) { return resultElements(op); })
      // Ops that pass values on, or run other ops.
      .Case<ReshapeOp, OptimizationBarrierOp, ConstantOp, sdy::ConstantOp, chlo::ConstantOp, GetDimensionSizeOp,
            CustomCallOp, CreateTokenOp, AfterAllOp, WhileOp, IfOp, CaseOp, CompositeOp, AsyncStartOp, AsyncDoneOp,
            chlo::ScanOp, part::LoopOp>([](auto) { return 0; })
      .Default([&](Operation *op) -> int64_t {
        if (isa<sdy::SdyDialect>(op->getDialect()))
          return 0;
        return elements(std::max(countElements(op->getOperands()), countElements(op->getResults())));
      });
}

int64_t estimateWork(Operation *op) {
  int64_t values = op->getNumOperands() + op->getNumResults();
  return addSaturated(workPerOp + workPerValue * values, countElementWork(op));
}

} // namespace partita::evaluate
