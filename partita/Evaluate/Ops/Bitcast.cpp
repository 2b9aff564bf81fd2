//===- Bitcast.cpp - the same bits under another type ---------------------===//
//
// Elements are read as a stream of bits, the lowest first, and the stream is
// read as elements of the result: a wide element is a row of narrow ones. In
// exact mode a float's bits are the lowest bits of the element.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/FloatFormat.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// The bits of elements of one type, a part of a complex number being an element of its own.
class BitCodec {
public:
  explicit BitCodec(Type elementType);
  unsigned getWidth() const { return width; }

  uint64_t encode(uint8_t value) const { return value; }
  uint64_t encode(int64_t value) const { return wrapUnsigned(static_cast<uint64_t>(value), width); }
  uint64_t encode(uint64_t value) const { return wrapUnsigned(value, width); }
  uint64_t encode(float value) const { return isF32 ? llvm::bit_cast<uint32_t>(value) : format.encode(value); }
  uint64_t encode(double value) const { return llvm::bit_cast<uint64_t>(value); }

  void decode(uint64_t bits, uint8_t &value) const { value = static_cast<uint8_t>(bits); }
  void decode(uint64_t bits, int64_t &value) const { value = wrapSigned(static_cast<int64_t>(bits), width); }
  void decode(uint64_t bits, uint64_t &value) const { value = bits; }
  void decode(uint64_t bits, float &value) const {
    auto low = static_cast<uint32_t>(bits);
    value = isF32 ? llvm::bit_cast<float>(low) : format.decode(low);
  }
  void decode(uint64_t bits, double &value) const { value = llvm::bit_cast<double>(bits); }

private:
  bool isF32;
  unsigned width;
  FloatFormat format;
};

} // namespace

static Type getPartType(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? complex.getElementType() : elementType;
}

/// Only floats of up to 32 bits have a format; others get that of f32, which is not used.
static Type getFormatType(Type elementType) {
  bool isNarrow = isa<FloatType>(elementType) && !elementType.isF64();
  return isNarrow ? elementType : Float32Type::get(elementType.getContext());
}

BitCodec::BitCodec(Type elementType)
    : isF32(elementType.isF32()), width(elementType.getIntOrFloatBitWidth()), format(getFormatType(elementType)) {}

/// What an element consists of.
template <typename T> struct PartOf {
  using Type = T;
  static constexpr size_t count = 1;
};
template <typename T> struct PartOf<std::complex<T>> {
  using Type = T;
  static constexpr size_t count = 2;
};
template <> struct PartOf<RingPair> {
  using Type = uint64_t;
  static constexpr size_t count = 2;
};

/// Elements as they are, complex numbers as twice as many parts.
template <typename T> static ArrayRef<typename PartOf<T>::Type> getParts(ArrayRef<T> elements) {
  return {reinterpret_cast<const PartOf<T>::Type *>(elements.data()), elements.size() * PartOf<T>::count};
}
template <typename T> static MutableArrayRef<typename PartOf<T>::Type> getParts(MutableArrayRef<T> elements) {
  return {reinterpret_cast<PartOf<T>::Type *>(elements.data()), elements.size() * PartOf<T>::count};
}

/// Reads the stream of `in`'s bits as elements `out`; one width divides the other.
template <typename To, typename From>
static void recode(MutableArrayRef<To> out, const BitCodec &to, ArrayRef<From> in, const BitCodec &from) {
  unsigned toWidth = to.getWidth(), fromWidth = from.getWidth();
  size_t next = 0;
  if (toWidth >= fromWidth) {
    for (To &element : out) {
      uint64_t bits = 0;
      for (unsigned shift = 0; shift < toWidth; shift += fromWidth)
        bits |= from.encode(in[next++]) << shift;
      to.decode(bits, element);
    }
    return;
  }
  for (From element : in)
    for (unsigned shift = 0; shift < fromWidth; shift += toWidth)
      to.decode(wrapUnsigned(from.encode(element) >> shift, toWidth), out[next++]);
}

static Status evaluateBitcastConvert(stablehlo::BitcastConvertOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  RankedTensorType type = resultType(op);
  for (Type elementType : {operand.getElementType(), type.getElementType()})
    if (!isEvaluable(elementType))
      return unsupportedElement(op, elementType);
  BitCodec from(getPartType(operand.getElementType())), to(getPartType(type.getElementType()));
  if (from.getWidth() % to.getWidth() != 0 && to.getWidth() % from.getWidth() != 0)
    return unsupportedElement(op, operand.getElementType());
  Tensor result(type, call.mode);
  visitKind(result.getKind(), [&]<typename To>(To *) {
    visitKind(operand.getKind(), [&]<typename From>(From *) {
      recode(getParts(result.edit<To>()), to, getParts(operand.get<From>()), from);
    });
  });
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerBitcast(OpTable &table) { table.add<stablehlo::BitcastConvertOp, evaluateBitcastConvert>(); }

} // namespace partita::evaluate
