//===- ProgramWriter.cpp - writes a random program op by op ---------------===//

#include "partita/Fuzz/ProgramWriter.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Remainders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::fuzz {

static int64_t countElements(ArrayRef<int64_t> shape) { return ShapedType::getNumElements(shape); }

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool isOneOf(Type type, Elements elements) {
  bool isFloat = isa<FloatType>(type), isComplex = isa<ComplexType>(type), isBool = type.isInteger(1);
  bool isInteger = isa<IntegerType>(type) && !isBool;
  switch (elements) {
  case Elements::Floats:
    return isFloat;
  case Elements::Signed:
    return isFloat || isComplex || (isInteger && type.isSignlessInteger());
  case Elements::Integers:
    return isInteger;
  case Elements::Complex:
    return isComplex;
  case Elements::Ordered:
    return isFloat || isInteger;
  case Elements::Arithmetic:
    return isFloat || isInteger || isComplex;
  case Elements::Logical:
    return isInteger || isBool;
  case Elements::Any:
    return true;
  }
  llvm_unreachable("unknown set of elements");
}

/// All element types that programs use, the common ones several times.
static SmallVector<Type> listElements(Builder &builder, const ProgramOptions &options) {
  MLIRContext *context = builder.getContext();
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type(), i1 = builder.getI1Type();
  auto makeUnsigned = [&](unsigned width) { return IntegerType::get(context, width, IntegerType::Unsigned); };
  SmallVector<Type> types = {f32,
                             f32,
                             f32,
                             f32,
                             i32,
                             i32,
                             i1,
                             builder.getF64Type(),
                             builder.getI64Type(),
                             builder.getIntegerType(8),
                             makeUnsigned(8),
                             makeUnsigned(32)};
  if (options.exact)
    return types;
  types.append({builder.getBF16Type(), builder.getBF16Type(), builder.getF16Type(), ComplexType::get(f32)});
  if (options.portable)
    return types;
  types.append({builder.getIntegerType(16), builder.getIntegerType(4), makeUnsigned(16), makeUnsigned(64),
                Float8E4M3FNType::get(context), Float8E5M2Type::get(context), ComplexType::get(builder.getF64Type()),
                builder.getIntegerType(2), makeUnsigned(4)});
  return types;
}

static constexpr int64_t allDims[] = {1, 1, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6, 7, 8, 8, 8, 12, 12, 16};

void ProgramWriter::drawPalettes() {
  SmallVector<Type> all = listElements(builder, options);
  elements.push_back(random.chance(60) ? all.front() : random.pick<Type>(all));
  for (int64_t count = random.between(1, 2); count > 0; --count)
    elements.push_back(random.pick<Type>(all));
  // At least one size that axes divide.
  dims.push_back(random.pick({2, 4, 4, 6, 8, 8, 12, 16}));
  for (const MeshAxis &axis : options.mesh.axes)
    if (random.chance(70))
      dims.push_back(axis.size * random.pick({1, 1, 2, 2, 3, 4}));
  llvm::erase_if(dims, [](int64_t size) { return size > 16; });
  for (int64_t count = random.between(1, 3); count > 0; --count)
    dims.push_back(random.pick<int64_t>(allDims));
}

Type ProgramWriter::drawElement(Elements wanted) {
  auto fits = [&](Type type) { return isOneOf(type, wanted); };
  SmallVector<Type> own(llvm::make_filter_range(elements, fits));
  if (!own.empty() && !random.chance(12))
    return random.pick<Type>(own);
  SmallVector<Type> all(llvm::make_filter_range(listElements(builder, options), fits));
  return all.empty() ? builder.getF32Type() : random.pick<Type>(all);
}

int64_t ProgramWriter::drawDim() {
  // Empty tensors are rare, since nothing computed from them can be wrong.
  if (random.below(400) == 0)
    return 0;
  return random.chance(88) ? random.pick<int64_t>(dims) : random.pick<int64_t>(allDims);
}

int64_t ProgramWriter::drawUnevenDim() {
  if (options.mesh.axes.empty())
    return drawDim();
  int64_t parts = options.mesh.axes[random.below(options.mesh.axes.size())].size, size = 0;
  StringRef wanted = random.pick<llvm::StringLiteral>(remainderClasses);
  for (int tries = 0; tries < 16; ++tries) {
    size = random.between(2, 16);
    if (size % parts != 0 &&
        findRemainderClass({size, llvm::divideCeilSigned(size, parts) * parts, 1}, parts) == wanted)
      break;
  }
  return size;
}

Shape ProgramWriter::drawShape(int64_t lowestRank, int64_t highestRank, int64_t mostElements) {
  Shape shape(random.between(lowestRank, highestRank));
  for (int64_t &size : shape)
    size = drawDim();
  for (size_t tries = 0; countElements(shape) > mostElements; ++tries)
    shape[random.below(shape.size())] = tries < 4 ? drawDim() : random.between(1, 3);
  return shape;
}

Shape ProgramWriter::drawDims(int64_t rank, int64_t percent) {
  Shape taken;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (random.chance(percent))
      taken.push_back(dim);
  return taken;
}

