//===- StaticUpdates.cpp - updates at a known place are selections --------===//
//
// A stencil writes the inner rows of a field, and keeps its borders:
//
//   u.at[1:-1].set(v)      scatter of one window at 1: 14 rows into 16
//
// No number of devices divides 14 rows, and a device cannot have a part of a
// window. A pad and a selection say the same, and rows move:
//
//   %p = pad %v, low = 1, high = 1     14 rows -> 16
//   select 1 <= %i < 15, %p, %u        %i counts rows
//
// Scatters of one window at constant indices, which replace or add, and
// dynamic_update_slices at such are written so, if the window has more than half
// of the rows of each dim and is not made of a few equal blocks. Gathers and
// dynamic_slices of such a window, gradients of the former, are slices.
//
// Bodies of manual computations stay as they are: they are local programs.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace partita::stablehlo;

namespace partita::program::import {

namespace {

/// `update` takes the place of the elements of `target` from `starts` on, or is added to them.
struct StaticUpdate {
  Value target, update;
  SmallVector<int64_t> starts;
  bool isAdded = false;
};

} // namespace

/// The integers of a constant, or of constants that are broadcast and joined; nothing for other values.
static std::optional<SmallVector<int64_t>> readIntegers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  constexpr int64_t most = 8;
  if (!type || !type.hasStaticShape() || type.getRank() > 1 || type.getNumElements() > most ||
      !isa<IntegerType>(type.getElementType()) || type.getElementTypeBitWidth() == 1)
    return std::nullopt;
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    bool isUnsigned = type.getElementType().isUnsignedInteger();
    return llvm::map_to_vector(elements, [&](const APInt &each) {
      return isUnsigned ? static_cast<int64_t>(each.getLimitedValue(INT64_MAX)) : each.getSExtValue();
    });
  }
  SmallVector<int64_t> all;
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
    std::optional<SmallVector<int64_t>> known = readIntegers(broadcast.getOperand());
    if (known && known->size() == 1)
      return SmallVector<int64_t>(type.getNumElements(), known->front());
  } else if (auto joined = value.getDefiningOp<ConcatenateOp>()) {
    for (Value input : joined.getInputs()) {
      std::optional<SmallVector<int64_t>> known = readIntegers(input);
      if (!known)
        return std::nullopt;
      all.append(*known);
    }
    return all;
  }
  return std::nullopt;
}

/// Replaces what was there: the body gives its second argument.
static bool replaces(mlir::Region &body) {
  Block &block = body.front();
  return block.getOperations().size() == 1 && block.getTerminator()->getOperand(0) == block.getArgument(1);
}

static std::optional<StaticUpdate> findUpdate(ScatterOp op) {
  if (op.getInputs().size() != 1)
    return std::nullopt;
  StaticUpdate update{op.getInputs().front(), op.getUpdates().front(), {}};
  auto type = dyn_cast<RankedTensorType>(update.target.getType());
  auto own = dyn_cast<RankedTensorType>(update.update.getType());
  std::optional<SmallVector<int64_t>> indices = readIntegers(op.getScatterIndices());
  ScatterDimensionNumbersAttr dims = op.getScatterDimensionNumbers();
  update.isAdded = rules::findCombiner(op.getUpdateComputation()) == Combiner::Add;
  bool isOneWindow = type && own && indices && own.getRank() == type.getRank() &&
                     own.getElementType() == type.getElementType() &&
                     static_cast<int64_t>(dims.getUpdateWindowDims().size()) == type.getRank() &&
                     dims.getScatterDimsToOperandDims().size() == indices->size() && dims.getIndexVectorDim() == 0;
  if (!isOneWindow || (!update.isAdded && !replaces(op.getUpdateComputation())))
    return std::nullopt;
  update.starts.assign(type.getRank(), 0);
  for (auto [dim, index] : llvm::zip_equal(dims.getScatterDimsToOperandDims(), *indices))
    update.starts[dim] = index;
  return update;
}

static bool readStarts(ValueRange starts, StaticUpdate &update) {
  for (Value start : starts) {
    std::optional<SmallVector<int64_t>> known = readIntegers(start);
    if (!known)
      return false;
    update.starts.push_back(known->front());
  }
  return true;
}

static std::optional<StaticUpdate> findUpdate(DynamicUpdateSliceOp op) {
  StaticUpdate update{op.getOperand(), op.getUpdate(), {}};
  return readStarts(op.getStartIndices(), update) ? std::optional(update) : std::nullopt;
}

/// What is taken, as the update that would write it back.
static std::optional<StaticUpdate> findUpdate(DynamicSliceOp op) {
  StaticUpdate update{op.getOperand(), op.getResult(), {}};
  return readStarts(op.getStartIndices(), update) ? std::optional(update) : std::nullopt;
}

