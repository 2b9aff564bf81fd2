//===- Elementwise.cpp - functions of single elements ---------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

struct ElementwiseOp {
  StringLiteral name;
  Elements elements;
  /// Exact on small integers.
  bool exact = false;
  /// May give much larger numbers than it takes.
  bool grows = false;
};

} // namespace

static constexpr ElementwiseOp unaryOps[] = {
    {"stablehlo.negate", Elements::Arithmetic, true},
    {"stablehlo.negate", Elements::Arithmetic, true},
    {"stablehlo.sign", Elements::Signed, true},
    {"stablehlo.not", Elements::Logical, true},
    {"stablehlo.popcnt", Elements::Integers, true},
    {"stablehlo.count_leading_zeros", Elements::Integers, true},
    {"stablehlo.ceil", Elements::Floats, true},
    {"stablehlo.floor", Elements::Floats, true},
    {"stablehlo.round_nearest_even", Elements::Floats, true},
    {"stablehlo.round_nearest_afz", Elements::Floats, true},
    {"stablehlo.exponential", Elements::Floats},
    {"stablehlo.exponential_minus_one", Elements::Floats},
    {"stablehlo.log", Elements::Floats},
    {"stablehlo.log_plus_one", Elements::Floats},
    {"stablehlo.logistic", Elements::Floats},
    {"stablehlo.sqrt", Elements::Floats},
    {"stablehlo.rsqrt", Elements::Floats},
    {"stablehlo.cbrt", Elements::Floats},
    {"stablehlo.sine", Elements::Floats},
    {"stablehlo.cosine", Elements::Floats},
    {"stablehlo.cosine", Elements::Complex},
    {"stablehlo.tan", Elements::Floats},
    {"stablehlo.tanh", Elements::Floats},
};

/// From floats to i1.
static constexpr ElementwiseOp testOps[] = {
    {"stablehlo.is_finite", Elements::Floats, true},
    {"chlo.is_inf", Elements::Floats, true},
    {"chlo.is_neg_inf", Elements::Floats, true},
    {"chlo.is_pos_inf", Elements::Floats, true},
};

static constexpr ElementwiseOp binaryOps[] = {
    {"stablehlo.add", Elements::Any, true, true},
    {"stablehlo.add", Elements::Any, true, true},
    {"stablehlo.add", Elements::Arithmetic, true, true},
    {"stablehlo.subtract", Elements::Arithmetic, true, true},
    {"stablehlo.subtract", Elements::Arithmetic, true, true},
    {"stablehlo.multiply", Elements::Any, true, true},
    {"stablehlo.multiply", Elements::Arithmetic, true, true},
    {"stablehlo.maximum", Elements::Ordered, true},
    {"stablehlo.minimum", Elements::Any, true},
    {"stablehlo.divide", Elements::Floats},
    {"stablehlo.divide", Elements::Floats},
    {"stablehlo.power", Elements::Floats},
    {"stablehlo.remainder", Elements::Floats},
    {"stablehlo.atan2", Elements::Floats},
    {"stablehlo.and", Elements::Logical, true},
    {"stablehlo.or", Elements::Logical, true},
    {"stablehlo.xor", Elements::Logical, true},
    {"stablehlo.shift_left", Elements::Integers, true},
    {"stablehlo.shift_right_logical", Elements::Integers, true},
    {"stablehlo.shift_right_arithmetic", Elements::Integers, true},
    {"chlo.next_after", Elements::Floats},
    {"chlo.polygamma", Elements::Floats},
    {"chlo.zeta", Elements::Floats},
    {"chlo.mulhi", Elements::Integers, true},
};

static constexpr ElementwiseOp chloUnaryOps[] = {
    {"chlo.erf", Elements::Floats},
    {"chlo.erf", Elements::Floats},
    {"chlo.erfc", Elements::Floats},
    {"chlo.erf_inv", Elements::Floats},
    {"chlo.square", Elements::Floats},
    {"chlo.tan", Elements::Floats},
    {"chlo.sinh", Elements::Floats},
    {"chlo.cosh", Elements::Floats},
    {"chlo.asin", Elements::Floats},
    {"chlo.acos", Elements::Floats},
    {"chlo.atan", Elements::Floats},
    {"chlo.asinh", Elements::Floats},
    {"chlo.acosh", Elements::Floats},
    {"chlo.atanh", Elements::Floats},
    {"chlo.lgamma", Elements::Floats},
    {"chlo.digamma", Elements::Floats},
    {"chlo.conj", Elements::Complex},
    {"chlo.bessel_i1e", Elements::Floats},
    {"chlo._asin_acos_kernel", Elements::Complex},
};

