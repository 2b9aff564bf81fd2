//===- Gradients.cpp - loops that stack gradients or add them up ----------===//
//
// Loops over layers and over microbatches, in which products over rows give
// gradients. These are stacked, added to sums, or to slices of stacks, behind a
// few linear ops. Now and then something else takes a sum, so that nothing may be
// reduced later.
//
//===----------------------------------------------------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Loops.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

enum class Sink { Stack, Sum, SliceOfStack };

/// A gradient, drawn before its loop is written.
struct DrawnGradient {
  /// Of [rows, columns] values; a gradient without a second one is a sum over rows.
  int64_t left = 1, right = 0;
  bool isNegated = false, isTransposed = false, isReshaped = false;
  Type element;
  Sink sink = Sink::Stack;
  int64_t dim = 0;
  bool isBackwards = false, startsWithZeros = true, isFirstOperand = true, isTwice = false, isUsed = false;
  /// Of what the loop carries.
  RankedTensorType type;
};

/// One loop, perhaps with another in its body.
class GradientLoop {
public:
  GradientLoop(ProgramWriter &writer, Type element, bool mayNest);

  /// What it carries for its gradients, and for those of the inner loop.
  SmallVector<RankedTensorType> getTypes() const;
  Value drawFirst(size_t number) const;
  /// Gives the last of these.
  Values emit(const Values &first) const;

private:
  DrawnGradient drawGradient() const;
  Value drawRows(ValueRange states, int64_t columns) const;
  Value emitTerm(const DrawnGradient &drawn, ValueRange states) const;
  Value addTerm(const DrawnGradient &drawn, Value carried, Value counter, ValueRange states) const;
  Value emitState(Value state) const;
  Values emitInner(ValueRange carried) const;
  Values emitBody(Value counter, ValueRange carried) const;

  ProgramWriter &writer;
  RandomChoice &random;
  Type element;
  int64_t trips, numRows, width;
  std::vector<DrawnGradient> gradients;
  std::shared_ptr<GradientLoop> inner;
  /// Which of the inner gradients go on from what the outer loop carries; the others are added to that.
  std::vector<bool> isPassedOn;
};

} // namespace

/// A size that an axis divides, mostly.
static int64_t drawNumRows(ProgramWriter &writer) {
  const Mesh &mesh = writer.getOptions().mesh;
  if (mesh.axes.empty() || writer.random.chance(20))
    return writer.drawDim();
  int64_t parts = mesh.axes[writer.random.below(mesh.axes.size())].size;
  return parts * writer.random.between(1, std::max<int64_t>(1, 12 / parts));
}

GradientLoop::GradientLoop(ProgramWriter &writer, Type element, bool mayNest)
    : writer(writer), random(writer.random), element(element), trips(random.pick({0, 1, 2, 2, 3, 3, 4})),
      numRows(drawNumRows(writer)), width(random.chance(60) ? drawNumRows(writer) : random.between(1, 6)) {
  for (int64_t count = random.pick({1, 1, 2, 2, 3}); count > 0; --count)
    gradients.push_back(drawGradient());
  if (!mayNest || !random.chance(40))
    return;
  inner = std::make_shared<GradientLoop>(writer, element, /*mayNest=*/false);
  for (size_t number = 0; number < inner->gradients.size(); ++number)
    isPassedOn.push_back(random.chance(50));
}

/// Other elements of the same kind.
static Type drawNear(ProgramWriter &writer, Type element) {
  auto isNear = [&](Type other) {
    return element == other ||
           (isa<FloatType>(element) ? isa<FloatType>(other) && other.getIntOrFloatBitWidth() > 8
                                    : isa<IntegerType>(element) && isOneOf(other, Elements::Integers));
  };
  for (int tries = 0; tries < 8; ++tries)
    if (Type other = writer.drawElement(Elements::Arithmetic); isNear(other))
      return other;
  return element;
}