/// Whether the update lies in the target, has most of it, and is cut off at a place that few devices divide.
static bool isCutOff(const StaticUpdate &update) {
  auto type = dyn_cast<RankedTensorType>(update.target.getType());
  auto own = dyn_cast<RankedTensorType>(update.update.getType());
  if (!type || !own || !type.hasStaticShape() || !own.hasStaticShape() ||
      rules::isQuantizedElement(type.getElementType()))
    return false;
  constexpr int64_t mostBlocks = 4;
  bool isCut = false;
  for (auto [size, count, start] : llvm::zip_equal(type.getShape(), own.getShape(), update.starts)) {
    if (start < 0 || start > size - count || 2 * count <= size)
      return false;
    isCut |= size / std::gcd(std::gcd(size, count), start) > mostBlocks;
  }
  return isCut;
}

static std::optional<StaticUpdate> findUpdate(GatherOp op) {
  StaticUpdate update{op.getOperand(), op.getResult(), {}};
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  auto own = dyn_cast<RankedTensorType>(op.getType());
  std::optional<SmallVector<int64_t>> indices = readIntegers(op.getStartIndices());
  GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  if (!type || !own || !indices || own.getRank() != type.getRank() ||
      static_cast<int64_t>(dims.getOffsetDims().size()) != type.getRank() ||
      dims.getStartIndexMap().size() != indices->size() || dims.getIndexVectorDim() != 0)
    return std::nullopt;
  update.starts.assign(type.getRank(), 0);
  for (auto [dim, index] : llvm::zip_equal(dims.getStartIndexMap(), *indices))
    update.starts[dim] = index;
  return update;
}

static std::optional<StaticUpdate> findStaticUpdate(Operation *op) {
  std::optional<StaticUpdate> update;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    update = findUpdate(scatter);
  else if (auto slice = dyn_cast<DynamicUpdateSliceOp>(op))
    update = findUpdate(slice);
  else if (auto gather = dyn_cast<GatherOp>(op))
    update = findUpdate(gather);
  else if (auto taken = dyn_cast<DynamicSliceOp>(op))
    update = findUpdate(taken);
  return update && isCutOff(*update) ? update : std::nullopt;
}

bool isStaticUpdate(Operation *op) { return findStaticUpdate(op).has_value(); }

/// Whether rows of the dim are among those from `begin` to `end`.
static Value emitIsWithin(const rules::LocalArithmetic &emit, RankedTensorType type, int64_t dim, int64_t begin,
                          int64_t end) {
  auto counters = type.clone(emit.builder.getI64Type());
  Value rows = IotaOp::create(emit.builder, emit.loc, counters, dim);
  auto compare = [&](ComparisonDirection direction, int64_t bound) {
    Value bounds = emit.constant(DenseElementsAttr::get(counters, APInt(64, bound)));
    return emit.compare(direction, rows, bounds);
  };
  return emit.conjunction(compare(ComparisonDirection::GE, begin), compare(ComparisonDirection::LT, end));
}

static void write(Operation *op, const StaticUpdate &update) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(update.target.getType());
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), op->getLoc()); };
  rules::LocalArithmetic place{builder, named("place")}, mask{builder, named("mask")};
  SmallVector<int64_t> high, interior(type.getRank(), 0);
  Value isWritten;
  for (auto [dim, size, count, start] :
       llvm::enumerate(type.getShape(), rules::getShape(update.update), update.starts)) {
    high.push_back(size - start - count);
    if (size == count)
      continue;
    Value isWithin = emitIsWithin(mask, type, static_cast<int64_t>(dim), start, start + count);
    isWritten = isWritten ? mask.conjunction(isWritten, isWithin) : isWithin;
  }
  Value rows = PadOp::create(builder, place.loc, type, update.update, place.zero(type), update.starts, high, interior);
  if (update.isAdded)
    rows = AddOp::create(builder, place.loc, type, update.target, rows);
  auto made = SelectOp::create(builder, op->getLoc(), type, isWritten, rows, update.target);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
}

static void writeSlice(Operation *op, const StaticUpdate &taken) {
  OpBuilder builder(op);
  SmallVector<int64_t> limits, strides(taken.starts.size(), 1);
  for (auto [start, count] : llvm::zip_equal(taken.starts, rules::getShape(taken.update)))
    limits.push_back(start + count);
  auto made =
      SliceOp::create(builder, op->getLoc(), op->getResult(0).getType(), taken.target, taken.starts, limits, strides);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
}

void writeStaticUpdates(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    std::optional<StaticUpdate> update = findStaticUpdate(op);
    if (!update)
      return WalkResult::advance();
    isa<GatherOp, DynamicSliceOp>(op) ? writeSlice(op, *update) : write(op, *update);
    return WalkResult::skip();
  });
}

} // namespace partita::program::import
