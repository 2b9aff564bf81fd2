//===- LoopSteps.cpp - values that a loop steps through -------------------===//
//
// Each op of the body that slices or updates raises two questions: which buffer
// does it access, and where? To find the buffer, the search walks back from the
// op's operand through updates, which give a newer state of the same buffer,
// and through inner loops. The position is the op's index, evaluated over all
// iterations.
//
// A write counts only if the body yields the updated buffer. An update of a
// copy does not count.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/LoopSteps.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::program {

namespace {

/// One access of a slice: for each dim of the buffer, its size and, if known, its start.
struct Access {
  Value buffer;
  SmallVector<int64_t> sizes;
  SmallVector<std::optional<Affine>> starts;
  bool isRead = false;
  bool isWrite = false;
};

class StepFinder {
public:
  StepFinder(stablehlo::WhileOp loop, AffineEvaluator &evaluator, Iterations iterations)
      : loop(loop), evaluator(evaluator), iterations(iterations) {}

  SmallVector<SteppedOperand> run();

private:
  Value findBuffer(Value value);
  Value findPreviousState(Value value);
  bool isUpdatedInPlace(stablehlo::WhileOp inner, unsigned index);
  void collectWrites();
  void collectWrites(Value yielded, Value argument);

  Access readSlice(stablehlo::DynamicSliceOp op);
  Access readUpdate(stablehlo::DynamicUpdateSliceOp op);
  std::optional<Access> readGather(stablehlo::GatherOp op);
  std::optional<Access> readScatter(stablehlo::ScatterOp op);
  std::optional<Access> readAccess(Operation *op);
  void record(const Access &access);
  void record(const SteppedOperand &stepped);

