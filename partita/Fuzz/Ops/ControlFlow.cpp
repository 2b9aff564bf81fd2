//===- ControlFlow.cpp - loops, branches, barriers, annotations -----------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Loops.h"
#include "partita/Fuzz/RandomSharding.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

static Value compareLess(ProgramWriter &writer, Value lhs, Value rhs) {
  auto direction =
      stablehlo::ComparisonDirectionAttr::get(writer.builder.getContext(), stablehlo::ComparisonDirection::LT);
  return writer.buildOne("stablehlo.compare", {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
                         writer.attribute("comparison_direction", direction));
}

/// A value for a body to return, of the type of `fallback`: one computed there, or a simple function of `fallback`.
static Value drawReturned(ProgramWriter &writer, Value fallback) {
  Value value = writer.pick([&](RankedTensorType type) { return type == fallback.getType(); });
  if (value && value != fallback)
    return value;
  if (writer.random.chance(20))
    return fallback;
  Value other = writer.obtain(typeOf(fallback));
  return writer.bound(writer.emitOne("stablehlo.add", {fallback, other}, fallback.getType()));
}

//===----------------------------------------------------------------------===//
// Counted loops
//===----------------------------------------------------------------------===//

/// Whether any element of `value` is less than two: known at run time, and the same on all devices.
static Value testAny(ProgramWriter &writer, Value value) {
  Type element = writer.getI1();
  Value isLess = compareLess(writer, value, writer.constant(typeOf(value), 2));
  Shape dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(value).getRank()));
  Reducer reducer{{"stablehlo.or"}, false};
  return writer
      .build("stablehlo.reduce", {isLess, writer.constant(writer.getScalar(element), 0)}, writer.getScalar(element),
             writer.attribute("dimensions", dims), makeReducerBody(writer, reducer, element))
      .front();
}

/// `counter < trips`, sometimes and-ed with a test of a carried value.
static Value writeCondition(ProgramWriter &writer, ValueRange carried, int64_t trips) {
  Value goesOn = compareLess(writer, carried[0], writer.constant(typeOf(carried[0]), trips));
  Value other = writer.random.pick<Value>(Values(carried));
  if (!isOneOf(elementOf(other), Elements::Ordered) || !writer.random.chance(20))
    return goesOn;
  return writer.buildOne("stablehlo.and", {goesOn, testAny(writer, other)}, goesOn.getType());
}

Values emitLoop(ProgramWriter &writer, int64_t trips, const Values &initial, const LoopBody &body, bool isVisible) {
  RankedTensorType counterType = writer.getScalar(writer.getI32());
  Values operands = {writer.constant(counterType, 0)};
  operands.append(initial);
  SmallVector<Type> types(ValueRange(operands).getTypes());
  RegionBody condition{types,
                       [&writer, trips](ValueRange carried) { return Values{writeCondition(writer, carried, trips)}; }};
  RegionBody step = writer.scope(types, [&writer, body, counterType](ValueRange carried) {
    Values next = body(carried[0], carried.drop_front());
    Value one = writer.constant(counterType, 1);
    next.insert(next.begin(), writer.buildOne("stablehlo.add", {carried[0], one}, counterType));
    return next;
  });
  if (!isVisible)
    return writer.build("stablehlo.while", operands, types, {}, {condition, step});
  return writer.emit("stablehlo.while", operands, types, {}, {condition, step});
}

static bool isTooDeep(ProgramWriter &writer) { return writer.getDepth() >= 2 || writer.getNumOps() > 60; }

void writeWhile(ProgramWriter &writer) {
  if (isTooDeep(writer))
    return;
  Values initial;
  for (int64_t count = writer.random.between(1, 3); count > 0; --count)
    initial.push_back(writer.random.chance(20) ? writer.zeros(typeOf(writer.draw(Elements::Any)))
                                               : writer.draw(Elements::Any));
  emitLoop(writer, writer.random.below(4), initial, [&writer](Value, ValueRange carried) {
    writer.writeOps(writer.random.between(1, 4));
    Values next;
    for (Value value : carried)
      next.push_back(drawReturned(writer, value));
    // Values may change places from one iteration to the next.
    if (next.size() > 1 && next[0].getType() == next[1].getType() && writer.random.chance(20))
      std::swap(next[0], next[1]);
    return next;
  });
}

Value takeSlice(ProgramWriter &writer, Value stacked, Value index, int64_t dim) {
  Shape sizes(typeOf(stacked).getShape()), rest = sizes;
  sizes[dim] = 1;
  rest.erase(rest.begin() + dim);
  Values operands = {stacked};
  for (size_t i = 0; i < sizes.size(); ++i)
    operands.push_back(static_cast<int64_t>(i) == dim ? index : writer.constant(typeOf(index), 0));
  Value slice = writer.buildOne("stablehlo.dynamic_slice", operands, typeOf(stacked).clone(sizes),
                                writer.attribute("slice_sizes", sizes));
  return writer.emitOne("stablehlo.reshape", slice, typeOf(stacked).clone(rest));
}

