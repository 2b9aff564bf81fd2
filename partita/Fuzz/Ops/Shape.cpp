//===- Shape.cpp - ops that move elements ---------------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

//===----------------------------------------------------------------------===//
// Another shape or order
//===----------------------------------------------------------------------===//

/// Dims are kept, expanded from one, and new; sometimes in another order.
void writeBroadcast(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 0, 3);
  if (writer.random.chance(8)) {
    Shape sizes = {writer.drawDim()}, result = sizes;
    result.append(typeOf(operand).getShape().begin(), typeOf(operand).getShape().end());
    if (ShapedType::getNumElements(result) <= 2 * ProgramWriter::maxElements)
      writer.emit("stablehlo.broadcast", operand, typeOf(operand).clone(result),
                  writer.attribute("broadcast_sizes", sizes));
    return;
  }
  Shape shape, dims;
  for (int64_t size : typeOf(operand).getShape()) {
    while (writer.random.chance(30) && shape.size() < 4)
      shape.push_back(writer.drawDim());
    dims.push_back(shape.size());
    shape.push_back(size == 1 ? writer.drawDim() : size);
  }
  while (writer.random.chance(45) && shape.size() < 4)
    shape.push_back(writer.drawDim());
  if (writer.random.chance(15)) {
    Shape order = writer.drawOrder(shape.size()), moved(shape.size());
    for (auto [from, to] : llvm::enumerate(order))
      moved[to] = shape[from];
    for (int64_t &dim : dims)
      dim = order[dim];
    shape = moved;
  }
  if (ShapedType::getNumElements(shape) <= 2 * ProgramWriter::maxElements)
    writer.broadcast(operand, shape, dims);
}

void writeIota(ProgramWriter &writer) {
  Shape shape = writer.drawShape(1, 3);
  Type element = writer.drawElement(Elements::Arithmetic);
  writer.emit("stablehlo.iota", {}, writer.getType(shape, element),
              writer.integer("iota_dimension", writer.random.below(shape.size())));
}

void writeTranspose(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  Shape order = writer.drawOrder(typeOf(operand).getRank()), shape;
  for (int64_t dim : order)
    shape.push_back(typeOf(operand).getDimSize(dim));
  writer.emit("stablehlo.transpose", operand, typeOf(operand).clone(shape), writer.attribute("permutation", order));
}

void writeReverse(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  writer.emit("stablehlo.reverse", operand, operand.getType(),
              writer.attribute("dimensions", writer.drawDims(typeOf(operand).getRank(), 40)));
}

/// Numbers whose product is `size`.
static Shape factorize(ProgramWriter &writer, int64_t size, int64_t most) {
  Shape factors;
  while (size > 1 && static_cast<int64_t>(factors.size()) < most - 1 && writer.random.chance(75)) {
    Shape divisors;
    for (int64_t divisor = 2; divisor <= size; ++divisor)
      if (size % divisor == 0)
        divisors.push_back(divisor);
    factors.push_back(writer.random.pick<int64_t>(divisors));
    size /= factors.back();
  }
  if (size > 1 || factors.empty())
    factors.push_back(size);
  return factors;
}

/// Merges dims with their neighbors, then splits them again; or draws a new shape.
static Shape drawReshape(ProgramWriter &writer, ArrayRef<int64_t> shape) {
  if (writer.random.chance(25))
    return factorize(writer, ShapedType::getNumElements(shape), 4);
  Shape merged, result;
  for (int64_t size : shape) {
    if (!merged.empty() && writer.random.chance(40))
      merged.back() *= size;
    else
      merged.push_back(size);
  }
  for (int64_t size : merged) {
    if (writer.random.chance(50))
      result.append(factorize(writer, size, 3));
    else
      result.push_back(size);
    if (writer.random.chance(10))
      result.push_back(1);
  }
  return result;
}

void writeReshape(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 0);
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  if (llvm::is_contained(shape, 0)) {
    writer.emit("stablehlo.reshape", operand, typeOf(operand).clone({0, writer.drawDim()}));
    return;
  }
  Shape result = drawReshape(writer, shape);
  if (result.size() <= 6)
    writer.emit("stablehlo.reshape", operand, typeOf(operand).clone(result));
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

void writeConcatenate(ProgramWriter &writer) {
  Value first = writer.draw(Elements::Any, 1);
  int64_t dim = writer.random.below(typeOf(first).getRank()), total = typeOf(first).getDimSize(dim);
  Values operands = {first};
  for (int64_t count = writer.random.below(3); count > 0; --count) {
    Shape shape(typeOf(first).getShape());
    if (writer.random.chance(50))
      shape[dim] = writer.drawDim();
    total += shape[dim];
    operands.push_back(writer.obtain(typeOf(first).clone(shape)));
  }
  Shape result(typeOf(first).getShape());
  result[dim] = total;
  if (ShapedType::getNumElements(result) <= 2 * ProgramWriter::maxElements)
    writer.emit("stablehlo.concatenate", operands, typeOf(first).clone(result), writer.integer("dimension", dim));
}

