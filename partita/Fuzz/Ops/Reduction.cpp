//===- Reduction.cpp - reductions, windows, sorts, maps -------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

/// Operands and body of a reduction of one or two values.
struct Reduction {
  Reducer reducer;
  SmallVector<Type> elements;
  /// Inputs, then initial values.
  Values operands;
};

} // namespace

static Reduction drawReduction(ProgramWriter &writer, Value first) {
  Reduction reduction;
  reduction.elements.push_back(elementOf(first));
  reduction.operands.push_back(first);
  if (writer.random.chance(22)) {
    Type element = writer.random.chance(50) ? writer.getI32() : writer.drawElement(Elements::Any);
    reduction.elements.push_back(element);
    reduction.operands.push_back(writer.obtain(typeOf(first).clone(element)));
  }
  reduction.reducer = drawReducer(writer, reduction.elements);
  for (auto [op, element] : llvm::zip_equal(reduction.reducer.ops, reduction.elements))
    reduction.operands.push_back(drawInitial(writer, op, element));
  return reduction;
}

static SmallVector<Type> getResultTypes(ProgramWriter &writer, const Reduction &reduction, ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(reduction.elements, [&](Type element) -> Type { return writer.getType(shape, element); });
}

static void emitReduction(ProgramWriter &writer, StringRef name, const Reduction &reduction, ArrayRef<int64_t> shape,
                          ArrayRef<NamedAttribute> attributes) {
  for (Value result : writer.emit(name, reduction.operands, getResultTypes(writer, reduction, shape), attributes,
                                  makeReducerBody(writer, reduction.reducer, reduction.elements)))
    if (reduction.reducer.ops.front() == "stablehlo.add")
      writer.bound(result);
}

/// Sums in a wider type than the operand's.
static void widen(ProgramWriter &writer, Reduction &reduction) {
  Type narrow = reduction.elements.front();
  Builder &builder = writer.builder;
  if (reduction.elements.size() != 1 || reduction.reducer.ops.front() != "stablehlo.add" || narrow.isInteger(1))
    return;
  if (isa<IntegerType>(narrow) && narrow.isSignlessInteger() && narrow.getIntOrFloatBitWidth() < 32)
    reduction.elements.front() = builder.getI32Type();
  else if (narrow.isBF16() || narrow.isF16())
    reduction.elements.front() = builder.getF32Type();
  else
    return;
  reduction.operands.back() = writer.constant(writer.getScalar(reduction.elements.front()), 0);
}

/// (maximum, sum of exponentials)
static Values writeExponentials(ProgramWriter &writer, ValueRange scalars) {
  Type type = scalars.front().getType();
  Value top = writer.buildOne("stablehlo.maximum", {scalars[0], scalars[2]}, type);
  Value terms[2];
  for (auto [side, term] : llvm::enumerate(terms)) {
    Value below = writer.buildOne("stablehlo.subtract", {scalars[2 * side], top}, type);
    Value factor = writer.buildOne("stablehlo.exponential", {below}, type);
    term = writer.buildOne("stablehlo.multiply", {scalars[2 * side + 1], factor}, type);
  }
  return {top, writer.buildOne("stablehlo.add", {terms[0], terms[1]}, type)};
}

/// (whether a segment begins, sum of the last segment)
static Values writeSegments(ProgramWriter &writer, ValueRange scalars) {
  Type flag = scalars[0].getType(), type = scalars[1].getType();
  Value sum = writer.buildOne("stablehlo.add", {scalars[1], scalars[3]}, type);
  return {writer.buildOne("stablehlo.or", {scalars[0], scalars[2]}, flag),
          writer.buildOne("stablehlo.select", {scalars[2], scalars[3], sum}, type)};
}

/// The least number of a float type that is one.
static Value makeLeast(ProgramWriter &writer, FloatType element) {
  auto least = APFloat::getLargest(element.getFloatSemantics(), /*Negative=*/true);
  auto value = DenseElementsAttr::get(writer.getScalar(element), least);
  return writer.buildOne("stablehlo.constant", {}, writer.getScalar(element), writer.attribute("value", value));
}

