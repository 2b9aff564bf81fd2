//===- Blocks.cpp - small groups of ops as in models ----------------------===//
//
// Groups of ops through which a split must propagate: a linear layer with its
// bias, softmax, a norm, the gradients of a product, an embedding lookup.
//
//===----------------------------------------------------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace partita::fuzz {

/// Contracts dim `lhsDim` with `rhsDim`; all others are free.
static Value contract(ProgramWriter &writer, Value lhs, Value rhs, int64_t lhsDim, int64_t rhsDim) {
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(typeOf(lhs).getShape()))
    if (static_cast<int64_t>(dim) != lhsDim)
      shape.push_back(size);
  for (auto [dim, size] : llvm::enumerate(typeOf(rhs).getShape()))
    if (static_cast<int64_t>(dim) != rhsDim)
      shape.push_back(size);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, lhsDim, rhsDim);
  return writer.bound(writer.emitOne("stablehlo.dot_general", {lhs, rhs}, writer.getType(shape, elementOf(lhs)),
                                     writer.attribute("dot_dimension_numbers", numbers)));
}

/// Reduces the last dim and repeats the result along it.
static Value reduceLast(ProgramWriter &writer, Value value, StringRef op) {
  RankedTensorType type = typeOf(value);
  Type element = type.getElementType();
  RankedTensorType scalar = writer.getScalar(element);
  Value initial = op == "stablehlo.add" ? writer.constant(scalar, 0) : writer.infinity(scalar, true);
  Reducer reducer{{op}, false};
  Value reduced = writer.bound(
      writer.emitOne("stablehlo.reduce", {value, initial}, type.clone(type.getShape().drop_back()),
                     writer.attribute("dimensions", type.getRank() - 1), makeReducerBody(writer, reducer, element)));
  Shape dims = llvm::to_vector(llvm::seq<int64_t>(type.getRank() - 1));
  return writer.broadcast(reduced, type.getShape(), dims);
}

void writeLinear(ProgramWriter &writer) {
  Value input = writer.draw(Elements::Ordered, 1, 3);
  int64_t width = writer.drawDim(), last = typeOf(input).getRank() - 1;
  Value weight = writer.obtain(writer.getType({typeOf(input).getShape().back(), width}, elementOf(input)));
  Value product = contract(writer, input, weight, last, 0);
  if (writer.random.chance(60)) {
    Value bias =
        writer.broadcast(writer.obtain(writer.getType({width}, elementOf(input))), typeOf(product).getShape(), {last});
    product = writer.bound(writer.emitOne("stablehlo.add", {product, bias}, product.getType()));
  }
  if (writer.random.chance(60))
    writer.emit("stablehlo.maximum", {product, writer.constant(typeOf(product), 0)}, product.getType());
}

void writeSoftmax(ProgramWriter &writer) {
  Value input = writer.draw(Elements::Floats, 1, 4);
  Type type = input.getType();
  Value shifted = writer.emitOne("stablehlo.subtract", {input, reduceLast(writer, input, "stablehlo.maximum")}, type);
  Value powers = writer.emitOne("stablehlo.exponential", shifted, type);
  writer.emit("stablehlo.divide", {powers, reduceLast(writer, powers, "stablehlo.add")}, type);
}

void writeNormalization(ProgramWriter &writer) {
  Value input = writer.draw(Elements::Floats, 1, 3);
  Type type = input.getType();
  Value squares = writer.emitOne("stablehlo.multiply", {input, input}, type);
  Value scale = writer.emitOne("stablehlo.rsqrt", reduceLast(writer, squares, "stablehlo.add"), type);
  Value scaled = writer.emitOne("stablehlo.multiply", {input, scale}, type);
  RankedTensorType vector = typeOf(input).clone({typeOf(input).getShape().back()});
  Value gain = writer.broadcast(writer.obtain(vector), typeOf(input).getShape(), {typeOf(input).getRank() - 1});
  writer.emit("stablehlo.multiply", {scaled, gain}, type);
}