DrawnGradient GradientLoop::drawGradient() const {
  DrawnGradient drawn;
  drawn.left = random.chance(60) ? width : random.between(1, 6);
  drawn.right = random.chance(25) ? 0 : random.chance(60) ? width : random.between(1, 6);
  drawn.isNegated = random.chance(15);
  drawn.isTransposed = drawn.right > 0 && random.chance(25);
  drawn.isReshaped = random.chance(20);
  drawn.element = random.chance(30) ? drawNear(writer, element) : element;
  drawn.sink = random.pick({Sink::Stack, Sink::Stack, Sink::Sum, Sink::Sum, Sink::SliceOfStack});
  drawn.isBackwards = random.chance(40);
  drawn.startsWithZeros = random.chance(drawn.sink == Sink::Stack ? 95 : 70);
  drawn.isFirstOperand = random.chance(30);
  drawn.isTwice = drawn.sink == Sink::Sum && random.chance(15);
  // Sums are too large for the other ops of exact programs.
  drawn.isUsed = !writer.getOptions().exact && random.chance(4);
  Shape shape{drawn.left};
  if (drawn.right > 0)
    shape.push_back(drawn.right);
  if (drawn.isTransposed)
    std::swap(shape[0], shape[1]);
  if (drawn.isReshaped)
    shape = {drawn.left * std::max<int64_t>(1, drawn.right)};
  if (drawn.sink != Sink::Sum) {
    drawn.dim = random.chance(75) ? 0 : random.below(static_cast<int64_t>(shape.size()) + 1);
    shape.insert(shape.begin() + drawn.dim, std::max<int64_t>(1, trips));
  }
  drawn.type = writer.getType(shape, drawn.element);
  return drawn;
}

SmallVector<RankedTensorType> GradientLoop::getTypes() const {
  SmallVector<RankedTensorType> types;
  for (const DrawnGradient &each : gradients)
    types.push_back(each.type);
  if (inner)
    llvm::append_range(types, inner->getTypes());
  return types;
}

Value GradientLoop::drawFirst(size_t number) const {
  if (number >= gradients.size())
    return random.chance(80) ? writer.zeros(getTypes()[number]) : writer.obtain(getTypes()[number]);
  const DrawnGradient &drawn = gradients[number];
  return drawn.startsWithZeros ? writer.zeros(drawn.type) : writer.obtain(drawn.type);
}

/// A value of the loop or from outside.
Value GradientLoop::drawRows(ValueRange states, int64_t columns) const {
  RankedTensorType type = writer.getType({numRows, columns}, element);
  if (columns == width && random.chance(80))
    return states[random.below(states.size())];
  return writer.obtain(type);
}

Value GradientLoop::emitTerm(const DrawnGradient &drawn, ValueRange states) const {
  Value left = drawRows(states, drawn.left), term;
  if (drawn.right == 0) {
    Value zero = writer.constant(writer.getScalar(element), 0);
    Reducer reducer{{"stablehlo.add"}, false};
    term = writer
               .build("stablehlo.reduce", {left, zero}, writer.getType({drawn.left}, element),
                      writer.attribute("dimensions", Shape{0}), makeReducerBody(writer, reducer, element))
               .front();
  } else {
    Value right = drawRows(states, drawn.right);
    auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, Shape{0}, Shape{0});
    term = writer.buildOne("stablehlo.dot_general", {left, right}, writer.getType({drawn.left, drawn.right}, element),
                           writer.attribute("dot_dimension_numbers", numbers));
  }
  if (drawn.isNegated)
    term = writer.buildOne("stablehlo.negate", term, term.getType());
  if (drawn.isTransposed)
    term = writer.buildOne("stablehlo.transpose", term, writer.getType({drawn.right, drawn.left}, element),
                           writer.attribute("permutation", Shape{1, 0}));
  if (drawn.element != element)
    term = writer.buildOne("stablehlo.convert", term, typeOf(term).clone(drawn.element));
  if (drawn.isReshaped)
    term = writer.buildOne("stablehlo.reshape", term, writer.getType(typeOf(term).getNumElements(), drawn.element));
  return term;
}

/// The next value of what is carried for a gradient.
Value GradientLoop::addTerm(const DrawnGradient &drawn, Value carried, Value counter, ValueRange states) const {
  Value term = emitTerm(drawn, states), index = counter;
  auto add = [&](Value sum, Value other) {
    return writer.buildOne("stablehlo.add", drawn.isFirstOperand ? ValueRange{other, sum} : ValueRange{sum, other},
                           sum.getType());
  };
  if (drawn.sink == Sink::Sum) {
    Value sum = add(carried, term);
    return drawn.isTwice ? add(sum, emitTerm(drawn, states)) : sum;
  }
  if (drawn.isBackwards) {
    Value last = writer.constant(typeOf(counter), trips - 1);
    index = writer.buildOne("stablehlo.subtract", {last, counter}, counter.getType());
  }
  if (drawn.sink == Sink::SliceOfStack) {
    Value slice = takeSlice(writer, carried, index, drawn.dim);
    writer.hide(slice);
    term = add(slice, term);
  }
  Value stack = putSlice(writer, carried, term, index, drawn.dim);
  writer.hide(stack);
  return stack;
}