/// A reduction of pairs whose body computes numbers and is associative; sometimes its init value is not neutral.
static void writePairs(ProgramWriter &writer) {
  Value last = writer.draw(Elements::Arithmetic, 1);
  RankedTensorType type = typeOf(last), scalar = writer.getScalar(type.getElementType());
  auto real = dyn_cast<FloatType>(type.getElementType());
  bool isKnown = isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IntegerType>(type.getElementType());
  if (!isKnown)
    return;
  // Exponentials are exact in no floats.
  bool hasExponentials = real && !writer.getOptions().exact && writer.random.chance(70);
  RankedTensorType firstScalar = hasExponentials ? scalar : writer.getScalar(writer.getI1());
  Value first = writer.obtain(type.clone(firstScalar.getElementType()));
  Value start = hasExponentials ? makeLeast(writer, real) : writer.constant(firstScalar, 0);
  Value init = writer.constant(scalar, writer.random.chance(90) ? 0 : 1);
  Shape dims = writer.drawDims(type.getRank(), 45), shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  RegionBody body{{firstScalar, scalar, firstScalar, scalar}, [&](ValueRange scalars) {
                    return hasExponentials ? writeExponentials(writer, scalars) : writeSegments(writer, scalars);
                  }};
  SmallVector<Type> results{firstScalar.clone(shape), scalar.clone(shape)};
  Values made =
      writer.emit("stablehlo.reduce", {first, last, start, init}, results, writer.attribute("dimensions", dims), body);
  writer.bound(made.back());
}

void writeReduce(ProgramWriter &writer) {
  if (writer.random.chance(15))
    return writePairs(writer);
  Value first = writer.draw(Elements::Any, 0);
  Reduction reduction = drawReduction(writer, first);
  if (writer.random.chance(20))
    widen(writer, reduction);
  Shape dims = writer.drawDims(typeOf(first).getRank(), 45), shape;
  for (auto [dim, size] : llvm::enumerate(typeOf(first).getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  emitReduction(writer, "stablehlo.reduce", reduction, shape, writer.attribute("dimensions", dims));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

struct Window {
  Shape sizes, strides, base, dilations, low, high, results;

  void add(int64_t dim, int64_t size, int64_t stride, int64_t spread, int64_t dilation, int64_t before, int64_t after) {
    int64_t total = (dim == 0 ? 0 : (dim - 1) * spread + 1) + before + after, span = (size - 1) * dilation + 1;
    sizes.push_back(size);
    strides.push_back(stride);
    base.push_back(spread);
    dilations.push_back(dilation);
    low.push_back(before);
    high.push_back(after);
    results.push_back(total < span ? 0 : (total - span) / stride + 1);
  }
};

} // namespace

/// Half of the dims have a window of one, the others at most three wide.
static Window drawWindow(ProgramWriter &writer, ArrayRef<int64_t> shape, bool isDilated) {
  Window window;
  for (int64_t dim : shape) {
    RandomChoice &random = writer.random;
    if (random.chance(50))
      window.add(dim, 1, 1, 1, 1, 0, 0);
    else if (dim > 0 && random.chance(30)) // One window for all, or several that do not meet.
      window.add(dim, dim % 2 == 0 && random.chance(30) ? 2 : dim, dim % 2 == 0 ? 2 : 1, 1, 1, 0, 0);
    else
      window.add(dim, random.pick({1, 2, 2, 3}), random.pick({1, 1, 2}), isDilated ? random.pick({1, 1, 2}) : 1,
                 isDilated ? random.pick({1, 1, 2}) : 1, random.pick({0, 0, 1}), random.pick({0, 0, 1, 2}));
  }
  return window;
}

static SmallVector<NamedAttribute> getAttributes(ProgramWriter &writer, const Window &window, bool isDilated) {
  SmallVector<NamedAttribute> attributes = {writer.attribute("window_dimensions", window.sizes),
                                            writer.attribute("window_strides", window.strides),
                                            writer.pairs("padding", window.low, window.high)};
  if (isDilated) {
    attributes.push_back(writer.attribute("base_dilations", window.base));
    attributes.push_back(writer.attribute("window_dilations", window.dilations));
  }
  return attributes;
}

void writeReduceWindow(ProgramWriter &writer) {
  Value first = writer.draw(Elements::Any, 1, 4);
  Reduction reduction = drawReduction(writer, first);
  bool isDilated = writer.random.chance(50);
  Window window = drawWindow(writer, typeOf(first).getShape(), isDilated);
  emitReduction(writer, "stablehlo.reduce_window", reduction, window.results, getAttributes(writer, window, isDilated));
}

/// As JAX lowers cumsum: a window as long as the dim, padded on one side.
void writeRunningSum(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Arithmetic, 1, 3);
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  int64_t along = writer.random.below(shape.size());
  bool isReversed = writer.random.chance(30);
  if (shape[along] == 0)
    return;
  Window window;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isAlong = static_cast<int64_t>(dim) == along;
    int64_t pad = isAlong ? size - 1 : 0;
    window.add(size, isAlong ? size : 1, 1, 1, 1, isReversed ? 0 : pad, isReversed ? pad : 0);
  }
  Type element = elementOf(operand);
  Reducer reducer{{"stablehlo.add"}, false};
  writer.bound(writer.emitOne("stablehlo.reduce_window", {operand, writer.constant(writer.getScalar(element), 0)},
                              operand.getType(), getAttributes(writer, window, false),
                              makeReducerBody(writer, reducer, element)));
}

