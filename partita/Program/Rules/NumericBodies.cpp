//===- NumericBodies.cpp - bodies that compute, found to be associative ---===//

#include "partita/Program/Rules/NumericBodies.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/ScalarBody.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace partita::program::rules {

/// Points in general position at which each law is tried, and how many of them must show that it holds.
static constexpr size_t numGeneral = 100, minShown = 40;

/// So many elements of special numbers are tried, each with every kind of partial result before it.
static constexpr size_t maxSpecial = 100, numKinds = 3;

/// Up to so many elements make a partial result.
static constexpr uint64_t maxReduced = 3;

//===----------------------------------------------------------------------===//
// What elements are known to be
//===----------------------------------------------------------------------===//

/// The numbers that elements may be, if they are few; empty if they may be any.
using Domain = SmallVector<Number>;

static constexpr size_t maxDomain = 4;
static constexpr unsigned maxDomainDepth = 16;

static std::optional<Number> findConstant(Value value) {
  for (unsigned depth = 0; depth < maxDomainDepth; ++depth) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? readNumber(constant) : std::nullopt;
}

static Number makeFloat(double value) { return {Interval::exact(value), 0}; }

/// Adds what elements of `value` may be; false if they may be anything.
static bool addDomain(Value value, Domain &domain, unsigned depth = 0) {
  using namespace stablehlo;
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxDomainDepth || domain.size() > maxDomain)
    return false;
  if (std::optional<Number> constant = findConstant(value)) {
    domain.push_back(*constant);
    return true;
  }
  if (isa<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, DynamicSliceOp>(op))
    return addDomain(op->getOperand(0), domain, depth + 1);
  if (isa<SelectOp>(op))
    return addDomain(op->getOperand(1), domain, depth + 1) && addDomain(op->getOperand(2), domain, depth + 1);
  bool isOfBools = isa<ConvertOp>(op) && getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
  if (!isOfBools || !isa<FloatType>(getElementTypeOrSelf(value)))
    return false;
  domain.append({makeFloat(0), makeFloat(1)});
  return true;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

namespace {

/// What laws are tried on: elements, and what reductions of elements give.
struct Point {
  /// `first` may be the init value alone.
  Numbers first, partial, x, y;
};

/// Draws elements, the same ones for each body.
class PointSource {
public:
  PointSource(const ScalarBody &body, Numbers init, std::vector<Domain> domains)
      : body(body), init(std::move(init)), domains(std::move(domains)) {
    for (unsigned number = 0; number < body.getTypes().size(); ++number)
      specials.push_back(listSpecials(number));
  }

  size_t size() const { return numGeneral + numKinds * countSpecial(); }

  /// Points in general position come first.
  Point draw(size_t number) {
    if (number < numGeneral)
      return {drawPartial(false), drawPartial(false), drawElement(), drawElement()};
    size_t kind = (number - numGeneral) % numKinds;
    Numbers first = kind == 0 ? init : drawPartial(kind == 1);
    Numbers partial = drawPartial(pick(2) == 0), y = pick(2) == 0 ? drawSpecial(pick(maxSpecial)) : drawElement();
    return {std::move(first), std::move(partial), drawSpecial((number - numGeneral) / numKinds), std::move(y)};
  }

private:
  uint64_t pick(uint64_t count) { return generator() % count; }

  /// Of how many tuples of special numbers there are, up to the most that are tried.
  size_t countSpecial() const {
    size_t count = 1;
    for (const Domain &domain : specials)
      count = std::min(maxSpecial, count * domain.size());
    return count;
  }

  /// The special numbers that number `number` of an element may be.
  Domain listSpecials(unsigned number) const {
    if (!domains[number].empty())
      return domains[number];
    Type type = body.getTypes()[number];
    Domain found{init[number]};
    if (isa<IntegerType>(type)) {
      unsigned width = type.getIntOrFloatBitWidth();
      uint64_t least = uint64_t(1) << (width - 1);
      for (uint64_t bits : {uint64_t(0), uint64_t(1), ~uint64_t(0), least, least - 1})
        found.push_back(makeInteger(bits, width));
      for (const Number &constant : body.getConstants())
        found.append({makeInteger(constant.bits, width), makeInteger(constant.bits + 1, width)});
      return found;
    }
    double infinity = std::numeric_limits<double>::infinity();
    for (double value : {0.0, -0.0, 1.0, infinity, -infinity, std::nan("")})
      found.push_back(makeFloat(value));
    for (const Number &constant : body.getConstants())
      if (!constant.real.isUnknown)
        for (double shift : {0, 1, -1})
          found.push_back(makeFloat(constant.real.low + shift));
    return found;
  }

  static Number makeInteger(uint64_t bits, unsigned width) {
    return {Interval(), width == 64 ? bits : bits & ((uint64_t(1) << width) - 1)};
  }

