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

/// An op of the list that the program may contain.
static const ElementwiseOp &drawOp(ProgramWriter &writer, ArrayRef<ElementwiseOp> ops) {
  while (true) {
    const ElementwiseOp &op = ops[writer.random.below(ops.size())];
    bool isPortable = !op.name.starts_with("chlo.") || !writer.getOptions().portable;
    if ((op.exact || !writer.getOptions().exact) && isPortable)
      return op;
  }
}

static void writeUnaryOf(ProgramWriter &writer, ArrayRef<ElementwiseOp> ops) {
  const ElementwiseOp &op = drawOp(writer, ops);
  Value operand = writer.draw(op.elements);
  writer.emit(op.name, operand, operand.getType());
}

void writeUnary(ProgramWriter &writer) {
  if (writer.random.chance(8)) {
    Value operand = writer.draw(Elements::Ordered);
    if (!elementOf(operand).isUnsignedInteger())
      writer.emit("stablehlo.abs", operand, operand.getType());
    return;
  }
  if (writer.random.chance(15)) {
    const ElementwiseOp &op = drawOp(writer, testOps);
    Value operand = writer.draw(op.elements);
    writer.emit(op.name, operand, typeOf(operand).clone(writer.getI1()));
    return;
  }
  writeUnaryOf(writer, unaryOps);
}

void writeChloUnary(ProgramWriter &writer) { writeUnaryOf(writer, chloUnaryOps); }

void writeBinary(ProgramWriter &writer) {
  const ElementwiseOp &op = drawOp(writer, binaryOps);
  Value lhs = writer.draw(op.elements);
  Value rhs = writer.random.chance(12) ? lhs : writer.obtain(typeOf(lhs));
  if (writer.random.chance(50))
    std::swap(lhs, rhs);
  Value result = writer.emitOne(op.name, {lhs, rhs}, lhs.getType());
  if (op.grows)
    writer.bound(result);
}

/// The smaller operand may miss leading dims and have ones anywhere.
void writeChloBroadcast(ProgramWriter &writer) {
  // XLA accepts only a few of them.
  auto few = ArrayRef<ElementwiseOp>(broadcastOps).take_front(6);
  const ElementwiseOp &op =
      writer.getOptions().portable ? few[writer.random.below(few.size())] : drawOp(writer, broadcastOps);
  Value lhs = writer.draw(op.elements, 1);
  Shape shape(typeOf(lhs).getShape());
  for (int64_t &size : shape)
    if (writer.random.chance(25))
      size = 1;
  shape.erase(shape.begin(), shape.begin() + (writer.random.chance(30) ? writer.random.below(shape.size()) : 0));
  Value rhs = writer.obtain(writer.getType(shape, elementOf(lhs)));
  if (op.name == "chlo.broadcast_compare") {
    auto direction = chlo::ComparisonDirectionAttr::get(writer.builder.getContext(), chlo::ComparisonDirection::LT);
    writer.emit(op.name, {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
                writer.attribute("comparison_direction", direction));
    return;
  }
  if (op.name == "chlo.broadcast_complex") {
    if (elementOf(lhs).isF32() || elementOf(lhs).isF64())
      writer.emit(op.name, {lhs, rhs}, typeOf(lhs).clone(ComplexType::get(elementOf(lhs))));
    return;
  }
  writer.bound(writer.emitOne(op.name, {lhs, rhs}, lhs.getType()));
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

void writeCompare(ProgramWriter &writer) {
  Value lhs = writer.draw(Elements::Any), rhs = writer.obtain(typeOf(lhs));
  bool isComplex = isa<ComplexType>(elementOf(lhs));
  auto direction = static_cast<stablehlo::ComparisonDirection>(writer.random.below(isComplex ? 2 : 6));
  writer.emit("stablehlo.compare", {lhs, rhs}, typeOf(lhs).clone(writer.getI1()),
              writer.attribute("comparison_direction",
                               stablehlo::ComparisonDirectionAttr::get(writer.builder.getContext(), direction)));
}

void writeSelect(ProgramWriter &writer) {
  Value onTrue = writer.draw(Elements::Any), onFalse = writer.obtain(typeOf(onTrue));
  bool isScalar = writer.random.chance(30);
  Value predicate =
      writer.obtain(writer.getType(isScalar ? ArrayRef<int64_t>() : typeOf(onTrue).getShape(), writer.getI1()));
  writer.emit("stablehlo.select", {predicate, onTrue, onFalse}, onTrue.getType());
}

void writeClamp(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Ordered);
  auto drawBound = [&] {
    return writer.obtain(writer.random.chance(50) ? writer.getScalar(elementOf(operand)) : typeOf(operand));
  };
  Value low = drawBound(), high = drawBound();
  writer.emit("stablehlo.clamp", {low, operand, high}, operand.getType());
}

//===----------------------------------------------------------------------===//
// Other element types
//===----------------------------------------------------------------------===//

void writeConvert(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any);
  writer.convert(operand, writer.drawElement(Elements::Any));
}

void writeBitcast(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Ordered, 0, 3);
  Type target = writer.drawElement(Elements::Ordered);
  unsigned from = elementOf(operand).getIntOrFloatBitWidth(), to = target.getIntOrFloatBitWidth();
  Shape shape(typeOf(operand).getShape());
  if (from > to)
    shape.push_back(from / to);
  else if (from < to && (shape.empty() || shape.back() != to / from))
    return;
  else if (from < to)
    shape.pop_back();
  writer.emit("stablehlo.bitcast_convert", operand, writer.getType(shape, target));
}

void writeComplex(ProgramWriter &writer) {
  if (Value operand = writer.random.chance(50) ? writer.draw(Elements::Complex) : Value()) {
    auto complex = dyn_cast<ComplexType>(elementOf(operand));
    if (!complex)
      return;
    StringRef name = writer.random.pick<StringRef>({"stablehlo.real", "stablehlo.imag", "stablehlo.abs"});
    writer.emit(name, operand, typeOf(operand).clone(complex.getElementType()));
    return;
  }
  Shape shape = writer.drawShape(0, 3);
  auto part = writer.getType(shape, writer.builder.getF32Type());
  Value real = writer.obtain(part), imag = writer.obtain(part);
  writer.emit("stablehlo.complex", {real, imag}, part.clone(ComplexType::get(part.getElementType())));
}

} // namespace partita::fuzz
