//===- PieceLayout.cpp - which piece of a value a device holds ------------===//

#include "partita/Verify/Relation/PieceLayout.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::verify {

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

static bool isSame(const PieceDigit &a, const PieceDigit &b) {
  return a.stride == b.stride && a.size == b.size && a.shift == b.shift;
}

int64_t computeNumber(int64_t device, ArrayRef<PieceDigit> digits) {
  int64_t number = 0;
  for (const PieceDigit &digit : digits)
    number = number * digit.size + (device / digit.stride + digit.shift) % digit.size;
  return number;
}

int64_t countParts(ArrayRef<PieceDigit> digits) {
  int64_t parts = 1;
  for (const PieceDigit &digit : digits)
    parts *= digit.size;
  return parts;
}

Digits joinDigits(ArrayRef<PieceDigit> digits) {
  Digits joined;
  for (const PieceDigit &digit : digits) {
    if (digit.size == 1)
      continue;
    bool isNext = !joined.empty() && joined.back().stride == digit.stride * digit.size;
    if (isNext && joined.back().shift == 0 && digit.shift == 0)
      joined.back() = {digit.stride, joined.back().size * digit.size};
    else
      joined.push_back(digit);
  }
  return joined;
}

/// The `parts` major parts of `digit`, which is left with the rest.
static PieceDigit splitDigit(PieceDigit &digit, int64_t parts) {
  int64_t rest = digit.size / parts;
  PieceDigit major{digit.stride * rest, parts};
  digit.size = rest;
  return major;
}

std::optional<Digits> takeMajor(Digits &digits, int64_t parts) {
  Digits taken;
  while (parts > 1) {
    if (digits.empty())
      return std::nullopt;
    PieceDigit &next = digits.front();
    if (parts % next.size == 0) {
      taken.push_back(next);
      parts /= next.size;
      digits.erase(digits.begin());
    } else if (next.size % parts == 0 && next.shift == 0) {
      taken.push_back(splitDigit(next, parts));
      parts = 1;
    } else {
      return std::nullopt;
    }
  }
  return taken;
}

std::optional<Digits> unifyDigits(ArrayRef<PieceDigit> a, ArrayRef<PieceDigit> b) {
  if (countParts(a) != countParts(b))
    return std::nullopt;
  Digits left = joinDigits(a), right = joinDigits(b), result;
  while (!left.empty()) {
    int64_t parts = std::min(left.front().size, right.front().size);
    std::optional<Digits> first = takeMajor(left, parts), second = takeMajor(right, parts);
    if (!first || !second)
      return std::nullopt;
    PieceDigit one = first->front(), other = second->front();
    if (one.stride != 0 && other.stride != 0 && !isSame(one, other))
      return std::nullopt;
    result.push_back(one.stride == 0 ? other : one);
  }
  return joinDigits(result);
}

bool dropMinor(Digits &digits, ArrayRef<PieceDigit> suffix) {
  int64_t all = countParts(digits), last = countParts(suffix);
  if (all % last != 0)
    return false;
  Digits rest = digits;
  std::optional<Digits> kept = takeMajor(rest, all / last);
  if (!kept || !unifyDigits(rest, suffix))
    return false;
  digits = std::move(*kept);
  return true;
}

std::optional<PieceDigit> findCommon(const PieceDigit &a, const PieceDigit &b) {
  if (a.stride == 0 || b.stride == 0)
    return std::nullopt;
  int64_t begin = std::max(a.stride, b.stride), end = std::min(a.stride * a.size, b.stride * b.size);
  auto hasPart = [&](const PieceDigit &digit) {
    return begin % digit.stride == 0 && (digit.stride * digit.size) % end == 0;
  };
  if (begin >= end || end % begin != 0 || !hasPart(a) || !hasPart(b))
    return std::nullopt;
  return PieceDigit{begin, end / begin};
}

/// The same for digits in sets. A shifted one has no parts.
static std::optional<PieceDigit> intersect(const PieceDigit &a, const PieceDigit &b) {
  if (a.shift == 0 && b.shift == 0)
    return findCommon(a, b);
  return isSame(a, b) ? std::optional(a) : std::nullopt;
}

