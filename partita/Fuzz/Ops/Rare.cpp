//===- Rare.cpp - ops that few programs have ------------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"

#include "partita/Dialect/Sdy/Sdy.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace partita::fuzz {

/// Sizes of letters; new ones are drawn.
static Shape getSizes(ProgramWriter &writer, StringRef letters, std::map<char, int64_t> &sizes) {
  Shape shape;
  for (char letter : letters) {
    auto [it, isNew] = sizes.try_emplace(letter, 0);
    if (isNew)
      it->second = writer.drawDim();
    shape.push_back(it->second);
  }
  return shape;
}

void writeEinsum(ProgramWriter &writer) {
  StringRef config = writer.random.pick<StringRef>(
      {"ij,jk->ik", "bij,bjk->bik", "ij,ij->ij", "ijk,k->ij", "i,j->ij", "ab,cb->ac", "bi,bi->b"});
  auto [inputs, output] = config.split("->");
  auto [left, right] = inputs.split(',');
  std::map<char, int64_t> sizes;
  Type element = writer.drawElement(Elements::Ordered);
  Value lhs = writer.obtain(writer.getType(getSizes(writer, left, sizes), element));
  Value rhs = writer.obtain(writer.getType(getSizes(writer, right, sizes), element));
  writer.bound(writer.emitOne("stablehlo.einsum", {lhs, rhs}, writer.getType(getSizes(writer, output, sizes), element),
                              writer.attribute("einsum_config", writer.builder.getStringAttr(config))));
}

void writeUnaryEinsum(ProgramWriter &writer) {
  StringRef config = writer.random.pick<StringRef>({"ij->ji", "ij->i", "ij->j", "ij->", "ijk->ik", "ijk->kij"});
  auto [input, output] = config.split("->");
  std::map<char, int64_t> sizes;
  Type element = writer.drawElement(Elements::Ordered);
  Value operand = writer.obtain(writer.getType(getSizes(writer, input, sizes), element));
  writer.bound(writer.emitOne("stablehlo.unary_einsum", operand,
                              writer.getType(getSizes(writer, output, sizes), element),
                              writer.attribute("einsum_config", writer.builder.getStringAttr(config))));
}

/// result[batch, before, index dims, after] of operand[batch, before, dim, after] and index[batch, index dims].
void writeTorchIndexSelect(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1, 3);
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  int64_t dim = writer.random.below(shape.size()), batch = writer.random.between(0, dim);
  Shape indexDims = writer.drawShape(0, 2, 12), index(shape.take_front(batch)), result(shape.take_front(dim));
  if (shape[dim] == 0)
    return;
  index.append(indexDims);
  result.append(indexDims);
  result.append(shape.begin() + dim + 1, shape.end());
  Value indices = writer.obtain(writer.getType(index, writer.getI32()));
  if (ShapedType::getNumElements(result) <= ProgramWriter::maxResultElements)
    writer.emit("stablehlo.torch_index_select", {operand, indices}, typeOf(operand).clone(result),
                {writer.integer("dim", dim), writer.integer("batch_dims", batch)});
}

Value emitReducePrecision(ProgramWriter &writer, Value operand) {
  return writer.emitOne("stablehlo.reduce_precision", operand, operand.getType(),
                        {writer.integer("exponent_bits", writer.random.between(2, 8), 32),
                         writer.integer("mantissa_bits", writer.random.between(0, 7), 32)});
}

void writeReducePrecision(ProgramWriter &writer) { emitReducePrecision(writer, writer.draw(Elements::Floats)); }

/// A running sum along a dim, with the sum handed on.
void writeChloScan(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Ordered, 1, 3);
  RankedTensorType type = typeOf(operand);
  int64_t dim = writer.random.below(type.getRank());
  Shape rest(type.getShape());
  rest.erase(rest.begin() + dim);
  RankedTensorType slice = type.clone(rest);
  Value initial = writer.obtain(slice);
  RegionBody body{{slice, slice}, [&writer, slice](ValueRange values) {
                    Value sum = writer.buildOne("stablehlo.add", values, slice);
                    return Values{sum, sum};
                  }};
  for (Value result :
       writer.emit("chlo.scan", {operand, initial}, {type, slice},
                   {writer.integer("dimension", dim), writer.boolean("is_reverse", writer.random.chance(30)),
                    writer.attribute("operandSegmentSizes", writer.builder.getDenseI32ArrayAttr({1, 1})),
                    writer.attribute("resultSegmentSizes", writer.builder.getDenseI32ArrayAttr({1, 1}))},
                   body))
    writer.bound(result);
}

void writeConstantLike(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any);
  RankedTensorType type = typeOf(operand).clone(writer.builder.getF32Type());
  writer.emit("chlo.constant_like", operand, type, writer.attribute("value", writer.builder.getF32FloatAttr(3)));
}

/// How long a dim is.
void writeDimensionSize(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  writer.emit("stablehlo.get_dimension_size", operand, writer.getScalar(writer.getI32()),
              writer.integer("dimension", writer.random.below(typeOf(operand).getRank())));
}

/// Constants of other dialects than stablehlo's, and a mark that keeps shardings from passing.
void writeOtherDialects(ProgramWriter &writer) {
  Builder &builder = writer.builder;
  if (writer.random.chance(40)) {
    auto none = sdy::PropagationDirectionAttr::get(builder.getContext(), sdy::PropagationDirection::NONE);
    Value operand = writer.draw(Elements::Any, 1);
    writer.emit("sdy.propagation_barrier", operand, operand.getType(), writer.attribute("allowed_direction", none));
    return;
  }
  RankedTensorType type = writer.getType(writer.drawShape(1, 3), builder.getF32Type());
  auto value = DenseElementsAttr::get(type, static_cast<float>(writer.random.between(-2, 3)));
  writer.emit(writer.random.chance(50) ? "chlo.constant" : "sdy.constant", {}, type, writer.attribute("value", value));
}

void writeBroadcastSelect(ProgramWriter &writer) {
  Value onTrue = writer.draw(Elements::Any, 1), onFalse = writer.obtain(typeOf(onTrue));
  Value predicate =
      writer.obtain(writer.random.chance(50) ? writer.getScalar(writer.getI1()) : typeOf(onTrue).clone(writer.getI1()));
  writer.emit("chlo.broadcast_select", {predicate, onTrue, onFalse}, onTrue.getType());
}

} // namespace partita::fuzz