  stablehlo::WhileOp loop;
  AffineEvaluator &evaluator;
  Iterations iterations;
  /// Limit of backward steps over all buffers.
  unsigned stepsLeft = 1u << 20;
  /// Updates whose result reaches what the body yields for the buffer.
  llvm::DenseSet<Operation *> writes;
  SmallVector<SteppedOperand> found;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether the inner loop only updates the buffer that it receives as its `index`-th value.
bool StepFinder::isUpdatedInPlace(stablehlo::WhileOp inner, unsigned index) {
  Block &body = inner.getBody().front();
  Value value = body.getTerminator()->getOperand(index);
  while (value && value != body.getArgument(index))
    value = findPreviousState(value);
  return static_cast<bool>(value);
}

/// The buffer of `value` one op earlier, null if there is none.
Value StepFinder::findPreviousState(Value value) {
  if (stepsLeft == 0)
    return {};
  --stepsLeft;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  unsigned index = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, Value>(result.getOwner())
      .Case<stablehlo::DynamicUpdateSliceOp>([](auto op) { return op.getOperand(); })
      .Case<stablehlo::ScatterOp>([&](auto op) { return op.getInputs()[index]; })
      .Case<stablehlo::OptimizationBarrierOp>([&](auto op) { return op.getOperand()[index]; })
      .Case<sdy::ShardingConstraintOp>([](auto op) { return op.getInput(); })
      .Case<stablehlo::WhileOp>([&](stablehlo::WhileOp inner) {
        return isUpdatedInPlace(inner, index) ? inner.getOperand()[index] : Value();
      })
      .Default(Value());
}

/// The argument of the loop's body, or the value from outside, of which `value` is a state; null if there is none.
Value StepFinder::findBuffer(Value value) {
  while (value) {
    auto [owner, index] = findCarried(value);
    if (owner == loop)
      return value;
    if (value.getParentRegion()->isProperAncestor(&loop.getBody()))
      return findOrigin(value);
    if (owner)
      value = isUpdatedInPlace(owner, index) ? owner.getOperand()[index] : Value();
    else
      value = findPreviousState(value);
  }
  return {};
}

/// Notes the updates between `yielded` and `argument`, and those of loops between them.
void StepFinder::collectWrites(Value yielded, Value argument) {
  SmallVector<Operation *> passed;
  Value value = yielded;
  while (value && value != argument) {
    passed.push_back(value.getDefiningOp());
    if (auto inner = value.getDefiningOp<stablehlo::WhileOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      Block &body = inner.getBody().front();
      if (isUpdatedInPlace(inner, index))
        collectWrites(body.getTerminator()->getOperand(index), body.getArgument(index));
    }
    value = findPreviousState(value);
  }
  if (value)
    writes.insert(passed.begin(), passed.end());
}

void StepFinder::collectWrites() {
  Block &body = loop.getBody().front();
  for (auto [yielded, argument] : llvm::zip(body.getTerminator()->getOperands(), body.getArguments()))
    collectWrites(yielded, argument);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Access StepFinder::readSlice(stablehlo::DynamicSliceOp op) {
  Access access{op.getOperand(), SmallVector<int64_t>(op.getSliceSizes()), {}, /*isRead=*/true, /*isWrite=*/false};
  for (Value start : op.getStartIndices())
    access.starts.push_back(evaluator.evaluate(start));
  return access;
}

Access StepFinder::readUpdate(stablehlo::DynamicUpdateSliceOp op) {
  auto update = cast<RankedTensorType>(op.getUpdate().getType());
  Access access{op.getOperand(), SmallVector<int64_t>(update.getShape()), {}, /*isRead=*/false, /*isWrite=*/true};
  for (Value start : op.getStartIndices())
    access.starts.push_back(evaluator.evaluate(start));
  return access;
}

/// Starts per dim of a buffer from one vector of indices, which are those of the dims in `map`.
static bool placeStarts(ArrayRef<std::optional<Affine>> indices, ArrayRef<int64_t> map, Access &access) {
  access.starts.assign(access.sizes.size(), Affine{0, 0});
  if (indices.size() != map.size())
    return false;
  for (auto [index, dim] : llvm::zip(indices, map))
    access.starts[dim] = index;
  return true;
}

/// Gathers of one slice.
std::optional<Access> StepFinder::readGather(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  Access access{op.getOperand(), SmallVector<int64_t>(op.getSliceSizes()), {}, /*isRead=*/true, /*isWrite=*/false};
  if (!numbers.getOperandBatchingDims().empty() ||
      !placeStarts(evaluator.evaluateElements(op.getStartIndices()), numbers.getStartIndexMap(), access))
    return std::nullopt;
  return access;
}

/// Whether the update replaces the old element regardless of its value.
static bool isOverwrite(stablehlo::ScatterOp op) {
  Block &body = op.getUpdateComputation().front();
  size_t count = op.getInputs().size();
  return llvm::equal(body.getTerminator()->getOperands(), body.getArguments().drop_front(count));
}

/// Scatters of one slice into one buffer.
std::optional<Access> StepFinder::readScatter(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  if (op.getInputs().size() != 1 || !numbers.getInputBatchingDims().empty())
    return std::nullopt;
  Access access{op.getInputs()[0], {}, {}, !isOverwrite(op), /*isWrite=*/true};
  auto update = cast<RankedTensorType>(op.getUpdates()[0].getType());
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  int64_t rank = cast<RankedTensorType>(access.buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isInserted = llvm::is_contained(numbers.getInsertedWindowDims(), dim);
    if (!isInserted && windowDims.empty())
      return std::nullopt;
    access.sizes.push_back(isInserted ? 1 : update.getDimSize(windowDims.front()));
    windowDims = windowDims.drop_front(isInserted ? 0 : 1);
  }
  if (!placeStarts(evaluator.evaluateElements(op.getScatterIndices()), numbers.getScatterDimsToOperandDims(), access))
    return std::nullopt;
  return access;
}

std::optional<Access> StepFinder::readAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case<stablehlo::DynamicSliceOp>([&](auto slice) { return readSlice(slice); })
      .Case<stablehlo::DynamicUpdateSliceOp>([&](auto update) { return readUpdate(update); })
      .Case<stablehlo::GatherOp>([&](auto gather) { return readGather(gather); })
      .Case<stablehlo::ScatterOp>([&](auto scatter) { return readScatter(scatter); })
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//

/// The same slices may be read and written; that is one stepped operand.
void StepFinder::record(const SteppedOperand &stepped) {
  for (SteppedOperand &other : found)
    if (other.value == stepped.value && other.dim == stepped.dim && other.first == stepped.first &&
        other.stride == stepped.stride && other.sliceSize == stepped.sliceSize) {
      other.isRead |= stepped.isRead;
      other.isWritten |= stepped.isWritten;
      return;
    }
  found.push_back(stepped);
}

void StepFinder::record(const Access &access) {
  auto type = dyn_cast<RankedTensorType>(access.buffer.getType());
  bool isStepped = llvm::any_of(access.starts, [](auto start) { return start && !start->isConstant(); });
  if (!type || !type.hasStaticShape() || !isStepped)
    return;
  Value buffer = findBuffer(access.buffer);
  if (!buffer)
    return;
  std::optional<unsigned> carried;
  if (auto [owner, index] = findCarried(buffer); owner == loop)
    carried = index;
  for (auto [dim, size] : llvm::enumerate(access.sizes)) {
    std::optional<Affine> start = access.starts[dim];
    if (!start || start->isConstant())
      continue;
    // The op moves or drops slices that reach over the edge, so these would not be in step.
    std::optional<int64_t> first = start->at(0), last = start->at(iterations.last);
    if (!first || !last || std::min(*first, *last) < 0 || std::max(*first, *last) > type.getDimSize(dim) - size)
      continue;
    record(SteppedOperand{buffer, carried, static_cast<int64_t>(dim), start->base, start->slope, size, access.isRead,
                          access.isWrite});
  }
}

SmallVector<SteppedOperand> StepFinder::run() {
  collectWrites();
  loop.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<Access> access = readAccess(op);
    if (!access)
      return;
    access->isWrite &= writes.contains(op);
    if (access->isRead || access->isWrite)
      record(*access);
  });
  return std::move(found);
}

SmallVector<SteppedOperand> findSteppedOperands(stablehlo::WhileOp loop, AffineEvaluator &evaluator,
                                                Iterations iterations) {
  return StepFinder(loop, evaluator, iterations).run();
}

} // namespace partita::program