  /// One after the other if they are few, else any.
  Numbers drawSpecial(size_t number) {
    Numbers element;
    bool isAny = countSpecial() == maxSpecial;
    for (const Domain &domain : specials) {
      element.push_back(domain[isAny ? pick(domain.size()) : number % domain.size()]);
      number /= domain.size();
    }
    return element;
  }

  Numbers drawPartial(bool isSpecial) {
    Numbers result = init;
    for (uint64_t count = 1 + pick(maxReduced); count > 0; --count)
      result = body.run(result, isSpecial && pick(2) == 0 ? drawSpecial(pick(maxSpecial)) : drawElement());
    return result;
  }

  Numbers drawElement() {
    Numbers element;
    for (auto [domain, type] : llvm::zip_equal(domains, body.getTypes())) {
      if (!domain.empty())
        element.push_back(domain[pick(domain.size())]);
      else if (auto integer = dyn_cast<IntegerType>(type))
        element.push_back(makeInteger(pick(2) == 0 ? generator() : pick(5) - 2, integer.getWidth()));
      else
        element.push_back(makeFloat(drawReal()));
    }
    return element;
  }

  /// A number with few digits, so that sums of some are exact, of any size between 2^-16 and 2^12.
  double drawReal() {
    double value = static_cast<double>(1 + pick(4095)) / 256;
    value = std::ldexp(value, pick(4) == 0 ? static_cast<int>(pick(17)) - 8 : 0);
    return pick(2) == 0 ? value : -value;
  }

  const ScalarBody &body;
  Numbers init;
  std::vector<Domain> domains, specials;
  std::mt19937_64 generator{1};
};

using Law = llvm::function_ref<std::pair<Numbers, Numbers>(const Point &point)>;

} // namespace

static bool isNumber(const Numbers &numbers) {
  return llvm::none_of(numbers, [](const Number &number) { return number.real.isNaN(); });
}

/// Whether both sides agree wherever that is clear, and it is clear often enough.
static bool holds(const ScalarBody &body, PointSource source, Law law) {
  size_t shown = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    auto [left, right] = law(source.draw(i));
    Agreement agreement = body.compareResults(left, right);
    if (agreement == Agreement::Different)
      return false;
    shown += i < numGeneral && agreement == Agreement::Same && isNumber(left) ? 1 : 0;
  }
  return shown >= minShown;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

bool isSumInExactMode(Region &region) {
  std::optional<ScalarBody> body = ScalarBody::make(region);
  if (!body || !body->leavesRing())
    return false;
  std::mt19937_64 generator{1};
  auto draw = [&] {
    Numbers element;
    for (Type type : body->getTypes()) {
      uint64_t number = 1 + generator() % 4095;
      element.push_back(isa<IntegerType>(type) ? Number{Interval(), number % 2} : makeFloat(double(number) / 256));
    }
    return element;
  };
  size_t shown = 0;
  for (size_t i = 0; i < minShown; ++i) {
    Numbers x = draw(), y = draw(), z = draw();
    Agreement grouped = body->compareResults(body->run(body->run(x, y), z), body->run(x, body->run(y, z)));
    Agreement swapped = body->compareResults(body->run(x, y), body->run(y, x));
    if (grouped == Agreement::Different || swapped == Agreement::Different)
      return false;
    shown += grouped == Agreement::Same && swapped == Agreement::Same ? 1 : 0;
  }
  return shown >= minShown / 2;
}

BodyLaws findBodyLaws(stablehlo::ReduceOp op) {
  std::optional<ScalarBody> found = ScalarBody::make(op.getBody());
  // What exact mode cannot compare is not split.
  if (!found || (found->leavesRing() && !isSumInExactMode(op.getBody())))
    return {};
  const ScalarBody &body = *found;
  Numbers init;
  std::vector<Domain> domains;
  for (auto [input, start] : llvm::zip_equal(op.getInputs(), op.getInitValues())) {
    std::optional<Number> number = findConstant(start);
    if (!number)
      return {};
    init.push_back(*number);
    Domain &domain = domains.emplace_back();
    if (!addDomain(input, domain))
      domain.clear();
  }
  PointSource source(body, init, domains);
  auto run = [&](const Numbers &a, const Numbers &b) { return body.run(a, b); };
  auto mayGroup = [&](const Point &p) {
    return std::pair(run(p.first, run(p.partial, p.x)), run(run(p.first, p.partial), p.x));
  };
  auto mayBegin = [&](const Point &p) { return std::pair(run(p.first, run(init, p.x)), run(p.first, p.x)); };
  auto addsNothing = [&](const Point &p) { return std::pair(run(p.first, init), p.first); };
  auto mayMove = [&](const Point &p) { return std::pair(run(run(p.first, p.x), p.y), run(run(p.first, p.y), p.x)); };
  if (!holds(body, source, mayGroup) || !holds(body, source, mayBegin))
    return {};
  return {.groups = true, .isNeutral = holds(body, source, addsNothing), .commutes = holds(body, source, mayMove)};
}

} // namespace partita::program::rules