Shape ProgramWriter::drawOrder(int64_t rank) {
  Shape order = llvm::to_vector(llvm::seq<int64_t>(rank));
  random.shuffle(order);
  return order;
}

RankedTensorType ProgramWriter::getType(ArrayRef<int64_t> shape, Type element) const {
  return RankedTensorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ProgramWriter::ProgramWriter(uint64_t seed, const ProgramOptions &options, func::FuncOp main)
    : random(seed), builder(main.getContext()), loc(builder.getUnknownLoc()), options(options), main(main) {
  builder.setInsertionPointToEnd(&main.getBody().front());
  drawPalettes();
}

void ProgramWriter::show(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getNumElements() <= maxResultElements && type.getRank() <= 6)
    visible.push_back(value);
}

void ProgramWriter::hide(Value value) { llvm::erase(visible, value); }

Value ProgramWriter::addArgument(RankedTensorType type) {
  Value argument = main.getBody().front().addArgument(type, nameNext("in.x"));
  visible.insert(visible.begin(), argument);
  return argument;
}

Value ProgramWriter::pick(Wanted wanted) {
  SmallVector<Value> fitting;
  for (Value value : visible)
    if (wanted(typeOf(value)))
      fitting.push_back(value);
  if (fitting.empty())
    return nullptr;
  return fitting[std::max(random.below(fitting.size()), random.below(fitting.size()))];
}

Value ProgramWriter::draw(Elements wanted, int64_t lowestRank, int64_t highestRank) {
  Value value = pick([&](RankedTensorType type) {
    return isOneOf(type.getElementType(), wanted) && type.getRank() >= lowestRank && type.getRank() <= highestRank &&
           type.getNumElements() <= maxElements * 2;
  });
  if (value && !random.chance(8))
    return value;
  return obtain(getType(drawShape(lowestRank, highestRank), drawElement(wanted)));
}

Value ProgramWriter::obtain(RankedTensorType type) {
  Value same = pick([&](RankedTensorType other) { return other == type; });
  if (same && random.chance(75))
    return same;
  if (random.chance(40))
    if (Value derived = derive(type))
      return derived;
  return main.getBody().front().getNumArguments() < 16 && !random.chance(8) ? addArgument(type) : randomConstant(type);
}

Value ProgramWriter::obtainIndex(ArrayRef<int64_t> shape) {
  Type element = random.chance(70) ? getI32() : drawElement(Elements::Integers);
  return obtain(getType(shape, element));
}

Value ProgramWriter::derive(RankedTensorType type) {
  switch (random.below(4)) {
  case 0: // The same shape with other elements.
    if (Value value = pick([&](RankedTensorType other) { return other.getShape() == type.getShape(); }))
      return convert(value, type.getElementType());
    return nullptr;
  case 1: // A scalar everywhere.
    if (Value scalar = pick([&](RankedTensorType other) {
          return other.getRank() == 0 && other.getElementType() == type.getElementType();
        }))
      return broadcast(scalar, type.getShape(), {});
    return nullptr;
  case 2:
    if (type.getRank() == 0 || type.getElementType().isInteger(1))
      return nullptr;
    return emitOne("stablehlo.iota", {}, type, integer("iota_dimension", random.below(type.getRank())));
  default: // Another order of dims.
    return nullptr;
  }
}

/// The conversion of a float beyond an integer's range is undefined, and a large integer is not exact as a float.
static bool isSafe(Type from, Type to, const ProgramOptions &options) {
  if (options.portable && isa<FloatType>(from) && isa<IntegerType>(to))
    return false;
  bool rounds = isa<IntegerType>(from) && isa<FloatType>(to) && from.getIntOrFloatBitWidth() > 16;
  return !options.exact || !rounds;
}

Value ProgramWriter::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  if (!isSafe(elementOf(value), element, options))
    return nullptr;
  return emitOne("stablehlo.convert", value, typeOf(value).clone(element));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A number as an attribute of the element type; integers wrap.
static Attribute makeNumber(Type element, double value) {
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(type, number);
  }
  auto type = cast<IntegerType>(element);
  return IntegerAttr::get(type, APInt(64, static_cast<int64_t>(value), true).sextOrTrunc(type.getWidth()));
}

static DenseElementsAttr makeElements(RankedTensorType type, ArrayRef<double> values) {
  if (auto element = dyn_cast<ComplexType>(type.getElementType())) {
    auto part = cast<FloatType>(element.getElementType());
    SmallVector<std::complex<APFloat>> numbers;
    for (double value : values) {
      APFloat number = cast<FloatAttr>(makeNumber(part, value)).getValue();
      numbers.push_back({number, number});
    }
    return DenseElementsAttr::get(type, numbers);
  }
  SmallVector<Attribute> numbers;
  for (double value : values)
    numbers.push_back(makeNumber(type.getElementType(), value));
  return DenseElementsAttr::get(type, numbers);
}

Value ProgramWriter::constant(RankedTensorType type, double value) {
  return buildOne("stablehlo.constant", {}, type, attribute("value", makeElements(type, value)));
}