static constexpr ElementwiseOp broadcastOps[] = {
    {"chlo.broadcast_add", Elements::Ordered, true},
    {"chlo.broadcast_subtract", Elements::Ordered, true},
    {"chlo.broadcast_multiply", Elements::Ordered, true},
    {"chlo.broadcast_maximum", Elements::Ordered, true},
    {"chlo.broadcast_minimum", Elements::Ordered, true},
    {"chlo.broadcast_compare", Elements::Ordered, true},
    {"chlo.broadcast_and", Elements::Logical, true},
    {"chlo.broadcast_or", Elements::Logical, true},
    {"chlo.broadcast_xor", Elements::Logical, true},
    {"chlo.broadcast_shift_left", Elements::Integers, true},
    {"chlo.broadcast_shift_right_logical", Elements::Integers, true},
    {"chlo.broadcast_shift_right_arithmetic", Elements::Integers, true},
    {"chlo.broadcast_divide", Elements::Floats},
    {"chlo.broadcast_power", Elements::Floats},
    {"chlo.broadcast_remainder", Elements::Floats},
    {"chlo.broadcast_atan2", Elements::Floats},
    {"chlo.broadcast_next_after", Elements::Floats},
    {"chlo.broadcast_polygamma", Elements::Floats},
    {"chlo.broadcast_zeta", Elements::Floats},
    {"chlo.broadcast_complex", Elements::Floats},
};

static bool isAllowed(ProgramWriter &writer, const ElementwiseOp &op) {
  bool isPortable = !op.name.starts_with("chlo.") || !writer.getOptions().portable;
  return (op.exact || !writer.getOptions().exact) && isPortable;
}

/// An op of the list that the program may contain.
static const ElementwiseOp &drawOp(ProgramWriter &writer, ArrayRef<ElementwiseOp> ops) {
  while (true)
    if (const ElementwiseOp &op = ops[writer.random.below(ops.size())]; isAllowed(writer, op))
      return op;
}

static Value emitUnary(ProgramWriter &writer, const ElementwiseOp &op, Value operand) {
  return writer.emitOne(op.name, operand, operand.getType());
}

static Value emitAbs(ProgramWriter &writer, Value operand) {
  return elementOf(operand).isUnsignedInteger() ? Value() : writer.emitOne("stablehlo.abs", operand, operand.getType());
}

static Value emitTest(ProgramWriter &writer, const ElementwiseOp &op, Value operand) {
  return writer.emitOne(op.name, operand, typeOf(operand).clone(writer.getI1()));
}

static Value emitBinary(ProgramWriter &writer, const ElementwiseOp &op, Value lhs) {
  Value rhs = writer.random.chance(12) ? lhs : writer.obtain(typeOf(lhs));
  if (writer.random.chance(50))
    std::swap(lhs, rhs);
  Value result = writer.emitOne(op.name, {lhs, rhs}, lhs.getType());
  return op.grows ? writer.bound(result) : result;
}

