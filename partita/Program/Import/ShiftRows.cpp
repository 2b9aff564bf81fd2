//===- ShiftRows.cpp - rolls and borders become shifts of a whole dim -----===//
//
// Programs roll a dim, or put a border beside what they shift, by slices:
//
//   %a = slice %x [15:16]              16 rows -> 1
//   %b = slice %x [0:15]               16 rows -> 15
//   %r = concatenate %a, %b            -> 16 rows
//
// No number of devices divides 15 rows. A pad that cuts off as many rows as it
// adds keeps 16, and only rows at the ends of pieces move
// (Rules/ShapeRules.cpp):
//
//   %a = pad %x, low = -15, high = 15  row 15 comes first
//   %b = pad %x, low = 1, high = -1    rows 0 to 14 come behind it
//   %r = select %i < 1, %a, %b         %i counts rows
//
// So they are written:
//
//   concatenations  of rows of values that are as long as the result, and of
//                   single rows, if one of them gives more than half of the rows:
//                   rolls, mirrored and constant borders
//   pads            that take rows of values as long as the result: gradients of the
//                   former
//   slices          of what was made longer so: jnp.pad, and a stencil that reads
//                   back as many rows as there were
//
// A roll by nothing, for which JAX joins all rows and none, is what it rolls.
//
// Dims whose slices are some of at most four equal blocks (halves that change
// places, parts of a fused projection) stay: devices divide these.
//
// Bodies of manual computations stay as they are: they are local programs.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include <numeric>

using namespace mlir;
using namespace partita::stablehlo;

namespace partita::program::import {

namespace {

/// Rows from `begin` on, up to those of the next range: row i is row i + shift of `source`, which is as long as the
/// result, or its only row, or `source` itself if that is a scalar.
struct RowRange {
  int64_t begin;
  Value source;
  int64_t shift = 0;

  bool isScalar() const { return rules::getShape(source).empty(); }
};

struct JoinedRows {
  unsigned dim = 0;
  /// What comes in where a range's rows are shifted; zeros if it is null.
  Value fill;
  SmallVector<RowRange, 4> ranges;
};

/// Elements of a value from `starts` on, so many along each dim.
struct RowBlock {
  Value value;
  SmallVector<int64_t> starts, sizes;
};

/// Follows what slices, pads and concatenations make, row by row, back to where it comes from.
class RowTracer {
public:
  explicit RowTracer(RankedTensorType type) : type(type) {}

  /// Adds the rows of a result of `op`. False if some are no rows of a value as long as the result, no single rows and
  /// no scalars.
  bool traceOp(Operation *op, RowBlock block, int64_t begin);
  JoinedRows finish();
  /// Of the ranges whose rows are not one row of its own. Around a row of a stack a scalar does not count: what pads
  /// the gradient of one layer's weights stays a pad.
  int64_t countMost() const;
  /// Whether the ranges begin and end with a few equal blocks of the dim.
  bool isOfBlocks() const;

  RankedTensorType type;
  std::optional<unsigned> dim;
  SmallVector<RowRange, 4> ranges;

private:
  void add(const RowRange &range);
  bool trace(RowBlock block, int64_t begin);
  /// All cuts are along one dim.
  bool cutAlong(unsigned along) { return dim.value_or(along) == along && (dim = along); }
  bool tracePad(PadOp pad, const RowBlock &block, int64_t begin);
  bool traceConcatenate(ConcatenateOp op, const RowBlock &block, int64_t begin);

  size_t numOps = 0;
};

} // namespace

/// Each range is a value of the result's size.
static constexpr size_t mostRanges = 4;
static constexpr int64_t mostBlocks = 4;
/// Ops that are followed.
static constexpr size_t mostOps = 64;

static RankedTensorType getStaticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && !rules::isQuantizedElement(type.getElementType()) ? type : RankedTensorType();
}

static bool isZero(int64_t number) { return number == 0; }

/// Ranges that continue the one before are a part of it.
void RowTracer::add(const RowRange &range) {
  const RowRange *last = ranges.empty() ? nullptr : &ranges.back();
  if (!last || last->source != range.source || last->shift != range.shift)
    ranges.push_back(range);
}

bool RowTracer::tracePad(PadOp pad, const RowBlock &block, int64_t begin) {
  if (!llvm::all_of(pad.getInteriorPadding(), isZero))
    return false;
  RowBlock moved = block;
  std::optional<unsigned> crossed;
  for (auto [along, size] : llvm::enumerate(rules::getShape(pad.getOperand()))) {
    int64_t &start = moved.starts[along];
    start -= pad.getEdgePaddingLow()[along];
    if (start >= size || start + moved.sizes[along] <= 0) {
      add({begin, pad.getPaddingValue()});
      return true;
    }
    bool isInside = start >= 0 && start + moved.sizes[along] <= size;
    if (!isInside && std::exchange(crossed, along))
      return false;
  }
  moved.value = pad.getOperand();
  if (!crossed)
    return trace(std::move(moved), begin);
  unsigned along = *crossed;
  if (!cutAlong(along))
    return false;
  int64_t start = moved.starts[along], end = start + moved.sizes[along];
  int64_t from = std::max<int64_t>(start, 0), to = std::min(end, rules::getShape(moved.value)[along]);
  moved.starts[along] = from;
  moved.sizes[along] = to - from;
  if (start < from)
    add({begin, pad.getPaddingValue()});
  if (!trace(std::move(moved), begin + from - start))
    return false;
  if (to < end)
    add({begin + to - start, pad.getPaddingValue()});
  return true;
}

