//===- Sums.cpp - partial sums through linear ops -------------------------===//
//
// Two products over one contracted dim, the same linear ops on both, and their
// sum. If the contracted dim is split, partial sums propagate through all of
// these ops and are reduced once. No other op uses the values in between.
//
//===----------------------------------------------------------------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

/// Applies a linear op to each of the terms, which have one type. Does nothing if the op does not fit.
using LinearStep = void (*)(ProgramWriter &writer, Values &terms);

} // namespace

static void applyToAll(ProgramWriter &writer, Values &terms, StringRef name, Type result,
                       ArrayRef<NamedAttribute> attributes = {}, ValueRange others = {}) {
  for (Value &term : terms) {
    Values operands = {term};
    operands.append(others.begin(), others.end());
    term = writer.buildOne(name, operands, result, attributes);
  }
}

static int64_t drawDimOf(ProgramWriter &writer, Value value) { return writer.random.below(typeOf(value).getRank()); }

/// Negates one of the terms, or all.
static void negate(ProgramWriter &writer, Values &terms) {
  for (Value &term : terms)
    if (writer.random.chance(60))
      term = writer.buildOne("stablehlo.negate", term, term.getType());
}

static void transpose(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape order = writer.drawOrder(type.getRank()), shape;
  for (int64_t dim : order)
    shape.push_back(type.getDimSize(dim));
  applyToAll(writer, terms, "stablehlo.transpose", type.clone(shape), writer.attribute("permutation", order));
}

static void reshape(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape shape = {type.getNumElements()};
  if (type.getRank() < 2 || writer.random.chance(30)) {
    shape.assign(type.getShape().begin(), type.getShape().end());
    shape.insert(shape.begin() + writer.random.between(0, type.getRank()), 1);
  }
  applyToAll(writer, terms, "stablehlo.reshape", type.clone(shape));
}

static void broadcast(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape shape(type.getShape()), dims;
  int64_t position = writer.random.between(0, type.getRank());
  shape.insert(shape.begin() + position, writer.random.between(1, 3));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims.push_back(dim < position ? dim : dim + 1);
  applyToAll(writer, terms, "stablehlo.broadcast_in_dim", type.clone(shape),
             writer.attribute("broadcast_dimensions", dims));
}

static void reverse(ProgramWriter &writer, Values &terms) {
  Shape dims = writer.drawDims(typeOf(terms.front()).getRank(), 60);
  for (Value &term : terms)
    if (writer.random.chance(70))
      term = writer.buildOne("stablehlo.reverse", term, term.getType(), writer.attribute("dimensions", dims));
}

static void slice(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
  int64_t dim = drawDimOf(writer, terms.front());
  starts[dim] = writer.random.between(0, type.getDimSize(dim) / 2);
  Shape shape(type.getShape());
  shape[dim] -= starts[dim];
  applyToAll(writer, terms, "stablehlo.slice", type.clone(shape),
             {writer.attribute("start_indices", starts), writer.attribute("limit_indices", limits),
              writer.attribute("strides", strides)});
}

/// Where a slice starts: an argument, or a constant.
static Values obtainStarts(ProgramWriter &writer, int64_t rank) {
  Values starts;
  Type element = writer.getI32();
  for (int64_t dim = 0; dim < rank; ++dim)
    starts.push_back(writer.random.chance(40)
                         ? writer.obtain(writer.getScalar(element))
                         : writer.constant(writer.getScalar(element), writer.random.between(-1, 2)));
  return starts;
}

static void dynamicSlice(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape sizes(type.getShape());
  int64_t dim = drawDimOf(writer, terms.front());
  sizes[dim] = writer.random.between(1, std::max<int64_t>(sizes[dim], 1));
  if (type.getDimSize(dim) == 0)
    return;
  applyToAll(writer, terms, "stablehlo.dynamic_slice", type.clone(sizes), writer.attribute("slice_sizes", sizes),
             obtainStarts(writer, type.getRank()));
}

/// Updates zeros with the terms, at one index.
static void update(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Shape shape(type.getShape());
  shape[drawDimOf(writer, terms.front())] += writer.random.between(0, 3);
  Values starts = obtainStarts(writer, type.getRank());
  for (Value &term : terms) {
    Values operands = {writer.zeros(type.clone(shape)), term};
    operands.append(starts);
    term = writer.buildOne("stablehlo.dynamic_update_slice", operands, type.clone(shape));
  }
}