Value ProgramWriter::zeros(RankedTensorType type) {
  return random.chance(50) ? constant(type, 0)
                           : broadcast(constant(getScalar(type.getElementType()), 0), type.getShape(), {});
}

Value ProgramWriter::infinity(RankedTensorType type, bool negative) {
  Type element = type.getElementType();
  Attribute value;
  if (auto floatType = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    value = FloatAttr::get(floatType, llvm::APFloatBase::semanticsHasInf(semantics)
                                          ? APFloat::getInf(semantics, negative)
                                          : APFloat::getLargest(semantics, negative));
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    bool isUnsigned = element.isUnsignedInteger() || width == 1;
    value = IntegerAttr::get(element, negative
                                          ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                                          : (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width)));
  }
  return buildOne("stablehlo.constant", {}, type, attribute("value", DenseElementsAttr::get(type, value)));
}

Value ProgramWriter::randomConstant(RankedTensorType type) {
  if (random.chance(40) || type.getNumElements() == 0)
    return constant(type, random.between(-4, 4));
  SmallVector<double> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.push_back(random.between(-4, 4));
  return emitOne("stablehlo.constant", {}, type, attribute("value", makeElements(type, values)));
}

Value ProgramWriter::broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return emitOne("stablehlo.broadcast_in_dim", value, getType(shape, elementOf(value)),
                 attribute("broadcast_dimensions", dims));
}

Value ProgramWriter::bound(Value value) {
  if (!options.exact || !isa<FloatType>(elementOf(value)))
    return value;
  // No other op may use the large value.
  hide(value);
  return emitOne("stablehlo.remainder", {value, constant(typeOf(value), 7)}, value.getType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Location ProgramWriter::nameNext(StringRef prefix) {
  return NameLoc::get(builder.getStringAttr(prefix + llvm::Twine(numNames++)));
}

Values ProgramWriter::build(StringRef name, ValueRange operands, TypeRange results, ArrayRef<NamedAttribute> attributes,
                            ArrayRef<RegionBody> regions) {
  OperationState state(nameNext("v"), name, operands, results, attributes);
  for (const RegionBody &body : regions) {
    OpBuilder::InsertionGuard guard(builder);
    Region *region = state.addRegion();
    SmallVector<Location> locations(body.arguments.size(), loc);
    Block *block = builder.createBlock(region, region->end(), body.arguments, locations);
    Values returned = body.write(block->getArguments());
    builder.setInsertionPointToEnd(block);
    OperationState terminator(loc, "stablehlo.return", returned, TypeRange());
    builder.create(terminator);
  }
  ++numOps;
  return Values(builder.create(state)->getResults());
}

Values ProgramWriter::emit(StringRef name, ValueRange operands, TypeRange results, ArrayRef<NamedAttribute> attributes,
                           ArrayRef<RegionBody> regions) {
  Values values = build(name, operands, results, attributes, regions);
  for (Value value : values)
    show(value);
  return values;
}

RegionBody ProgramWriter::scope(TypeRange arguments, std::function<Values(ValueRange)> write) {
  auto inScope = [this, write = std::move(write)](ValueRange inner) {
    // Inner values are at the end of the list; arguments added meanwhile are at the front.
    size_t outer = visible.size() - main.getBody().front().getNumArguments();
    ++depth;
    for (Value value : inner)
      show(value);
    Values returned = write(inner);
    --depth;
    visible.truncate(outer + main.getBody().front().getNumArguments());
    return returned;
  };
  return {SmallVector<Type>(arguments), inScope};
}

void ProgramWriter::writeOps(int64_t count) {
  auto isAllowed = [&](const Family &family) {
    return (family.exact || !options.exact) && (family.portable || !options.portable);
  };
  SmallVector<const Family *> lots;
  for (const Family &family : getFamilies())
    if (isAllowed(family))
      lots.append(family.weight, &family);
  for (int64_t i = 0; i < count; ++i)
    random.pick<const Family *>(lots)->write(*this);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

NamedAttribute ProgramWriter::attribute(StringRef name, Attribute value) { return builder.getNamedAttr(name, value); }

NamedAttribute ProgramWriter::attribute(StringRef name, ArrayRef<int64_t> values) {
  return attribute(name, builder.getDenseI64ArrayAttr(values));
}

NamedAttribute ProgramWriter::integer(StringRef name, int64_t value, unsigned width) {
  return attribute(name, builder.getIntegerAttr(builder.getIntegerType(width), value));
}

NamedAttribute ProgramWriter::boolean(StringRef name, bool value) {
  return attribute(name, builder.getBoolAttr(value));
}

NamedAttribute ProgramWriter::pairs(StringRef name, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> values;
  for (auto [before, after] : llvm::zip_equal(low, high))
    values.append({before, after});
  auto type = RankedTensorType::get({static_cast<int64_t>(low.size()), 2}, builder.getI64Type());
  return attribute(name, DenseIntElementsAttr::get(type, values));
}

} // namespace partita::fuzz
