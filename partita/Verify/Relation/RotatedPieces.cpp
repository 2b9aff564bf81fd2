//===- RotatedPieces.cpp - values made of pieces that devices pass on -----===//

#include "partita/Verify/Relation/RotatedPieces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::verify {

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// The device whose digit is larger by `shift`.
static int64_t turn(int64_t device, const PieceDigit &digit, int64_t shift) {
  int64_t number = device / digit.stride % digit.size;
  return device + ((number + shift) % digit.size - number) * digit.stride;
}

SmallVector<Rotation, 1> findRotations(ArrayRef<int64_t> sources) {
  auto numDevices = static_cast<int64_t>(sources.size());
  SmallVector<Rotation, 1> found;
  for (int64_t size = numDevices; size > 1; --size)
    for (int64_t stride = 1; numDevices % size == 0 && stride * size <= numDevices; ++stride) {
      if (numDevices % (stride * size) != 0 || sources[0] % stride != 0 || sources[0] / stride >= size)
        continue;
      Rotation rotation{{stride, size}, sources[0] / stride};
      auto isTurned = [&](const auto &each) {
        return each.value() == turn(static_cast<int64_t>(each.index()), rotation.digit, rotation.shift);
      };
      if (rotation.shift != 0 && llvm::all_of(llvm::enumerate(sources), isTurned))
        found.push_back(rotation);
    }
  return found;
}

static std::optional<Digits> rotate(const Digits &digits, const Rotation &rotation) {
  const PieceDigit &turned = rotation.digit;
  Digits result;
  for (const PieceDigit &digit : digits) {
    if (digit.stride == 0 || areDisjoint({digit, turned})) {
      result.push_back(digit);
      continue;
    }
    std::optional<PieceDigit> common = findCommon(digit, turned);
    bool isInside = common && common->stride == turned.stride && common->size == turned.size;
    if (!isInside || (digit.shift != 0 && digit.size != turned.size))
      return std::nullopt;
    int64_t end = turned.stride * turned.size;
    result.push_back({end, digit.stride * digit.size / end});
    result.push_back({turned.stride, turned.size, (digit.shift + rotation.shift) % turned.size});
    result.push_back({digit.stride, turned.stride / digit.stride});
  }
  return joinDigits(result);
}

static bool rotateDims(PieceLayout &layout, const Rotation &rotation) {
  for (DimLayout &dim : layout.dims) {
    std::optional<Digits> digits = rotate(dim.digits, rotation);
    if (!digits)
      return false;
    dim.digits = std::move(*digits);
  }
  return true;
}