/// What is left of `whole` without its part `inner`: the major and the minor end.
static Digits subtract(const PieceDigit &whole, const PieceDigit &inner) {
  int64_t end = inner.stride * inner.size;
  return joinDigits({{end, whole.stride * whole.size / end}, {whole.stride, inner.stride / whole.stride}});
}

/// Removes `digit`, or a part of it, from a set. Gives what is still to be removed, or nothing if no part is there.
static std::optional<Digits> dropPart(Digits &digits, const PieceDigit &digit) {
  auto replace = [&](size_t position, const Digits &by) {
    Digits result(ArrayRef<PieceDigit>(digits).take_front(position));
    llvm::append_range(result, by);
    llvm::append_range(result, ArrayRef<PieceDigit>(digits).drop_front(position + 1));
    digits = joinDigits(result);
  };
  for (auto [position, other] : llvm::enumerate(Digits(digits))) {
    std::optional<PieceDigit> common = intersect(digit, other);
    if (!common)
      continue;
    replace(position, subtract(other, *common));
    return subtract(digit, *common);
  }
  for (auto [position, other] : llvm::enumerate(Digits(digits)))
    if (other.stride == 0 && other.size % digit.size == 0) {
      replace(position, {{0, other.size / digit.size}});
      return Digits();
    }
  return std::nullopt;
}

bool dropAll(Digits &digits, ArrayRef<PieceDigit> some) {
  Digits left = joinDigits(some);
  while (!left.empty()) {
    std::optional<Digits> rest = dropPart(digits, left.pop_back_val());
    if (!rest)
      return false;
    llvm::append_range(left, *rest);
  }
  return true;
}

/// Largest stride first.
static Digits sortDigits(Digits digits) {
  llvm::sort(digits, [](const PieceDigit &a, const PieceDigit &b) { return a.stride > b.stride; });
  return joinDigits(digits);
}

std::optional<Digits> unifySets(ArrayRef<PieceDigit> a, ArrayRef<PieceDigit> b) {
  if (countParts(a) != countParts(b))
    return std::nullopt;
  // The known digits of b must be in a; then a has as many parts left as b has unknown ones.
  Digits both(b), rest = joinDigits(a);
  llvm::erase_if(both, [](const PieceDigit &digit) { return digit.stride == 0; });
  if (!dropAll(rest, both))
    return std::nullopt;
  llvm::append_range(both, rest);
  return areDisjoint(both) ? std::optional(sortDigits(std::move(both))) : std::nullopt;
}

bool areDisjoint(ArrayRef<PieceDigit> digits) {
  Digits sorted(digits);
  llvm::erase_if(sorted, [](const PieceDigit &digit) { return digit.stride == 0 || digit.size == 1; });
  llvm::sort(sorted, [](const PieceDigit &a, const PieceDigit &b) { return a.stride > b.stride; });
  // For a number below 6, number / 3 and number % 2 are not independent, though 3 is above 2.
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1].stride % (sorted[i].stride * sorted[i].size) != 0)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {

/// Lists of independent digits, tried one after the other.
class DigitSearch {
public:
  DigitSearch(int64_t numDevices, int64_t parts, llvm::function_ref<bool(const Digits &)> fits) : fits(fits) {
    for (int64_t stride = 1; stride < numDevices; ++stride)
      for (int64_t size = 2; numDevices % stride == 0 && stride * size <= numDevices; ++size)
        if (numDevices / stride % size == 0 && parts % size == 0)
          candidates.push_back({stride, size});
  }

  /// Puts `count` more digits of `parts` parts in all before those that are there; true once a list fits.
  bool tryMajor(unsigned count, int64_t parts) {
    if (++numTried > maxTried)
      return false;
    if (count == 0)
      return parts == 1 && areDisjoint(digits) && fits(digits);
    for (const PieceDigit &digit : candidates) {
      if (parts % digit.size != 0)
        continue;
      digits.insert(digits.begin(), digit);
      if (tryMajor(count - 1, parts / digit.size))
        return true;
      digits.erase(digits.begin());
    }
    return false;
  }

  Digits digits;

private:
  static constexpr unsigned maxTried = 1 << 14;

  llvm::function_ref<bool(const Digits &)> fits;
  llvm::SmallVector<PieceDigit> candidates;
  unsigned numTried = 0;
};

} // namespace

