//===- CollectiveLayouts.cpp - how collectives change layouts -------------===//

#include "partita/Verify/Relation/CollectiveLayouts.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Rules/Combiners.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace partita::verify {

bool isCollective(Operation *op) {
  using namespace stablehlo;
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectivePermuteOp, ReduceScatterOp, CollectiveBroadcastOp>(op);
}

static Error refuse(Operation *op, const std::string &why, const PieceLayout &layout) {
  return Error::badInput(locationOf(op), "'" + op->getName().getStringRef().str() + "' " + why + "; its operand is " +
                                             printLayout(layout));
}

/// The largest number of ways to split the axes that are tried.
static constexpr size_t maxAtoms = 64;

/// Prime factors, ascending.
static SmallVector<int64_t> factorize(int64_t number) {
  SmallVector<int64_t> primes;
  for (int64_t prime = 2; number > 1; ++prime)
    for (; number % prime == 0; number /= prime)
      primes.push_back(prime);
  return primes;
}

CollectiveLayouts::CollectiveLayouts(ArrayRef<PieceDigit> allAxes)
    : axes(allAxes), numDevices(countParts(allAxes)), atoms(1) {
  for (const PieceDigit &axis : axes) {
    SmallVector<Digits> before = std::exchange(atoms, {});
    SmallVector<int64_t> primes = factorize(axis.size);
    do {
      for (const Digits &others : before) {
        Digits &all = atoms.emplace_back(others);
        int64_t stride = axis.stride;
        for (int64_t prime : primes) {
          all.push_back({stride, prime});
          stride *= prime;
        }
      }
    } while (atoms.size() < maxAtoms && std::next_permutation(primes.begin(), primes.end()));
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The digits that a list of device numbers, starting from 0, counts through; nothing if it is not such a count.
static std::optional<Digits> countThrough(ArrayRef<int64_t> list) {
  Digits digits;
  int64_t done = 1, count = list.size();
  while (done < count) {
    int64_t stride = list[done], size = 1;
    while (size * done < count && list[size * done] == size * stride)
      ++size;
    if (stride < 1 || count % (size * done) != 0)
      return std::nullopt;
    digits.insert(digits.begin(), {stride, size});
    done *= size;
  }
  return digits;
}

/// Whether the groups are all those that the digits make.
static bool areGroupsOf(ArrayRef<Group> groups, const Digits &digits, int64_t numDevices) {
  int64_t covered = 0;
  for (const Group &group : groups) {
    covered += group.size();
    if (static_cast<int64_t>(group.size()) != countParts(digits))
      return false;
    int64_t rest = group.front();
    for (auto [index, device] : llvm::enumerate(group)) {
      int64_t number = computeNumber(device, digits), others = device;
      for (const PieceDigit &digit : digits)
        others -= device / digit.stride % digit.size * digit.stride;
      if (number != static_cast<int64_t>(index) || others != rest)
        return false;
    }
  }
  return covered == numDevices;
}

Result<Digits> CollectiveLayouts::findGroupDigits(Operation *op, Attribute groupsAttr, GroupStrategy strategy) {
  std::pair<Attribute, unsigned> key(groupsAttr, static_cast<unsigned>(strategy));
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  Result<SmallVector<Group>> groups = computeGroups(op, groupsAttr, strategy, numDevices);
  if (!groups)
    return groups.error();
  const auto *first = llvm::find_if(*groups, [](const Group &group) { return group.front() == 0; });
  std::optional<Digits> digits;
  if (first != groups->end())
    digits = countThrough(*first);
  if (!digits || !areDisjoint(*digits) || !areGroupsOf(*groups, *digits, numDevices))
    return Error::badInput(locationOf(op), "the groups of '" + op->getName().getStringRef().str() +
                                               "' are not those of devices that differ along axes");
  return known[key] = joinDigits(*digits);
}

//===----------------------------------------------------------------------===//
// Digits that may be any
//===----------------------------------------------------------------------===//

/// Parts of one axis. Two devices that differ by one in such a part are `minor` apart along the axis.
static SmallVector<PieceDigit> listParts(const PieceDigit &axis) {
  SmallVector<PieceDigit> parts;
  for (int64_t size = axis.size; size > 1; --size)
    for (int64_t minor = 1; minor * size <= axis.size; ++minor)
      if (axis.size % (minor * size) == 0)
        parts.push_back({axis.stride * minor, size});
  return parts;
}

/// What may replace a digit of that size that may be any: a part of an axis, and the rest before or behind it if the
/// part is smaller.
static SmallVector<Digits> listFillings(int64_t size, ArrayRef<PieceDigit> axes) {
  SmallVector<Digits> fillings;
  for (const PieceDigit &axis : axes)
    for (const PieceDigit &part : listParts(axis))
      if (part.size == size)
        fillings.push_back({part});
      else if (size % part.size == 0)
        fillings.append({{part, {0, size / part.size}}, {{0, size / part.size}, part}});
  return fillings;
}

/// Limit of replacements that are tried. What none of them explains is refused, which is safe.
static constexpr size_t mostFillings = 2000;

/// Calls `fits` for the digits themselves, and with parts of axes in place of digits that may be any, until it holds.
static bool searchFilled(const Digits &digits, ArrayRef<PieceDigit> axes,
                         llvm::function_ref<bool(const Digits &)> fits) {
  SmallVector<Digits> filled{digits};
  for (size_t next = 0; next < filled.size(); ++next) {
    if (fits(filled[next]))
      return true;
    Digits some = filled[next];
    auto any = llvm::find_if(some, [](const PieceDigit &digit) { return digit.stride == 0; });
    if (any == some.end())
      continue;
    for (const Digits &filling : listFillings(any->size, axes)) {
      Digits other(some.begin(), any);
      llvm::append_range(other, filling);
      other.append(std::next(any), some.end());
      if (areDisjoint(other) && filled.size() < mostFillings)
        filled.push_back(std::move(other));
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static Status combine(Operation *op, mlir::Region &reducer, const Digits &digits, PieceLayout &layout,
                      const PieceLayout &before) {
  Combiner combiner = rules::findCombiner(reducer);
  // In wider integers a sum does not wrap where the original's does.
  if (getElementTypeOrSelf(op->getResult(0)) != getElementTypeOrSelf(op->getOperand(0)))
    return refuse(op, "combines in another type than the operand's", before);
  // Zeros of all devices combine to zeros. For products the sign of a zero is not certain.
  if (layout.isZero && combiner != Combiner::None && combiner != Combiner::Multiply)
    return std::nullopt;
  if (!dropAll(layout.partial, digits))
    return refuse(op, "combines what is not partial", before);
  if (combiner != before.combiner)
    return refuse(op, "combines with '" + getName(combiner).str() + "'", before);
  if (layout.partial.empty())
    layout.combiner = Combiner::None;
  // A digit that may be any does not split a dim.
  if (!layout.isSameAlong(digits))
    return refuse(op, "combines different pieces", before);
  return std::nullopt;
}

/// As `dropMinor`, with parts of axes in place of digits that may be any if need be.
static bool dropFilledMinor(Digits &digits, const Digits &suffix, ArrayRef<PieceDigit> axes) {
  return searchFilled(digits, axes, [&](const Digits &filled) {
    Digits rest = joinDigits(filled);
    if (!dropMinor(rest, suffix))
      return false;
    digits = std::move(rest);
    return true;
  });
}

static Status gather(Operation *op, int64_t dim, const Digits &digits, ArrayRef<PieceDigit> axes, PieceLayout &layout,
                     const PieceLayout &before) {
  if (!layout.dims[dim].isUniform && !dropFilledMinor(layout.dims[dim].digits, digits, axes))
    return refuse(op, "gathers what is not cut so", before);
  // Elements are equal on one device; other devices may have other values.
  if (!layout.isSameAlong(digits))
    return refuse(op, "gathers pieces that differ in more than their place", before);
  return std::nullopt;
}

/// The group size must match the types: dim `grown` gets longer, and dim `cut` shorter, by that factor.
static Status checkSizes(Operation *op, int64_t parts, std::optional<int64_t> grown, std::optional<int64_t> cut,
                         const PieceLayout &layout) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
  if (cut && shape[*cut] % parts != 0)
    return refuse(op, "cuts a dim into parts that do not divide it", layout);
  if (cut)
    shape[*cut] /= parts;
  if (grown)
    shape[*grown] *= parts;
  if (ArrayRef<int64_t>(shape) == cast<RankedTensorType>(op->getResult(0).getType()).getShape())
    return std::nullopt;
  return refuse(op, "has groups of " + std::to_string(parts) + ", which its types do not say", layout);
}

static void scatter(int64_t dim, const Digits &digits, PieceLayout &layout) {
  if (layout.dims[dim].isUniform)
    return;
  llvm::append_range(layout.dims[dim].digits, digits);
  layout.dims[dim].digits = joinDigits(layout.dims[dim].digits);
}

/// The number of a device's piece. Digits of stride 0 count as 0.
static int64_t computeKnownNumber(int64_t device, const Digits &digits) {
  int64_t number = 0;
  for (const PieceDigit &digit : digits)
    number = number * digit.size + (digit.stride == 0 ? 0 : (device / digit.stride + digit.shift) % digit.size);
  return number;
}

/// The digits of a device's own number that number the pieces it receives from a permute.
static std::optional<Digits> countSources(ArrayRef<int64_t> sources, const Digits &digits, const Digits &atoms) {
  int64_t first = computeKnownNumber(sources[0], digits), unit = 1;
  SmallVector<std::pair<int64_t, PieceDigit>> weighted;
  for (const PieceDigit &atom : atoms)
    if (int64_t weight = computeKnownNumber(sources[atom.stride], digits) - first)
      weighted.push_back({weight, atom});
  llvm::sort(weighted, [](const auto &a, const auto &b) { return a.first < b.first; });
  Digits result;
  auto put = [&](const PieceDigit &digit) {
    result.insert(result.begin(), digit);
    unit *= digit.size;
  };
  for (auto &[weight, digit] : weighted) {
    if (weight < unit || weight % unit != 0)
      return std::nullopt;
    put({0, weight / unit});
    put(digit);
  }
  put({0, countParts(digits) / unit});
  for (auto [device, source] : llvm::enumerate(sources))
    if (computeKnownNumber(source, digits) != computeKnownNumber(static_cast<int64_t>(device), result))
      return std::nullopt;
  return joinDigits(result);
}

static std::optional<Digits> findSourceDigits(ArrayRef<int64_t> sources, const Digits &digits, ArrayRef<Digits> atoms) {
  for (const Digits &some : atoms)
    if (std::optional<Digits> found = countSources(sources, digits, some))
      return found;
  return std::nullopt;
}

/// As `findSourceDigits`, for the digits themselves, or with parts of axes in place of digits that may be any.
static std::optional<Digits> findFilledDigits(ArrayRef<int64_t> sources, const Digits &digits, ArrayRef<Digits> atoms,
                                              ArrayRef<PieceDigit> axes) {
  std::optional<Digits> found;
  searchFilled(digits, axes, [&](const Digits &filled) {
    found = findSourceDigits(sources, filled, atoms);
    return found.has_value();
  });
  return found;
}

/// The device from which each one receives.
static Result<SmallVector<int64_t>> readSources(Operation *op, DenseIntElementsAttr pairs, int64_t numDevices,
                                                const PieceLayout &layout) {
  SmallVector<int64_t> ids, sources(numDevices, -1);
  for (const APInt &id : pairs)
    ids.push_back(id.getSExtValue());
  for (size_t i = 0; i + 1 < ids.size(); i += 2)
    if (ids[i] >= 0 && ids[i] < numDevices && ids[i + 1] >= 0 && ids[i + 1] < numDevices)
      sources[ids[i + 1]] = ids[i];
  if (llvm::is_contained(sources, -1))
    return refuse(op, "leaves a device without a value", layout);
  if (llvm::SmallDenseSet<int64_t>(sources.begin(), sources.end()).size() != sources.size())
    return refuse(op, "leaves out what a device has", layout);
  return sources;
}

Result<PieceLayout> CollectiveLayouts::applySources(Operation *op, ArrayRef<int64_t> sources,
                                                    const PieceLayout &layout) {
  PieceLayout after = layout;
  for (DimLayout &dim : after.dims) {
    std::optional<Digits> digits = findFilledDigits(sources, dim.digits, atoms, axes);
    if (!digits)
      return refuse(op, "mixes pieces", layout);
    dim.digits = std::move(*digits);
  }
  std::optional<Digits> partial = findSourceDigits(sources, layout.partial, atoms);
  if (!partial)
    return refuse(op, "mixes partial values", layout);
  llvm::sort(*partial, [](const PieceDigit &a, const PieceDigit &b) { return a.stride > b.stride; });
  after.partial = joinDigits(*partial);
  if (!after.isProper())
    return refuse(op, "mixes pieces and partial values", layout);
  return after;
}

Result<PieceLayout> CollectiveLayouts::applyPermute(Operation *op, DenseIntElementsAttr pairs,
                                                    const PieceLayout &layout) {
  Result<SmallVector<int64_t>> sources = readSources(op, pairs, numDevices, layout);
  if (!sources)
    return sources.error();
  Result<PieceLayout> after = applySources(op, *sources, layout);
  if (after)
    return after;
  for (const Rotation &rotation : findRotations(*sources))
    if (std::optional<PieceLayout> rotated = rotate(layout, rotation))
      return std::move(*rotated);
  return after;
}

Result<TermSum> CollectiveLayouts::apply(stablehlo::CollectivePermuteOp op, const TermSum &sum) {
  const PieceLayout &layout = sum.piece.layout;
  if (getGroupStrategy(op) != GroupStrategy::CrossPartition)
    return refuse(op, "has no channel: it is between replicas, not partitions", layout);
  Result<SmallVector<int64_t>> sources = readSources(op, op.getSourceTargetPairs(), numDevices, layout);
  if (!sources)
    return sources.error();
  for (const Rotation &rotation : findRotations(*sources))
    if (std::optional<TermSum> rotated = rotate(sum, rotation))
      return std::move(*rotated);
  return refuse(op, "mixes terms of a sum", layout);
}

Result<PieceLayout> CollectiveLayouts::apply(Operation *op, const PieceLayout &before) {
  if (op->getNumOperands() != 1)
    return refuse(op, "has several operands", before);
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    if (getGroupStrategy(permute) != GroupStrategy::CrossPartition)
      return refuse(op, "has no channel: it is between replicas, not partitions", before);
    return applyPermute(op, permute.getSourceTargetPairs(), before);
  }
  PieceLayout layout = before;
  Status error;
  auto withDigits = [&](auto typed, auto work) {
    Result<Digits> digits = findGroupDigits(op, typed.getReplicaGroups(), getGroupStrategy(typed));
    error = digits ? work(*digits) : Status(digits.error());
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](stablehlo::AllReduceOp typed) {
        withDigits(typed,
                   [&](const Digits &digits) { return combine(op, typed.getComputation(), digits, layout, before); });
      })
      .Case([&](stablehlo::ReduceScatterOp typed) {
        withDigits(typed, [&](const Digits &digits) {
          int64_t dim = typed.getScatterDimension();
          if (Status wrong = combine(op, typed.getComputation(), digits, layout, before))
            return wrong;
          scatter(dim, digits, layout);
          return checkSizes(op, countParts(digits), std::nullopt, dim, before);
        });
      })
      .Case([&](stablehlo::AllGatherOp typed) {
        withDigits(typed, [&](const Digits &digits) {
          int64_t dim = typed.getAllGatherDim();
          if (Status wrong = gather(op, dim, digits, axes, layout, before))
            return wrong;
          return checkSizes(op, countParts(digits), dim, std::nullopt, before);
        });
      })
      .Case([&](stablehlo::AllToAllOp typed) {
        withDigits(typed, [&](const Digits &digits) {
          int64_t from = typed.getConcatDimension(), to = typed.getSplitDimension();
          if (from == to)
            return Status(refuse(op, "exchanges parts of the dim that is cut", before));
          if (Status wrong = gather(op, from, digits, axes, layout, before))
            return wrong;
          scatter(to, digits, layout);
          return checkSizes(op, countParts(digits), from, to, before);
        });
      })
      .Default([&](Operation *) { error = refuse(op, "is not known here", before); });
  if (error)
    return std::move(*error);
  if (!layout.isProper())
    return refuse(op, "cuts along an axis for the second time", before);
  return layout;
}

Result<PieceLayout> CollectiveLayouts::apply(const ExchangeSteps &exchange, const PieceLayout &before) {
  // The last step puts its pieces outermost; the outermost dim cuts first.
  Digits gathered, scattered;
  std::map<int64_t, Digits> byDim;
  for (stablehlo::AllToAllOp step : llvm::reverse(exchange.steps)) {
    Result<Digits> digits = findGroupDigits(step, step.getReplicaGroups(), getGroupStrategy(step));
    if (!digits)
      return digits.error();
    if (countParts(*digits) !=
        cast<RankedTensorType>(step.getOperand(0).getType()).getDimSize(step.getSplitDimension()))
      return refuse(step, "is a step of an exchange that does not cut a dim of its own", before);
    llvm::append_range(gathered, *digits);
    byDim[static_cast<int64_t>(step.getSplitDimension())] = std::move(*digits);
  }
  for (const auto &[dim, digits] : byDim)
    llvm::append_range(scattered, digits);
  Operation *last = exchange.steps.back();
  if (!areDisjoint(gathered))
    return refuse(last, "exchanges along an axis for the second time", before);
  PieceLayout layout = before;
  if (Status wrong = gather(last, exchange.dim, joinDigits(gathered), axes, layout, before))
    return std::move(*wrong);
  scatter(exchange.toDim, joinDigits(scattered), layout);
  if (!layout.isProper())
    return refuse(last, "cuts along an axis for the second time", before);
  return layout;
}

Result<PieceLayout> applySlice(Operation *op, const PieceLayout &before, ArrayRef<IndexExpression> starts,
                               ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  PieceLayout layout = before;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    if (start.getConstant() == 0 && sizes[dim] == shape[dim])
      continue;
    std::optional<Digits> digits = start.findDigits(sizes[dim]);
    if (!digits || sizes[dim] == 0 || countParts(*digits) * sizes[dim] != shape[dim])
      return refuse(op, "does not take the device's piece of dim " + std::to_string(dim), before);
    scatter(dim, *digits, layout);
  }
  // Rows of what is cut along the same digit in another dim: not all pieces are there, but each device has one.
  if (!layout.isConsistent())
    return refuse(op, "cuts along an axis for the second time", before);
  return layout;
}

} // namespace partita::verify