static void part(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  if (auto element = dyn_cast<ComplexType>(type.getElementType()))
    applyToAll(writer, terms, writer.random.chance(50) ? "stablehlo.real" : "stablehlo.imag",
               type.clone(element.getElementType()));
}

static void sum(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Type element = type.getElementType();
  int64_t dim = drawDimOf(writer, terms.front());
  Shape shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Reducer reducer{{"stablehlo.add"}, false};
  for (Value &term : terms)
    term = writer
               .build("stablehlo.reduce", {term, writer.constant(writer.getScalar(element), 0)}, type.clone(shape),
                      writer.attribute("dimensions", dim), makeReducerBody(writer, reducer, element))
               .front();
}

/// Scales by a number, or by a value that is whole.
static void scale(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  for (Value &term : terms) {
    Value by = writer.random.chance(70) ? writer.constant(type, writer.random.between(-2, 3)) : writer.obtain(type);
    bool isFirst = writer.random.chance(50);
    term = writer.buildOne("stablehlo.multiply", isFirst ? Values{by, term} : Values{term, by}, type);
  }
}

static void divide(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  if (writer.getOptions().exact || !isa<FloatType, ComplexType>(type.getElementType()))
    return;
  for (Value &term : terms) {
    Value by = writer.random.chance(70) ? writer.constant(type, writer.random.between(1, 4)) : writer.obtain(type);
    term = writer.buildOne("stablehlo.divide", {term, by}, type);
  }
}

static void convert(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Type element = writer.drawElement(Elements::Floats);
  if (writer.getOptions().exact || !isa<FloatType>(type.getElementType()) || element == type.getElementType())
    return;
  applyToAll(writer, terms, "stablehlo.convert", type.clone(element));
}

/// Chooses between each term and zeros, or between both terms.
static void choose(ProgramWriter &writer, Values &terms) {
  RankedTensorType type = typeOf(terms.front());
  Value zeros = writer.zeros(type), other = writer.random.chance(50) ? terms.back() : zeros;
  for (Value &term : terms) {
    Value predicate =
        writer.obtain(writer.random.chance(30) ? writer.getScalar(writer.getI1()) : type.clone(writer.getI1()));
    bool isFirst = writer.random.chance(50);
    term = writer.buildOne("stablehlo.select",
                           isFirst ? Values{predicate, term, other} : Values{predicate, other, term}, type);
  }
}

static constexpr LinearStep linearSteps[] = {negate,       transpose, reshape, broadcast, reverse, slice,
                                             dynamicSlice, update,    part,    sum,       scale,   divide,
                                             convert,      convert,   choose,  choose};

/// x.w and x.v: splitting the contracted dim of x makes both partial sums.
static Values contractTwice(ProgramWriter &writer, Type element) {
  Shape shape = {writer.drawDim(), writer.drawDim()};
  Value input = writer.random.chance(60) ? writer.addArgument(writer.getType(shape, element))
                                         : writer.obtain(writer.getType(shape, element));
  RankedTensorType weight = writer.getType({shape[1], writer.drawDim()}, element);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(writer.builder.getContext(), {}, {}, {1}, {0});
  Values terms;
  for (int64_t count = 0; count < 2; ++count)
    terms.push_back(writer.buildOne("stablehlo.dot_general", {input, writer.obtain(weight)},
                                    writer.getType({shape[0], weight.getDimSize(1)}, element),
                                    writer.attribute("dot_dimension_numbers", numbers)));
  return terms;
}

void writeSums(ProgramWriter &writer) {
  bool isComplex = !writer.getOptions().exact && !writer.getOptions().portable && writer.random.chance(30);
  Elements elements = isComplex ? Elements::Complex : writer.random.chance(70) ? Elements::Floats : Elements::Ordered;
  Values terms = contractTwice(writer, writer.drawElement(elements));
  auto isSmall = [&] {
    return typeOf(terms.front()).getRank() > 0 && typeOf(terms.front()).getNumElements() <= ProgramWriter::maxElements;
  };
  if (isComplex && writer.random.chance(60))
    part(writer, terms);
  for (int64_t count = writer.random.between(1, 3); count > 0; --count)
    if (isSmall())
      linearSteps[writer.random.below(std::size(linearSteps))](writer, terms);
  StringRef name = writer.random.chance(70) ? "stablehlo.add" : "stablehlo.subtract";
  writer.bound(writer.emitOne(name, terms, terms.front().getType()));
}

} // namespace partita::fuzz