Value putSlice(ProgramWriter &writer, Value stacked, Value slice, Value index, int64_t dim) {
  Shape sizes(typeOf(stacked).getShape());
  sizes[dim] = 1;
  Values operands = {stacked, writer.buildOne("stablehlo.reshape", slice, typeOf(stacked).clone(sizes))};
  for (size_t i = 0; i < sizes.size(); ++i)
    operands.push_back(static_cast<int64_t>(i) == dim ? index : writer.constant(typeOf(index), 0));
  return writer.emitOne("stablehlo.dynamic_update_slice", operands, stacked.getType());
}

/// Layers: each slice of a stacked value updates a carried state, and the outputs are stacked again.
void writeScan(ProgramWriter &writer) {
  if (isTooDeep(writer))
    return;
  Value stacked = writer.draw(Elements::Arithmetic, 1, 4);
  RankedTensorType type = typeOf(stacked);
  int64_t dim = writer.random.chance(70) ? 0 : writer.random.below(type.getRank());
  int64_t trips = type.getDimSize(dim);
  if (trips == 0 || trips > 8)
    return;
  Shape rest(type.getShape());
  rest.erase(rest.begin() + dim);
  Value state = writer.obtain(type.clone(rest)), collected = writer.zeros(type);
  bool carriesStack = writer.random.chance(60);
  Values initial = {state, collected};
  if (carriesStack)
    initial.push_back(stacked);
  emitLoop(writer, trips, initial, [&writer, stacked, dim, carriesStack](Value counter, ValueRange carried) {
    Value slice = takeSlice(writer, carriesStack ? carried[2] : stacked, counter, dim);
    Value state = writer.bound(
        writer.emitOne(writer.random.pick<StringRef>({"stablehlo.add", "stablehlo.multiply", "stablehlo.subtract"}),
                       {carried[0], slice}, slice.getType()));
    writer.writeOps(writer.random.below(3));
    Value next = drawReturned(writer, state);
    Values results = {next, putSlice(writer, carried[1], state, counter, dim)};
    if (carriesStack)
      results.push_back(carried[2]);
    return results;
  });
}

/// Two loops as JAX makes them of a scan and its gradient. The first one stacks what the second one, which runs
/// backwards, reads; the second one may compute some of it again.
void writeLayers(ProgramWriter &writer) {
  if (isTooDeep(writer))
    return;
  Value weights = writer.draw(Elements::Arithmetic, 2, 3);
  RankedTensorType type = typeOf(weights);
  int64_t trips = type.getDimSize(0);
  if (trips == 0 || trips > 6)
    return;
  Value state = writer.obtain(type.clone(type.getShape().drop_front()));
  StringRef op = writer.random.pick<StringRef>({"stablehlo.add", "stablehlo.multiply", "stablehlo.subtract"});
  auto layer = [&writer, op](Value x, Value w) { return writer.bound(writer.buildOne(op, {x, w}, x.getType())); };
  auto square = [&writer](Value x) { return writer.bound(writer.buildOne("stablehlo.multiply", {x, x}, x.getType())); };
  bool recomputes = writer.random.chance(40);
  Values initial = {state, writer.zeros(type), writer.zeros(type)};
  auto forward = [&](Value counter, ValueRange carried) {
    Value y = layer(carried[0], takeSlice(writer, weights, counter, 0));
    Value z = square(y);
    return Values{z, putSlice(writer, carried[1], recomputes ? carried[0] : y, counter, 0),
                  putSlice(writer, carried[2], z, counter, 0)};
  };
  Values made = emitLoop(writer, trips, initial, forward, /*isVisible=*/false);
  auto backward = [&](Value counter, ValueRange carried) {
    Value last = writer.constant(typeOf(counter), trips - 1);
    Value index = writer.buildOne("stablehlo.subtract", {last, counter}, counter.getType());
    Value y = takeSlice(writer, carried[1], index, 0);
    if (recomputes) {
      Value again = writer.buildOne("stablehlo.optimization_barrier", y, y.getType());
      y = layer(again, takeSlice(writer, weights, index, 0));
    }
    Value z = takeSlice(writer, carried[2], index, 0);
    Value gradient = writer.bound(writer.buildOne("stablehlo.multiply", {carried[0], y}, y.getType()));
    Value next = writer.bound(writer.buildOne("stablehlo.add", {gradient, z}, z.getType()));
    return Values{next, carried[1], carried[2], putSlice(writer, carried[3], gradient, index, 0)};
  };
  Values gradients = emitLoop(writer, trips, {made[1], made[2], made[3], writer.zeros(type)}, backward,
                              /*isVisible=*/false);
  writer.show(gradients[1]);
  writer.show(gradients[4]);
}