bool RowTracer::traceConcatenate(ConcatenateOp op, const RowBlock &block, int64_t begin) {
  auto along = static_cast<unsigned>(op.getDimension());
  int64_t offset = 0, start = block.starts[along], end = start + block.sizes[along];
  for (Value input : op.getInputs()) {
    int64_t size = rules::getShape(input)[along], from = std::max(start, offset), to = std::min(end, offset + size);
    if (from < to) {
      RowBlock part = block;
      part.value = input;
      part.starts[along] = from - offset;
      part.sizes[along] = to - from;
      bool isCut = to - from < end - start;
      if ((isCut && !cutAlong(along)) || ranges.size() > 2 * mostRanges ||
          !trace(std::move(part), begin + from - start))
        return false;
    }
    offset += size;
  }
  return true;
}

/// What an op gives that does nothing to its operand: a reversal of single rows, or a repetition of them, once. JAX
/// writes borders so.
static Value findSame(Operation *op) {
  if (auto reverse = dyn_cast_or_null<ReverseOp>(op)) {
    ArrayRef<int64_t> shape = rules::getShape(reverse.getOperand());
    bool isSame = llvm::all_of(reverse.getDimensions(), [&](int64_t dim) { return shape[dim] == 1; });
    return isSame ? reverse.getOperand() : Value();
  }
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastInDimOp>() : BroadcastInDimOp();
  bool isSame = broadcast && broadcast.getOperand().getType() == reshape.getType() &&
                getStaticType(broadcast.getResult()) && llvm::is_sorted(broadcast.getBroadcastDimensions()) &&
                cast<RankedTensorType>(reshape.getType()).getNumElements() ==
                    cast<RankedTensorType>(broadcast.getType()).getNumElements();
  return isSame ? broadcast.getOperand() : Value();
}