/// y = x.w; the gradients of x and w from that of y, added to others: sums of partial sums.
void writeGradient(ProgramWriter &writer) {
  Value input = writer.draw(Elements::Ordered, 2, 2);
  Value weight = writer.obtain(writer.getType({typeOf(input).getDimSize(1), writer.drawDim()}, elementOf(input)));
  Value output = contract(writer, input, weight, 1, 0);
  Value gradient = writer.obtain(typeOf(output));
  Value ofWeight = contract(writer, input, gradient, 0, 0);
  Value ofInput = contract(writer, gradient, weight, 1, 1);
  if (writer.random.chance(50))
    ofInput = writer.bound(
        writer.emitOne("stablehlo.add", {ofInput, contract(writer, output, weight, 1, 1)}, ofInput.getType()));
  writer.bound(writer.emitOne("stablehlo.subtract", {weight, ofWeight}, weight.getType()));
  writer.bound(writer.emitOne("stablehlo.add", {input, ofInput}, input.getType()));
}

/// One product whose columns are two or three parts side by side, sometimes of other sizes; and the gradient of its
/// weight from theirs.
void writeFused(ProgramWriter &writer) {
  Value input = writer.draw(Elements::Ordered, 2, 2);
  Shape sizes(2 + writer.random.below(2), writer.random.pick({2, 4, 6, 8}));
  if (writer.random.chance(40))
    sizes.front() *= 2;
  int64_t width = std::accumulate(sizes.begin(), sizes.end(), int64_t(0)), rows = typeOf(input).getDimSize(0),
          start = 0;
  Value weight = writer.obtain(writer.getType({typeOf(input).getDimSize(1), width}, elementOf(input)));
  Value product = contract(writer, input, weight, 1, 0);
  Values gradients;
  for (int64_t size : sizes) {
    RankedTensorType type = writer.getType({rows, size}, elementOf(input));
    Value part =
        writer.emitOne("stablehlo.slice", product, type,
                       {writer.attribute("start_indices", {0, start}),
                        writer.attribute("limit_indices", {rows, start + size}), writer.attribute("strides", {1, 1})});
    gradients.push_back(writer.bound(writer.emitOne("stablehlo.multiply", {part, part}, type)));
    start += size;
  }
  if (writer.random.chance(50))
    return;
  Value joined = writer.emitOne("stablehlo.concatenate", gradients, product.getType(), writer.integer("dimension", 1));
  Value ofWeight = contract(writer, input, joined, 0, 0);
  writer.bound(writer.emitOne("stablehlo.subtract", {weight, ofWeight}, weight.getType()));
}

/// Rows of a table and sometimes their gradient, which adds rows to zeros.
void writeLookup(ProgramWriter &writer) {
  Value table = writer.draw(Elements::Arithmetic, 2, 2);
  MLIRContext *context = writer.builder.getContext();
  Shape positions = writer.drawShape(1, 2, 24), shape = positions;
  int64_t rank = positions.size(), width = typeOf(table).getDimSize(1);
  if (typeOf(table).getDimSize(0) == 0)
    return;
  shape.push_back(width);
  Value indices = writer.obtain(writer.getType(positions, writer.getI32()));
  auto rows = stablehlo::GatherDimensionNumbersAttr::get(context, {rank}, {0}, {}, {}, {0}, rank);
  Value taken =
      writer.emitOne("stablehlo.gather", {table, indices}, typeOf(table).clone(shape),
                     {writer.attribute("dimension_numbers", rows), writer.attribute("slice_sizes", {1, width}),
                      writer.boolean("indices_are_sorted", false)});
  if (writer.random.chance(50))
    return;
  auto back = stablehlo::ScatterDimensionNumbersAttr::get(context, {rank}, {0}, {}, {}, {0}, rank);
  Reducer reducer{{"stablehlo.add"}, false};
  writer.bound(writer.emitOne("stablehlo.scatter", {writer.zeros(typeOf(table)), indices, taken}, table.getType(),
                              {writer.attribute("scatter_dimension_numbers", back),
                               writer.boolean("indices_are_sorted", false), writer.boolean("unique_indices", false)},
                              makeReducerBody(writer, reducer, elementOf(table))));
}

} // namespace partita::fuzz