/// Gradients of microbatches: contractions added up from zeros.
void writeAccumulation(ProgramWriter &writer) {
  if (isTooDeep(writer))
    return;
  Value lhs = writer.draw(Elements::Arithmetic, 2, 3);
  ArrayRef<int64_t> shape = typeOf(lhs).getShape();
  int64_t rank = shape.size();
  Value rhs = writer.obtain(writer.getType({shape[rank - 2], writer.drawDim()}, elementOf(lhs)));
  Shape result(shape.drop_back(2));
  result.append({shape[rank - 1], typeOf(rhs).getDimSize(1)});
  RankedTensorType type = writer.getType(result, elementOf(lhs));
  if (type.getNumElements() > ProgramWriter::maxElements)
    return;
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, {rank - 2}, {0});
  bool alsoCounts = writer.random.chance(30);
  Values initial = {writer.zeros(type)};
  if (alsoCounts)
    initial.push_back(writer.obtain(writer.getScalar(type.getElementType())));
  emitLoop(writer, writer.random.between(1, 3), initial, [&](Value, ValueRange carried) {
    Value left = writer.random.chance(50) ? lhs : writer.obtain(typeOf(lhs));
    Value term = writer.bound(
        writer.emitOne("stablehlo.dot_general", {left, rhs}, type, writer.attribute("dot_dimension_numbers", numbers)));
    if (writer.random.chance(25))
      term = writer.emitOne("stablehlo.negate", term, type);
    Values next = {writer.emitOne("stablehlo.add", {carried[0], term}, type)};
    if (alsoCounts)
      next.push_back(writer.bound(writer.emitOne("stablehlo.add", {carried[1], carried[1]}, carried[1].getType())));
    return next;
  });
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static RegionBody makeBranch(ProgramWriter &writer, const Values &fallbacks) {
  return writer.scope({}, [&writer, fallbacks](ValueRange) {
    writer.writeOps(writer.random.between(1, 3));
    Values results;
    for (Value fallback : fallbacks)
      results.push_back(drawReturned(writer, fallback));
    return results;
  });
}

static void writeBranches(ProgramWriter &writer, StringRef name, Type selector, int64_t count) {
  if (isTooDeep(writer))
    return;
  Value choice = writer.obtain(writer.getScalar(selector));
  Values fallbacks;
  for (int64_t results = writer.random.between(1, 2); results > 0; --results)
    fallbacks.push_back(writer.draw(Elements::Any));
  SmallVector<RegionBody> branches;
  for (int64_t i = 0; i < count; ++i)
    branches.push_back(makeBranch(writer, fallbacks));
  writer.emit(name, choice, ValueRange(fallbacks).getTypes(), {}, branches);
}

void writeCase(ProgramWriter &writer) {
  writeBranches(writer, "stablehlo.case", writer.getI32(), writer.random.between(1, 3));
}

void writeIf(ProgramWriter &writer) { writeBranches(writer, "stablehlo.if", writer.getI1(), 2); }

//===----------------------------------------------------------------------===//
// Ops that change no value
//===----------------------------------------------------------------------===//

void writeBarrier(ProgramWriter &writer) {
  Values operands;
  for (int64_t count = writer.random.between(1, 3); count > 0; --count)
    operands.push_back(writer.draw(Elements::Any));
  writer.emit("stablehlo.optimization_barrier", operands, ValueRange(operands).getTypes());
}

Value emitConstraint(ProgramWriter &writer, Value value) {
  if (!writer.getOptions().constraints)
    return nullptr;
  sdy::TensorShardingAttr sharding =
      drawSharding(writer.random, writer.getOptions().mesh, typeOf(value).getShape(), writer.builder.getContext());
  StringRef name =
      writer.random.chance(20) && !writer.getOptions().portable ? "sdy.reshard" : "sdy.sharding_constraint";
  return writer.emitOne(name, value, value.getType(), writer.attribute("sharding", sharding));
}

void writeConstraint(ProgramWriter &writer) {
  if (writer.getOptions().constraints)
    emitConstraint(writer, writer.draw(Elements::Any, 1));
}

/// A custom call without a rule that the evaluator can still run.
void writeCustomCall(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any);
  writer.emit("stablehlo.custom_call", operand, operand.getType(),
              {writer.attribute("call_target_name", writer.builder.getStringAttr("MoveToHost"))});
}

} // namespace partita::fuzz