bool RowTracer::traceOp(Operation *op, RowBlock block, int64_t begin) {
  if (++numOps > mostOps)
    return false;
  if (auto pad = dyn_cast_or_null<PadOp>(op))
    return tracePad(pad, block, begin);
  if (auto concatenation = dyn_cast_or_null<ConcatenateOp>(op))
    return traceConcatenate(concatenation, block, begin);
  if (Value same = findSame(op)) {
    block.value = same;
    return trace(std::move(block), begin);
  }
  auto slice = dyn_cast_or_null<SliceOp>(op);
  if (!slice || llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
    return false;
  for (auto [start, cut] : llvm::zip_equal(block.starts, slice.getStartIndices()))
    start += cut;
  block.value = slice.getOperand();
  return trace(std::move(block), begin);
}

bool RowTracer::trace(RowBlock block, int64_t begin) {
  RankedTensorType own = getStaticType(block.value);
  if (!own || own.getRank() != type.getRank())
    return false;
  bool isSingle = dim && own.getDimSize(*dim) == 1 && type.getDimSize(*dim) > 1, isRow = isSingle || own == type;
  for (auto [along, start] : llvm::enumerate(block.starts))
    isRow &= dim == along || (start == 0 && own.getDimSize(along) == type.getDimSize(along));
  if (own == type && isRow) {
    add({begin, block.value, dim ? block.starts[*dim] - begin : 0});
    return true;
  }
  size_t known = ranges.size();
  if (traceOp(block.value.getDefiningOp(), block, begin))
    return true;
  ranges.truncate(known);
  if (isSingle && isRow)
    add({begin, block.value});
  return isSingle && isRow;
}

/// A scalar beside the first or the last row of a value is what comes in where that is shifted.
JoinedRows RowTracer::finish() {
  JoinedRows joined{dim.value_or(0), {}, std::move(ranges)};
  SmallVectorImpl<RowRange> &list = joined.ranges;
  if (list.size() > 1 && list[0].isScalar() && list[1].begin + list[1].shift == 0 && !list[1].isScalar()) {
    joined.fill = list[0].source;
    list.erase(list.begin());
    list.front().begin = 0;
  }
  const RowRange *last = list.size() > 1 ? &list[list.size() - 2] : nullptr;
  bool isEnd = last && !last->isScalar() && list.back().isScalar() &&
               list.back().begin + last->shift == type.getDimSize(joined.dim) &&
               (!joined.fill || joined.fill == list.back().source);
  if (isEnd) {
    joined.fill = list.back().source;
    list.pop_back();
  }
  return joined;
}

int64_t RowTracer::countMost() const {
  int64_t most = 0, end = type.getDimSize(dim.value_or(0));
  // Rows of fields are slices; those of stacks get their dim by a reshape.
  bool isOfStack = llvm::any_of(ranges, [](const RowRange &range) {
    return !range.isScalar() && isa_and_nonnull<ReshapeOp, BroadcastInDimOp>(range.source.getDefiningOp());
  });
  for (const RowRange &range : llvm::reverse(ranges)) {
    if (range.source.getType() == type || (range.isScalar() && !isOfStack))
      most = std::max(most, end - range.begin);
    end = range.begin;
  }
  return most;
}

bool RowTracer::isOfBlocks() const {
  int64_t size = type.getDimSize(dim.value_or(0)), block = size;
  for (const RowRange &range : ranges)
    block = std::gcd(std::gcd(block, range.begin), range.shift);
  return size / block <= mostBlocks;
}

/// Whether all that the slice cuts off are some of a few equal blocks.
static bool takesBlocks(SliceOp slice) {
  ArrayRef<int64_t> whole = rules::getShape(slice.getOperand()), kept = rules::getShape(slice.getResult());
  return llvm::all_of(llvm::zip_equal(whole, kept, slice.getStartIndices()), [](auto dim) {
    auto [size, count, start] = dim;
    int64_t block = std::gcd(std::gcd(size, count), start);
    return size == count || (block > 0 && size / block <= mostBlocks);
  });
}

static std::optional<JoinedRows> findJoinedRows(Operation *op) {
  auto slice = dyn_cast<SliceOp>(op);
  auto pad = dyn_cast<PadOp>(op);
  if (!isa<ConcatenateOp>(op) && !slice && !pad)
    return std::nullopt;
  RankedTensorType type = getStaticType(op->getResult(0));
  // A shift already.
  bool isShift = pad && pad.getOperand().getType() == pad.getType();
  if (!type || type.getNumElements() == 0 || isShift || (slice && takesBlocks(slice)))
    return std::nullopt;
  RowTracer tracer(type);
  SmallVector<int64_t> starts(type.getRank(), 0);
  if (!tracer.traceOp(op, {op->getResult(0), starts, llvm::to_vector(type.getShape())}, 0))
    return std::nullopt;
  int64_t most = tracer.countMost();
  bool isCopy = tracer.ranges.size() == 1, isOfBlocks = tracer.isOfBlocks();
  JoinedRows joined = tracer.finish();
  bool isFew =
      joined.ranges.size() == 1 || (joined.ranges.size() <= mostRanges && 2 * most > type.getDimSize(joined.dim));
  return isCopy || (isFew && !isOfBlocks) ? std::optional(std::move(joined)) : std::nullopt;
}

bool isJoinOfRows(Operation *op) { return findJoinedRows(op).has_value(); }

namespace {

class ShiftWriter {
public:
  ShiftWriter(Operation *op, const JoinedRows &joined)
      : op(op), joined(joined), type(cast<RankedTensorType>(op->getResult(0).getType())), builder(op) {}

  void run();

private:
  Location getNamed(StringRef name) { return NameLoc::get(builder.getStringAttr(name), op->getLoc()); }
  Value emitRange(const RowRange &range);
  /// For each element of the result, whether it stands before row `end`.
  Value emitIsBefore(int64_t end);

  Operation *op;
  const JoinedRows &joined;
  RankedTensorType type;
  OpBuilder builder;
};

} // namespace

Value ShiftWriter::emitRange(const RowRange &range) {
  rules::LocalArithmetic emit{builder, getNamed("shift")};
  ArrayRef<int64_t> shape = rules::getShape(range.source);
  if (shape != type.getShape())
    return emit.broadcast(range.source, type.getShape(), llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
  if (range.shift == 0)
    return range.source;
  SmallVector<int64_t> low(type.getRank(), 0), high(low), interior(low);
  low[joined.dim] = -range.shift;
  high[joined.dim] = range.shift;
  Value fill = joined.fill ? joined.fill : emit.zero(type);
  return PadOp::create(builder, emit.loc, type, range.source, fill, low, high, interior);
}

Value ShiftWriter::emitIsBefore(int64_t end) {
  rules::LocalArithmetic emit{builder, getNamed("mask")};
  bool isShort = type.getDimSize(joined.dim) <= INT32_MAX;
  auto counters = RankedTensorType::get(type.getShape(), isShort ? builder.getI32Type() : builder.getI64Type());
  Value rows = IotaOp::create(builder, emit.loc, counters, joined.dim);
  Attribute bound = builder.getIntegerAttr(counters.getElementType(), end);
  return emit.compare(ComparisonDirection::LT, rows, emit.constant(DenseElementsAttr::get(counters, bound)));
}

void ShiftWriter::run() {
  Value made;
  for (const RowRange &range : joined.ranges) {
    Value rows = emitRange(range);
    made = made ? SelectOp::create(builder, op->getLoc(), type, emitIsBefore(range.begin), made, rows) : rows;
  }
  // The last op stands for what was there.
  if (Operation *last = made.getDefiningOp(); made != joined.ranges.back().source && last) {
    last->setLoc(op->getLoc());
    last->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  }
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
}

void shiftRows(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    std::optional<JoinedRows> joined = findJoinedRows(op);
    if (!joined)
      return WalkResult::advance();
    ShiftWriter(op, *joined).run();
    return WalkResult::skip();
  });
}

} // namespace partita::program::import
