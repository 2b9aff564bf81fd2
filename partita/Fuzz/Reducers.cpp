//===- Reducers.cpp - random reducer bodies and initial values ------------===//

#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

StringRef drawCombiner(ProgramWriter &writer, Type element) {
  RandomChoice &random = writer.random;
  if (isa<ComplexType>(element))
    return random.pick<StringRef>({"stablehlo.add", "stablehlo.add", "stablehlo.multiply"});
  if (element.isInteger(1))
    return random.pick<StringRef>({"stablehlo.and", "stablehlo.or", "stablehlo.xor"});
  // Products of small integers soon are too large to be exact.
  if (writer.getOptions().exact && isa<FloatType>(element))
    return random.pick<StringRef>({"stablehlo.add", "stablehlo.add", "stablehlo.maximum", "stablehlo.minimum"});
  if (isa<FloatType>(element))
    return random.pick<StringRef>({"stablehlo.add", "stablehlo.add", "stablehlo.add", "stablehlo.multiply",
                                   "stablehlo.maximum", "stablehlo.maximum", "stablehlo.minimum"});
  return random.pick<StringRef>({"stablehlo.add", "stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                 "stablehlo.minimum", "stablehlo.and", "stablehlo.or", "stablehlo.xor"});
}

Reducer drawReducer(ProgramWriter &writer, ArrayRef<Type> elements) {
  Reducer reducer;
  if (elements.size() == 2 && isOneOf(elements[0], Elements::Ordered) && writer.random.chance(40)) {
    reducer.isArgument = true;
    reducer.ops.assign(2, "stablehlo.maximum");
    return reducer;
  }
  for (Type element : elements)
    reducer.ops.push_back(drawCombiner(writer, element));
  // Neither commutative nor associative: must be kept whole.
  if (elements.size() == 1 && isOneOf(elements[0], Elements::Ordered) && !writer.getOptions().portable &&
      writer.random.chance(4))
    reducer.ops[0] = "stablehlo.subtract";
  return reducer;
}

static Value compare(ProgramWriter &writer, Value lhs, Value rhs, stablehlo::ComparisonDirection direction) {
  auto attribute = stablehlo::ComparisonDirectionAttr::get(writer.builder.getContext(), direction);
  return writer.buildOne("stablehlo.compare", {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
                         writer.attribute("comparison_direction", attribute));
}

static Values writeReducer(ProgramWriter &writer, const Reducer &reducer, ValueRange scalars) {
  size_t count = reducer.ops.size();
  Values results;
  if (reducer.isArgument) {
    Value takesLeft = compare(writer, scalars[0], scalars[2], stablehlo::ComparisonDirection::GE);
    for (size_t i = 0; i < 2; ++i)
      results.push_back(
          writer.buildOne("stablehlo.select", {takesLeft, scalars[i], scalars[i + 2]}, scalars[i].getType()));
    return results;
  }
  for (auto [index, op] : llvm::enumerate(reducer.ops))
    results.push_back(writer.buildOne(op, {scalars[index], scalars[index + count]}, scalars[index].getType()));
  return results;
}

RegionBody makeReducerBody(ProgramWriter &writer, const Reducer &reducer, ArrayRef<Type> elements) {
  RegionBody body;
  for (size_t side = 0; side < 2; ++side)
    for (Type element : elements)
      body.arguments.push_back(writer.getScalar(element));
  body.write = [&writer, reducer](ValueRange scalars) { return writeReducer(writer, reducer, scalars); };
  return body;
}

static Value makeNeutral(ProgramWriter &writer, StringRef op, RankedTensorType type) {
  if (op == "stablehlo.multiply")
    return writer.constant(type, 1);
  if (op == "stablehlo.and")
    return writer.constant(type, -1);
  if ((op == "stablehlo.maximum" || op == "stablehlo.minimum") && !isa<ComplexType>(type.getElementType()))
    return writer.infinity(type, op == "stablehlo.maximum");
  return writer.constant(type, 0);
}

Value drawInitial(ProgramWriter &writer, StringRef op, Type element) {
  RankedTensorType type = writer.getScalar(element);
  if (writer.random.chance(65))
    return makeNeutral(writer, op, type);
  return writer.random.chance(50) ? writer.constant(type, writer.random.between(-3, 3)) : writer.obtain(type);
}

RegionBody makeOrderBody(ProgramWriter &writer, ArrayRef<Type> arguments, unsigned direction) {
  RegionBody body{SmallVector<Type>(arguments), {}};
  body.write = [&writer, direction](ValueRange scalars) {
    return Values{compare(writer, scalars[0], scalars[1], static_cast<stablehlo::ComparisonDirection>(direction))};
  };
  return body;
}

} // namespace partita::fuzz