/// The smaller operand may miss leading dims and have ones anywhere. Null if there is no such op of these elements.
static Value emitBroadcasting(ProgramWriter &writer, const ElementwiseOp &op, Value lhs) {
  Shape shape(typeOf(lhs).getShape());
  for (int64_t &size : shape)
    if (writer.random.chance(25))
      size = 1;
  shape.erase(shape.begin(), shape.begin() + (writer.random.chance(30) ? writer.random.below(shape.size()) : 0));
  Value rhs = writer.obtain(writer.getType(shape, elementOf(lhs)));
  if (op.name == "chlo.broadcast_compare") {
    auto direction = chlo::ComparisonDirectionAttr::get(writer.builder.getContext(), chlo::ComparisonDirection::LT);
    return writer.emitOne(op.name, {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
                          writer.attribute("comparison_direction", direction));
  }
  if (op.name == "chlo.broadcast_complex") {
    bool hasParts = elementOf(lhs).isF32() || elementOf(lhs).isF64();
    return hasParts ? writer.emitOne(op.name, {lhs, rhs}, typeOf(lhs).clone(ComplexType::get(elementOf(lhs))))
                    : Value();
  }
  return writer.bound(writer.emitOne(op.name, {lhs, rhs}, lhs.getType()));
}

void writeUnary(ProgramWriter &writer) {
  if (writer.random.chance(8)) {
    emitAbs(writer, writer.draw(Elements::Ordered));
    return;
  }
  if (writer.random.chance(15)) {
    const ElementwiseOp &op = drawOp(writer, testOps);
    emitTest(writer, op, writer.draw(op.elements));
    return;
  }
  const ElementwiseOp &op = drawOp(writer, unaryOps);
  emitUnary(writer, op, writer.draw(op.elements));
}

void writeChloUnary(ProgramWriter &writer) {
  const ElementwiseOp &op = drawOp(writer, chloUnaryOps);
  emitUnary(writer, op, writer.draw(op.elements));
}

void writeBinary(ProgramWriter &writer) {
  const ElementwiseOp &op = drawOp(writer, binaryOps);
  emitBinary(writer, op, writer.draw(op.elements));
}

void writeChloBroadcast(ProgramWriter &writer) {
  // XLA accepts only a few of them.
  auto few = ArrayRef<ElementwiseOp>(broadcastOps).take_front(6);
  const ElementwiseOp &op =
      writer.getOptions().portable ? few[writer.random.below(few.size())] : drawOp(writer, broadcastOps);
  emitBroadcasting(writer, op, writer.draw(op.elements, 1));
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static Value emitCompare(ProgramWriter &writer, Value lhs) {
  Value rhs = writer.obtain(typeOf(lhs));
  bool isComplex = isa<ComplexType>(elementOf(lhs));
  auto direction = static_cast<stablehlo::ComparisonDirection>(writer.random.below(isComplex ? 2 : 6));
  return writer.emitOne("stablehlo.compare", {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
                        writer.attribute("comparison_direction", stablehlo::ComparisonDirectionAttr::get(
                                                                     writer.builder.getContext(), direction)));
}

void writeCompare(ProgramWriter &writer) { emitCompare(writer, writer.draw(Elements::Any)); }

static Value emitSelect(ProgramWriter &writer, Value onTrue) {
  Value onFalse = writer.obtain(typeOf(onTrue));
  bool isScalar = writer.random.chance(30);
  Value predicate =
      writer.obtain(writer.getType(isScalar ? ArrayRef<int64_t>() : typeOf(onTrue).getShape(), writer.getI1()));
  return writer.emitOne("stablehlo.select", {predicate, onTrue, onFalse}, onTrue.getType());
}

void writeSelect(ProgramWriter &writer) { emitSelect(writer, writer.draw(Elements::Any)); }

static Value emitClamp(ProgramWriter &writer, Value operand) {
  auto drawBound = [&] {
    return writer.obtain(writer.random.chance(50) ? writer.getScalar(elementOf(operand)) : typeOf(operand));
  };
  Value low = drawBound(), high = drawBound();
  return writer.emitOne("stablehlo.clamp", {low, operand, high}, operand.getType());
}

void writeClamp(ProgramWriter &writer) { emitClamp(writer, writer.draw(Elements::Ordered)); }

//===----------------------------------------------------------------------===//
// Other element types
//===----------------------------------------------------------------------===//

static Value emitConvert(ProgramWriter &writer, Value operand) {
  return writer.convert(operand, writer.drawElement(Elements::Any));
}

void writeConvert(ProgramWriter &writer) { emitConvert(writer, writer.draw(Elements::Any)); }

static Value emitBitcast(ProgramWriter &writer, Value operand) {
  Type target = writer.drawElement(Elements::Ordered);
  unsigned from = elementOf(operand).getIntOrFloatBitWidth(), to = target.getIntOrFloatBitWidth();
  Shape shape(typeOf(operand).getShape());
  if (from > to)
    shape.push_back(from / to);
  else if (from < to && (shape.empty() || shape.back() != to / from))
    return nullptr;
  else if (from < to)
    shape.pop_back();
  return writer.emitOne("stablehlo.bitcast_convert", operand, writer.getType(shape, target));
}

void writeBitcast(ProgramWriter &writer) { emitBitcast(writer, writer.draw(Elements::Ordered, 0, 3)); }

static Value emitPart(ProgramWriter &writer, Value operand) {
  auto complex = dyn_cast<ComplexType>(elementOf(operand));
  if (!complex)
    return nullptr;
  StringRef name = writer.random.pick<StringRef>({"stablehlo.real", "stablehlo.imag", "stablehlo.abs"});
  return writer.emitOne(name, operand, typeOf(operand).clone(complex.getElementType()));
}

static Value emitComplex(ProgramWriter &writer, Value real) {
  if (!elementOf(real).isF32() && !elementOf(real).isF64())
    return nullptr;
  Value imag = writer.obtain(typeOf(real));
  return writer.emitOne("stablehlo.complex", {real, imag}, typeOf(real).clone(ComplexType::get(elementOf(real))));
}

void writeComplex(ProgramWriter &writer) {
  if (writer.random.chance(50))
    emitPart(writer, writer.draw(Elements::Complex));
  else
    emitComplex(writer, writer.obtain(writer.getType(writer.drawShape(0, 3), writer.builder.getF32Type())));
}

//===----------------------------------------------------------------------===//
// Several functions
//===----------------------------------------------------------------------===//

namespace {

/// Ops, and what writes one of them on an operand.
struct FunctionTable {
  ArrayRef<ElementwiseOp> ops;
  Value (*emit)(ProgramWriter &writer, const ElementwiseOp &op, Value operand);
};

/// Functions that are no ops of a table. They give null if the operand does not fit.
struct OtherFunction {
  Elements elements;
  /// Exact on small integers.
  bool exact;
  Value (*emit)(ProgramWriter &writer, Value operand);
};

} // namespace

static constexpr OtherFunction otherFunctions[] = {
    {Elements::Ordered, true, emitAbs},
    {Elements::Any, true, emitCompare},
    {Elements::Any, true, emitSelect},
    {Elements::Ordered, true, emitClamp},
    {Elements::Any, true, emitConvert},
    {Elements::Ordered, false, emitBitcast},
    {Elements::Complex, false, emitPart},
    {Elements::Complex, false, emitPart},
    {Elements::Complex, false, emitPart},
    {Elements::Floats, false, emitComplex},
    {Elements::Floats, false, emitReducePrecision},
    {Elements::Any, true, emitConstraint},
};

/// A function of `operand`, each that takes such elements being as likely as any other. Null if it does not fit.
static Value emitFunction(ProgramWriter &writer, Value operand) {
  static const FunctionTable tables[] = {{unaryOps, emitUnary},
                                         {testOps, emitTest},
                                         {binaryOps, emitBinary},
                                         {chloUnaryOps, emitUnary},
                                         {broadcastOps, emitBroadcasting}};
  SmallVector<std::function<Value()>> fitting;
  for (const FunctionTable &table : tables)
    for (const ElementwiseOp &op : table.ops)
      if (isAllowed(writer, op) && isOneOf(elementOf(operand), op.elements))
        fitting.push_back([&] { return table.emit(writer, op, operand); });
  for (const OtherFunction &other : otherFunctions)
    if ((other.exact || !writer.getOptions().exact) && isOneOf(elementOf(operand), other.elements))
      fitting.push_back([&] { return other.emit(writer, operand); });
  return fitting[writer.random.below(fitting.size())]();
}

/// Functions of one value and of what they give. Axes do not divide one of its dims, so padding reaches them all.
void writeFunctions(ProgramWriter &writer) {
  Shape shape = writer.drawShape(1, 2);
  shape[writer.random.below(shape.size())] = writer.drawUnevenDim();
  Elements elements = writer.random.pick(
      {Elements::Floats, Elements::Floats, Elements::Floats, Elements::Integers, Elements::Any, Elements::Complex});
  if (elements == Elements::Complex && writer.getOptions().exact)
    elements = Elements::Floats;
  Values values = {writer.obtain(writer.getType(shape, writer.drawElement(elements)))};
  for (int64_t count = writer.random.between(4, 8); count > 0; --count) {
    int64_t later = std::max(writer.random.below(values.size()), writer.random.below(values.size()));
    if (Value made = emitFunction(writer, values[later]))
      values.push_back(made);
  }
}

} // namespace partita::fuzz