std::optional<PieceLayout> rotate(const PieceLayout &layout, const Rotation &rotation) {
  PieceLayout rotated = layout;
  Digits withPartial = layout.partial;
  withPartial.push_back(rotation.digit);
  return areDisjoint(withPartial) && rotateDims(rotated, rotation) ? std::optional(rotated) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Equal terms are told apart by nothing.
static bool areEqualTerms(const TermSum &sum) { return sum.digit.stride == 0; }

std::optional<TermSum> rotate(const TermSum &sum, const Rotation &rotation) {
  if (areEqualTerms(sum)) {
    TermSum rotated = sum;
    std::optional<PieceLayout> layout = rotate(sum.piece.layout, rotation);
    if (layout)
      rotated.piece.layout = std::move(*layout);
    return layout ? std::optional(rotated) : std::nullopt;
  }
  if (rotation.digit.stride != sum.digit.stride || rotation.digit.size != sum.digit.size)
    return std::nullopt;
  std::optional<PieceLayout> layout = rotate(sum.piece.layout, rotation);
  if (!layout)
    return std::nullopt;
  TermSum rotated = sum;
  rotated.piece.layout = std::move(*layout);
  rotated.held.reset();
  for (unsigned term : sum.held.set_bits())
    rotated.held.set((term + rotation.shift) % rotation.digit.size);
  return rotated;
}

/// The digit that both a dim is cut and a sum is made along; nothing if there are several.
static std::optional<PieceDigit> findSharedDigit(const PieceLayout &layout) {
  std::optional<PieceDigit> shared;
  for (const DimLayout &dim : layout.dims)
    for (const PieceDigit &digit : dim.digits)
      for (const PieceDigit &summed : layout.partial) {
        if (areDisjoint({digit, summed}))
          continue;
        std::optional<PieceDigit> common = findCommon(digit, summed);
        if (!common || shared || (digit.shift != 0 && common->size != digit.size))
          return std::nullopt;
        shared = common;
      }
  return shared;
}

std::optional<TermSum> makeTermSum(const Relation &relation, const PieceDigit &digit) {
  if (relation.contracted.empty() || relation.layout.combiner != Combiner::Add)
    return std::nullopt;
  TermSum sum{relation, digit, relation.contracted, relation.contractedFactors, llvm::SmallBitVector(digit.size)};
  sum.held.set(0);
  PieceLayout &layout = sum.piece.layout;
  if (!dropAll(layout.partial, {digit}))
    return std::nullopt;
  if (layout.partial.empty())
    layout.combiner = Combiner::None;
  sum.piece.contracted.clear();
  return sum;
}

std::optional<TermSum> makeTermSum(const Relation &relation) {
  std::optional<PieceDigit> shared = findSharedDigit(relation.layout);
  std::optional<TermSum> sum = shared ? makeTermSum(relation, *shared) : std::nullopt;
  return sum && sum->piece.layout.isConsistent() ? sum : std::nullopt;
}

static bool isSame(const Digits &a, const Digits &b) {
  auto isSameDigit = [](const PieceDigit &left, const PieceDigit &right) {
    return left.stride == right.stride && left.size == right.size && left.shift == right.shift;
  };
  return a.size() == b.size() && llvm::all_of_zip(a, b, isSameDigit);
}

std::optional<TermSum> addTerms(const TermSum &a, const TermSum &b) {
  bool isOfOnePiece = a.piece.number == b.piece.number && isSame({a.digit}, {b.digit}) &&
                      isSame(a.contracted, b.contracted) && a.contractedFactors == b.contractedFactors &&
                      printLayout(a.piece.layout) == printLayout(b.piece.layout);
  if (!isOfOnePiece)
    return std::nullopt;
  TermSum sum = a;
  if (areEqualTerms(a)) {
    unsigned count = a.held.count() + b.held.count();
    if (count > a.held.size())
      return std::nullopt;
    sum.held.set(0, count);
    return sum;
  }
  if (a.held.anyCommon(b.held))
    return std::nullopt;
  sum.held |= b.held;
  return sum;
}

std::optional<Relation> completeSum(const TermSum &sum) {
  return sum.held.all() && sum.piece.layout.isProper() ? std::optional(sum.piece) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Gathered pieces
//===----------------------------------------------------------------------===//

namespace {

/// Concatenated pieces that differ in the shift of one digit, the last of dim `dim`.
struct PieceRow {
  ValueNumber number = 0;
  /// Without the digit.
  PieceLayout layout;
  std::optional<PieceDigit> digit;
  llvm::SmallVector<int64_t> shifts;
};

} // namespace

/// Takes the last `parts` parts of dim `dim` off. Nothing if these are no digit.
static std::optional<PieceDigit> takeLast(PieceLayout &layout, unsigned dim, int64_t parts) {
  Digits rest = layout.dims[dim].digits;
  int64_t all = countParts(rest);
  std::optional<Digits> kept = all % parts == 0 ? takeMajor(rest, all / parts) : std::nullopt;
  if (!kept || rest.size() != 1 || rest.front().stride == 0)
    return std::nullopt;
  layout.dims[dim].digits = joinDigits(*kept);
  return rest.front();
}

static std::optional<PieceRow> readRow(stablehlo::ConcatenateOp op, int64_t parts, const LocalFacts &facts) {
  auto dim = static_cast<unsigned>(op.getDimension());
  PieceRow row;
  for (Value operand : op->getOperands()) {
    const Relation *relation = facts.findRelation(operand);
    if (!relation || operand.getType() != op->getOperand(0).getType() || relation->layout.dims[dim].isUniform)
      return std::nullopt;
    PieceLayout layout = relation->layout;
    std::optional<PieceDigit> digit = takeLast(layout, dim, parts);
    if (!digit)
      return std::nullopt;
    row.shifts.push_back(std::exchange(digit->shift, 0));
    if (!row.digit) {
      row = {relation->number, std::move(layout), digit, std::move(row.shifts)};
      continue;
    }
    row.layout.isZero &= layout.isZero;
    if (relation->number != row.number || !isSame({*digit}, {*row.digit}) ||
        printLayout(layout) != printLayout(row.layout))
      return std::nullopt;
  }
  return row;
}

/// Whether the slice at `start`, in elements, has all pieces in order, on every device.
static bool isInOrder(const PieceRow &row, const IndexExpression &start, int64_t pieceSize) {
  int64_t parts = row.digit->size;
  for (int64_t device = 0; device < parts; ++device) {
    std::optional<int64_t> first = start.evaluate(*row.digit, device);
    if (!first || *first < 0 || *first % pieceSize != 0 ||
        *first / pieceSize + parts > static_cast<int64_t>(row.shifts.size()))
      return false;
    for (int64_t piece = 0; piece < parts; ++piece)
      if ((device + row.shifts[*first / pieceSize + piece]) % parts != piece)
        return false;
  }
  return true;
}

/// The relation of all pieces, which are alike: their rows are equal.
static std::optional<Relation> findUniform(stablehlo::ConcatenateOp op, const LocalFacts &facts) {
  const Relation *first = facts.findRelation(op->getOperand(0));
  auto isAlike = [&](Value operand) {
    const Relation *relation = facts.findRelation(operand);
    return relation && relation->number == first->number && printLayout(relation->layout) == printLayout(first->layout);
  };
  bool isUniform = first && first->layout.dims[op.getDimension()].isUniform && first->layout.isProper();
  return isUniform && llvm::all_of(op->getOperands(), isAlike) ? std::optional(*first) : std::nullopt;
}

std::optional<Relation> findGathered(stablehlo::DynamicSliceOp op, const LocalFacts &facts) {
  auto row = op.getOperand().getDefiningOp<stablehlo::ConcatenateOp>();
  if (!row)
    return std::nullopt;
  int64_t dim = static_cast<int64_t>(row.getDimension());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(row.getType()).getShape();
  for (auto [index, start] : llvm::enumerate(op.getStartIndices())) {
    const IndexExpression *known = facts.findIndex(start);
    bool isWhole = known && known->getConstant() == 0 && op.getSliceSizes()[index] == shape[index];
    if (!known || (static_cast<int64_t>(index) != dim && !isWhole))
      return std::nullopt;
  }
  int64_t pieceSize = cast<RankedTensorType>(row->getOperand(0).getType()).getDimSize(dim);
  int64_t size = op.getSliceSizes()[dim];
  if (pieceSize == 0 || size % pieceSize != 0 || size / pieceSize < 2)
    return std::nullopt;
  if (std::optional<Relation> uniform = findUniform(row, facts))
    return uniform;
  std::optional<PieceRow> pieces = readRow(row, size / pieceSize, facts);
  if (!pieces || !isInOrder(*pieces, *facts.findIndex(op.getStartIndices()[dim]), pieceSize) ||
      !pieces->layout.isProper())
    return std::nullopt;
  return Relation{pieces->number, std::move(pieces->layout)};
}

} // namespace partita::verify