/// The rows of the next iteration.
Value GradientLoop::emitState(Value state) const {
  if (random.chance(50)) {
    Value other = writer.obtain(typeOf(state));
    StringRef op = random.pick<StringRef>({"stablehlo.add", "stablehlo.multiply", "stablehlo.subtract"});
    return writer.bound(writer.emitOne(op, {state, other}, state.getType()));
  }
  Value weight = writer.obtain(writer.getType({width, width}, element));
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, Shape{1}, Shape{0});
  return writer.bound(writer.emitOne("stablehlo.dot_general", {state, weight}, state.getType(),
                                     writer.attribute("dot_dimension_numbers", numbers)));
}

Values GradientLoop::emitInner(ValueRange carried) const {
  SmallVector<RankedTensorType> types = inner->getTypes();
  Values first;
  for (size_t number = 0; number < types.size(); ++number)
    first.push_back(isPassedOn[number] ? carried[number] : inner->drawFirst(number));
  Values made = inner->emit(first);
  for (size_t number = 0; number < types.size(); ++number)
    if (!isPassedOn[number])
      made[number] = writer.buildOne("stablehlo.add", {carried[number], made[number]}, types[number]);
  return made;
}

Values GradientLoop::emitBody(Value counter, ValueRange carried) const {
  for (auto [number, sum] : llvm::enumerate(carried.drop_front()))
    if (number >= gradients.size() || !gradients[number].isUsed)
      writer.hide(sum);
  Value state = carried[0], next = emitState(state);
  if (random.chance(15))
    writer.writeOps(1);
  Values made{next};
  for (auto [drawn, sum] : llvm::zip(gradients, carried.drop_front()))
    made.push_back(addTerm(drawn, sum, counter, {state, next}));
  if (inner)
    llvm::append_range(made, emitInner(carried.drop_front(1 + gradients.size())));
  // Of some, the last op is not what makes the state.
  if (random.chance(30))
    made[0] = emitState(next);
  return made;
}

Values GradientLoop::emit(const Values &first) const {
  Values initial{writer.obtain(writer.getType({numRows, width}, element))};
  llvm::append_range(initial, first);
  auto body = [this](Value counter, ValueRange carried) { return emitBody(counter, carried); };
  Values made = emitLoop(writer, trips, initial, body, /*isVisible=*/false);
  return Values(llvm::drop_begin(made, 2));
}

static Values emitLoops(ProgramWriter &writer, const GradientLoop &loop) {
  Values first;
  for (size_t number = 0; number < loop.getTypes().size(); ++number)
    first.push_back(loop.drawFirst(number));
  return loop.emit(first);
}

static Type drawGradientElement(ProgramWriter &writer) {
  Builder &builder = writer.builder;
  if (writer.random.chance(40))
    return writer.drawElement(Elements::Arithmetic);
  if (writer.getOptions().exact)
    return writer.random.pick<Type>({builder.getF32Type(), builder.getF32Type(), builder.getI32Type()});
  return writer.random.pick<Type>({builder.getF32Type(), builder.getBF16Type(), builder.getI32Type()});
}

void writeGradientLoops(ProgramWriter &writer) {
  GradientLoop loop(writer, drawGradientElement(writer), /*mayNest=*/true);
  Values made;
  if (writer.random.chance(20)) {
    Values fallbacks;
    for (RankedTensorType type : loop.getTypes())
      fallbacks.push_back(writer.obtain(type));
    auto withLoops = writer.scope({}, [&](ValueRange) { return emitLoops(writer, loop); });
    auto without = writer.scope({}, [&](ValueRange) { return fallbacks; });
    Value choice = writer.obtain(writer.getScalar(writer.getI1()));
    SmallVector<RegionBody> branches{withLoops, without};
    if (writer.random.chance(50))
      std::swap(branches[0], branches[1]);
    made = writer.build("stablehlo.if", choice, ValueRange(fallbacks).getTypes(), {}, branches);
  } else {
    made = emitLoops(writer, loop);
  }
  for (Value value : made)
    writer.show(writer.bound(value));
}

} // namespace partita::fuzz
