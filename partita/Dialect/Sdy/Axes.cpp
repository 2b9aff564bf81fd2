//===- Axes.cpp - arithmetic on axes and sub-axes -------------------------===//

#include "partita/Dialect/Sdy/Axes.h"

#include "partita/Support/Saturating.h"

#include <tuple>

using namespace mlir;

namespace partita::sdy {

int64_t computeTotalSize(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  int64_t size = 1;
  for (AxisRefAttr axis : axes)
    size = multiplySaturated(size, axis.getSize(mesh));
  return size;
}

namespace {

/// The digits [begin, end) of two sub-axes of one axis, sorted.
struct Bounds {
  int64_t firstBegin, secondBegin, firstEnd, secondEnd;

  Bounds(AxisRefAttr a, AxisRefAttr b) {
    std::tie(firstBegin, secondBegin) = std::minmax({a.getPreSize(), b.getPreSize()});
    std::tie(firstEnd, secondEnd) =
        std::minmax({a.getSubAxisInfo().getNextPreSize(), b.getSubAxisInfo().getNextPreSize()});
  }

  bool overlap() const { return firstEnd > secondBegin; }

  bool canCoexist() const {
    if (firstBegin <= 0 || firstEnd <= 0)
      return false;
    if (overlap())
      return firstEnd % secondBegin == 0 && secondBegin % firstBegin == 0 && secondEnd % firstEnd == 0;
    return secondBegin % firstEnd == 0;
  }
};

} // namespace

static bool areSubAxesOfOne(AxisRefAttr a, AxisRefAttr b) {
  return a.getName() == b.getName() && a.isSubAxis() && b.isSubAxis();
}

bool overlap(AxisRefAttr a, AxisRefAttr b) {
  if (!areSubAxesOfOne(a, b))
    return a.getName() == b.getName();
  SubAxisInfoAttr subA = a.getSubAxisInfo(), subB = b.getSubAxisInfo();
  return subA.getPreSize() < subB.getNextPreSize() && subB.getPreSize() < subA.getNextPreSize();
}

bool overlap(ArrayRef<AxisRefAttr> a, AxisRefAttr b) {
  return llvm::any_of(a, [&](AxisRefAttr axis) { return overlap(axis, b); });
}

bool contains(AxisRefAttr outer, AxisRefAttr inner) {
  if (!areSubAxesOfOne(outer, inner))
    return outer.getName() == inner.getName() && !outer.isSubAxis();
  SubAxisInfoAttr subOuter = outer.getSubAxisInfo(), subInner = inner.getSubAxisInfo();
  return subOuter.getPreSize() <= subInner.getPreSize() && subOuter.getNextPreSize() >= subInner.getNextPreSize();
}

bool isSuffix(AxisRefAttr suffix, AxisRefAttr whole, MeshAttr mesh) {
  return contains(whole, suffix) && suffix.getNextPreSize(mesh) == whole.getNextPreSize(mesh);
}

bool canCoexist(AxisRefAttr a, AxisRefAttr b) { return !areSubAxesOfOne(a, b) || Bounds(a, b).canCoexist(); }

bool canMerge(AxisRefAttr major, AxisRefAttr minor) {
  return areSubAxesOfOne(major, minor) &&
         major.getSubAxisInfo().getNextPreSize() == minor.getSubAxisInfo().getPreSize();
}

AxisRefAttr merge(AxisRefAttr major, AxisRefAttr minor, MeshAttr mesh) {
  assert(canMerge(major, minor));
  int64_t size = multiplySaturated(major.getSubAxisInfo().getSize(), minor.getSubAxisInfo().getSize());
  if (mesh.findAxisSize(major.getName()) == size)
    return AxisRefAttr::get(major.getContext(), major.getName());
  return AxisRefAttr::get(major.getContext(), major.getName(), major.getPreSize(), size);
}

AxisRefAttr getOverlap(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return {};
  if (!areSubAxesOfOne(a, b))
    return a.isSubAxis() ? a : b;
  Bounds bounds(a, b);
  if (!bounds.overlap() || !bounds.canCoexist())
    return {};
  return AxisRefAttr::get(a.getContext(), a.getName(), bounds.secondBegin, bounds.firstEnd / bounds.secondBegin);
}

/// The sub-axis [begin, end) of the axis of which `axis` is a part, null if it is empty.
static AxisRefAttr getDigits(AxisRefAttr axis, int64_t begin, int64_t end) {
  return 0 < begin && begin < end ? AxisRefAttr::get(axis.getContext(), axis.getName(), begin, end / begin)
                                  : AxisRefAttr();
}

AxisRefAttr getPrefixWithout(AxisRefAttr axis, AxisRefAttr other) {
  if (!canCoexist(axis, other))
    return {};
  if (!overlap(axis, other))
    return axis;
  return getDigits(axis, axis.getPreSize(), other.getPreSize());
}

AxisRefAttr getSuffixWithout(AxisRefAttr axis, AxisRefAttr other, MeshAttr mesh) {
  if (!canCoexist(axis, other))
    return {};
  if (!overlap(axis, other))
    return axis;
  return getDigits(axis, other.getNextPreSize(mesh), axis.getNextPreSize(mesh));
}

bool MeshOrder::operator()(AxisRefAttr a, AxisRefAttr b) const {
  if (a.getName() != b.getName())
    return std::pair(mesh.getAxisIndex(a.getName()), a.getName()) <
           std::pair(mesh.getAxisIndex(b.getName()), b.getName());
  // A full axis comes after its sub-axes of pre-size 1 and before the others.
  if (!a.isSubAxis())
    return b.getPreSize() > 1;
  if (!b.isSubAxis())
    return a.getPreSize() == 1;
  SubAxisInfoAttr subA = a.getSubAxisInfo(), subB = b.getSubAxisInfo();
  return std::pair(subA.getPreSize(), subA.getSize()) < std::pair(subB.getPreSize(), subB.getSize());
}

void appendOrMerge(SmallVectorImpl<AxisRefAttr> &axes, AxisRefAttr axis, MeshAttr mesh) {
  if (!axes.empty() && canMerge(axes.back(), axis))
    axes.back() = merge(axes.back(), axis, mesh);
  else
    axes.push_back(axis);
}

void sortAndMerge(SmallVectorImpl<AxisRefAttr> &axes, MeshAttr mesh) {
  llvm::sort(axes, MeshOrder{mesh});
  SmallVector<AxisRefAttr> merged;
  for (AxisRefAttr axis : axes)
    appendOrMerge(merged, axis, mesh);
  axes.assign(merged.begin(), merged.end());
}

std::string toString(ArrayRef<AxisRefAttr> axes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(axes, stream, [&](AxisRefAttr axis) {
    stream << '"' << axis.getName() << '"';
    if (SubAxisInfoAttr sub = axis.getSubAxisInfo())
      stream << ":(" << sub.getPreSize() << ')' << sub.getSize();
  });
  return text;
}

std::string toString(AxisRefAttr axis) { return toString(ArrayRef(axis)); }

} // namespace partita::sdy