void writeSelectAndScatter(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Ordered, 1, 4);
  Window window = drawWindow(writer, typeOf(operand).getShape(), false);
  Value source = writer.obtain(typeOf(operand).clone(window.results));
  Type element = elementOf(operand);
  Value initial = drawInitial(writer, "stablehlo.add", element);
  RankedTensorType scalar = writer.getScalar(element);
  Reducer reducer{{"stablehlo.add"}, false};
  auto direction = static_cast<unsigned>(writer.random.pick({2, 3, 4}));
  writer.bound(
      writer.emitOne("stablehlo.select_and_scatter", {operand, source, initial}, operand.getType(),
                     getAttributes(writer, window, false),
                     {makeOrderBody(writer, {scalar, scalar}, direction), makeReducerBody(writer, reducer, element)}));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void writeSort(ProgramWriter &writer) {
  Value first = writer.draw(Elements::Ordered, 1);
  Values operands = {first};
  if (writer.random.chance(40))
    operands.push_back(writer.obtain(typeOf(first).clone(writer.drawElement(Elements::Any))));
  SmallVector<Type> arguments, results;
  for (Value operand : operands) {
    arguments.append(2, writer.getScalar(elementOf(operand)));
    results.push_back(operand.getType());
  }
  auto direction = static_cast<unsigned>(writer.random.pick({3, 5}));
  writer.emit("stablehlo.sort", operands, results,
              {writer.integer("dimension", writer.random.below(typeOf(first).getRank())),
               writer.boolean("is_stable", writer.getOptions().portable || writer.random.chance(50))},
              makeOrderBody(writer, arguments, direction));
}

void writeTopK(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Ordered, 1);
  Shape shape(typeOf(operand).getShape());
  shape.back() = writer.random.between(0, shape.back());
  writer.emit("chlo.top_k", operand, {typeOf(operand).clone(shape), writer.getType(shape, writer.getI32())},
              writer.integer("k", shape.back()));
}

/// (x, y, ...) -> x * y + x, or a choice.
void writeMap(ProgramWriter &writer) {
  Value first = writer.draw(Elements::Ordered, 0, 3);
  Values operands = {first};
  for (int64_t count = writer.random.below(2); count > 0; --count)
    operands.push_back(writer.obtain(typeOf(first)));
  RankedTensorType scalar = writer.getScalar(elementOf(first));
  RegionBody body{SmallVector<Type>(operands.size(), scalar), {}};
  body.write = [&writer, scalar](ValueRange scalars) {
    Value product = writer.buildOne("stablehlo.multiply", {scalars.front(), scalars.back()}, scalar);
    return Values{writer.buildOne("stablehlo.subtract", {product, scalars.front()}, scalar)};
  };
  Shape dims = llvm::to_vector(llvm::seq<int64_t>(typeOf(first).getRank()));
  writer.bound(writer.emitOne("stablehlo.map", operands, first.getType(), writer.attribute("dimensions", dims), body));
}

} // namespace partita::fuzz