std::optional<Digits> searchDigits(int64_t numDevices, int64_t parts, llvm::function_ref<bool(const Digits &)> fits) {
  constexpr unsigned maxDigits = 4;
  DigitSearch search(numDevices, parts, fits);
  for (unsigned count = 1; count <= maxDigits; ++count)
    if (search.tryMajor(count, parts))
      return search.digits;
  return std::nullopt;
}

bool PieceLayout::isSameAlong(ArrayRef<PieceDigit> others) const {
  Digits all = partial;
  llvm::append_range(all, others);
  for (const DimLayout &dim : dims)
    llvm::append_range(all, dim.digits);
  return areDisjoint(all);
}

bool PieceLayout::isConsistent() const {
  return areDisjoint(partial) && llvm::all_of(dims, [&](const DimLayout &dim) {
           Digits all = partial;
           llvm::append_range(all, dim.digits);
           return areDisjoint(all);
         });
}

bool PieceLayout::addPartial(ArrayRef<PieceDigit> digits, Combiner newCombiner) {
  if (digits.empty())
    return true;
  if (isPartial() && combiner != newCombiner)
    return false;
  combiner = newCombiner;
  llvm::append_range(partial, digits);
  partial = sortDigits(std::move(partial));
  return true;
}

static std::optional<DimLayout> unifyDims(const DimLayout &a, const DimLayout &b) {
  if (a.isUniform)
    return b;
  if (b.isUniform)
    return a;
  std::optional<Digits> digits = unifyDigits(a.digits, b.digits);
  return digits ? std::optional(DimLayout{false, std::move(*digits)}) : std::nullopt;
}

std::optional<PieceLayout> unifyLayouts(const PieceLayout &a, const PieceLayout &b) {
  if (a.dims.size() != b.dims.size())
    return std::nullopt;
  PieceLayout result;
  for (auto [left, right] : llvm::zip_equal(a.dims, b.dims)) {
    std::optional<DimLayout> dim = unifyDims(left, right);
    if (!dim)
      return std::nullopt;
    result.dims.push_back(std::move(*dim));
  }
  const PieceLayout &summed = a.isZero ? b : a;
  result.partial = summed.partial;
  result.combiner = summed.combiner;
  result.isZero = a.isZero && b.isZero;
  if (a.isZero || b.isZero)
    return summed.isPartial() && summed.combiner != Combiner::Add ? std::nullopt : std::optional(result);
  std::optional<Digits> partial = unifySets(a.partial, b.partial);
  if (!partial || (a.isPartial() && a.combiner != b.combiner))
    return std::nullopt;
  result.partial = std::move(*partial);
  return result.isConsistent() ? std::optional(result) : std::nullopt;
}

static void print(llvm::raw_ostream &out, ArrayRef<PieceDigit> digits) {
  out << "{";
  llvm::interleaveComma(digits, out, [&](const PieceDigit &digit) {
    out << (digit.stride == 0 ? "?" : std::to_string(digit.stride)) << ":" << digit.size;
    if (digit.shift != 0)
      out << "+" << digit.shift;
  });
  out << "}";
}

std::string printLayout(const PieceLayout &layout) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "[";
  llvm::interleaveComma(layout.dims, out, [&](const DimLayout &dim) {
    if (dim.isUniform)
      out << "_";
    else
      print(out, dim.digits);
  });
  out << "]";
  if (layout.isPartial()) {
    out << " partial(" << getName(layout.combiner) << ") ";
    print(out, layout.partial);
  }
  return text;
}

} // namespace partita::verify