void writeSlice(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  Shape starts, limits, strides, result;
  for (int64_t size : typeOf(operand).getShape()) {
    int64_t low = 0, high = size, stride = 1;
    if (writer.random.chance(50)) {
      low = writer.random.between(0, size);
      high = writer.random.between(low, size);
      stride = writer.random.pick({1, 1, 1, 2, 3});
    }
    starts.push_back(low);
    limits.push_back(high);
    strides.push_back(stride);
    result.push_back((high - low + stride - 1) / stride);
  }
  writer.emit("stablehlo.slice", operand, typeOf(operand).clone(result),
              {writer.attribute("start_indices", starts), writer.attribute("limit_indices", limits),
               writer.attribute("strides", strides)});
}

void writePad(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 0, 3);
  Value padding = writer.obtain(writer.getScalar(elementOf(operand)));
  Shape low, high, interior, result;
  for (int64_t size : typeOf(operand).getShape()) {
    int64_t before = 0, after = 0, between = 0;
    if (writer.random.chance(50)) {
      before = writer.random.between(-1, 3);
      after = writer.random.between(-1, 3);
      between = writer.random.pick({0, 0, 1, 2});
    }
    int64_t total = before + after + size + std::max<int64_t>(size - 1, 0) * between;
    if (total < 0) {
      before = after = between = 0;
      total = size;
    }
    low.push_back(before);
    high.push_back(after);
    interior.push_back(between);
    result.push_back(total);
  }
  writer.emit("stablehlo.pad", {operand, padding}, typeOf(operand).clone(result),
              {writer.attribute("edge_padding_low", low), writer.attribute("edge_padding_high", high),
               writer.attribute("interior_padding", interior)});
}

/// Rows [low, high) of a dim.
static Value emitRows(ProgramWriter &writer, Value operand, int64_t dim, int64_t low, int64_t high) {
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  Shape starts(shape.size(), 0), limits(shape), strides(shape.size(), 1), result(shape);
  starts[dim] = low;
  limits[dim] = high;
  result[dim] = high - low;
  return writer.emitOne("stablehlo.slice", operand, typeOf(operand).clone(result),
                        {writer.attribute("start_indices", starts), writer.attribute("limit_indices", limits),
                         writer.attribute("strides", strides)});
}

/// Rows come from neighbors, and there are as many as before: a shift, a roll, a reversal.
void writeMovedRows(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  RankedTensorType type = typeOf(operand);
  int64_t dim = 0, size = 0;
  auto divides = [&](const MeshAxis &axis) { return size > 0 && axis.size > 1 && size % axis.size == 0; };
  // A dim that an axis divides, if there is one in a few tries.
  for (int tries = 0; tries < 4 && llvm::none_of(writer.getOptions().mesh.axes, divides); ++tries) {
    dim = writer.random.below(type.getRank());
    size = type.getDimSize(dim);
  }
  if (size < 2)
    return;
  int64_t by = writer.random.between(1, size - 1);
  Shape low(type.getRank(), 0), high(low), interior(low);
  switch (writer.random.below(3)) {
  case 0:
    writer.emit("stablehlo.reverse", operand, type, writer.attribute("dimensions", Shape{dim}));
    return;
  case 1:
    low[dim] = writer.random.chance(50) ? by : -by;
    high[dim] = -low[dim];
    writer.emit("stablehlo.pad", {operand, writer.obtain(writer.getScalar(elementOf(operand)))}, type,
                {writer.attribute("edge_padding_low", low), writer.attribute("edge_padding_high", high),
                 writer.attribute("interior_padding", interior)});
    return;
  default:
    Value last = emitRows(writer, operand, dim, by, size), first = emitRows(writer, operand, dim, 0, by);
    writer.emit("stablehlo.concatenate", {last, first}, type, writer.integer("dimension", dim));
  }
}

/// Some dims as a whole, some in part.
static Shape drawWindow(ProgramWriter &writer, ArrayRef<int64_t> shape) {
  Shape window;
  for (int64_t size : shape)
    window.push_back(writer.random.chance(50) ? size : writer.random.between(std::min<int64_t>(size, 1), size));
  return window;
}

static Values drawStarts(ProgramWriter &writer, int64_t count) {
  RankedTensorType type =
      writer.getScalar(writer.random.chance(70) ? writer.getI32() : writer.drawElement(Elements::Integers));
  Values starts;
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(writer.random.chance(25) ? writer.constant(type, writer.random.between(-1, 4))
                                              : writer.obtain(type));
  return starts;
}

void writeDynamicSlice(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  Shape window = drawWindow(writer, typeOf(operand).getShape());
  Values operands = {operand};
  operands.append(drawStarts(writer, window.size()));
  writer.emit("stablehlo.dynamic_slice", operands, typeOf(operand).clone(window),
              writer.attribute("slice_sizes", window));
}

void writeDynamicUpdateSlice(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  RankedTensorType type = typeOf(operand);
  if (writer.random.chance(25))
    operand = writer.zeros(type);
  Values operands = {operand, writer.obtain(type.clone(drawWindow(writer, type.getShape())))};
  operands.append(drawStarts(writer, type.getRank()));
  writer.emit("stablehlo.dynamic_update_slice", operands, type);
}

} // namespace partita::fuzz
