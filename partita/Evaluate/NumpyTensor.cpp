//===- NumpyTensor.cpp - converts between tensors and NumPy arrays --------===//

#include "partita/Evaluate/NumpyTensor.h"
#include "partita/Evaluate/FloatFormat.h"
#include "partita/Evaluate/Number.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace partita::evaluate {

namespace {

/// How NumPy, or ml_dtypes, holds an element.
struct Format {
  char kind;
  int64_t bytes;
};

} // namespace

/// Integers of less than a byte and floats that NumPy does not know are raw bytes.
static Format getFormat(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return {'c', complex.getElementType().isF64() ? 16 : 8};
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    bool isKnown = type.isF16() || type.isF32() || type.isF64();
    return {isKnown ? 'f' : 'V', std::max<int64_t>(1, width / 8)};
  }
  if (width == 1)
    return {'b', 1};
  if (width < 8)
    return {'V', 1};
  return {type.isUnsignedInteger() ? 'u' : 'i', width / 8};
}

template <typename T> static T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// `bytes` bytes, the lowest first.
static uint64_t loadBits(const char *from, int64_t bytes) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < bytes; ++i)
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(from[i])) << (8 * i);
  return bits;
}

static void storeBits(char *to, uint64_t bits, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i)
    to[i] = static_cast<char>(bits >> (8 * i));
}

//===----------------------------------------------------------------------===//
// To NumPy
//===----------------------------------------------------------------------===//

/// Elements as they are in memory.
template <typename T> static std::string copyBytes(const Tensor &tensor) {
  ArrayRef<T> elements = tensor.get<T>();
  return std::string(reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(T));
}

static std::string encodeFloats(const Tensor &tensor, int64_t elementBytes) {
  if (tensor.getElementType().isF32())
    return copyBytes<float>(tensor);
  FloatFormat format(tensor.getElementType());
  std::string bytes(tensor.size() * elementBytes, '\0');
  for (auto [index, value] : llvm::enumerate(tensor.get<float>()))
    storeBits(bytes.data() + index * elementBytes, format.encode(value), elementBytes);
  return bytes;
}

static std::string encodeIntegers(const Tensor &tensor, int64_t elementBytes) {
  unsigned width = getIntegerWidth(tensor.getElementType());
  std::string bytes(tensor.size() * elementBytes, '\0');
  for (int64_t index = 0; index < tensor.size(); ++index)
    storeBits(bytes.data() + index * elementBytes, wrapUnsigned(static_cast<uint64_t>(tensor.getInteger(index)), width),
              elementBytes);
  return bytes;
}

static std::string encodeElements(const Tensor &tensor, int64_t elementBytes) {
  switch (tensor.getKind()) {
  case StorageKind::Double:
    return copyBytes<double>(tensor);
  case StorageKind::Complex64:
    return copyBytes<std::complex<float>>(tensor);
  case StorageKind::Complex128:
    return copyBytes<std::complex<double>>(tensor);
  case StorageKind::RingComplex:
    return copyBytes<RingPair>(tensor);
  case StorageKind::Float:
    return encodeFloats(tensor, elementBytes);
  default:
    return encodeIntegers(tensor, elementBytes);
  }
}

NumpyArray toNumpy(const Tensor &tensor, std::string name) {
  NumpyArray array;
  array.name = std::move(name);
  array.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  Format format = getFormat(tensor.getElementType());
  StorageKind kind = tensor.getKind();
  if (kind == StorageKind::Ring || kind == StorageKind::RingComplex)
    format = {'u', 8};
  array.kind = format.kind;
  array.elementBytes = format.bytes;
  if (kind == StorageKind::Ring) {
    array.bytes = copyBytes<uint64_t>(tensor);
    return array;
  }
  if (kind == StorageKind::RingComplex)
    array.shape.push_back(2);
  array.bytes = encodeElements(tensor, format.bytes);
  return array;
}

//===----------------------------------------------------------------------===//
// From NumPy
//===----------------------------------------------------------------------===//

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string toText(const NumpyArray &array) {
  std::string text = array.getDescription() + " of shape (";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(array.shape, stream);
  stream << ")";
  return text;
}

/// Raw bytes stand for any type of their size, and a byte for any integer that fits. NumPy's own letter for f8E5M2, and
/// for no other float of a byte, is 'f'.
static bool hasFormat(const NumpyArray &array, Type type) {
  Format format = getFormat(type);
  if (array.elementBytes != format.bytes)
    return false;
  bool isSmallInteger = isa<IntegerType>(type) && format.kind == 'V';
  bool isByteFloat = isa<Float8E5M2Type>(type) && array.kind == 'f';
  return array.kind == format.kind || array.kind == 'V' || isByteFloat ||
         (isSmallInteger && (array.kind == 'i' || array.kind == 'u'));
}

/// A float element of any type as a double.
static double decodeNumber(const char *from, Type type) {
  if (type.isF64())
    return load<double>(from);
  if (type.isF32())
    return load<float>(from);
  return FloatFormat(type).decode(loadBits(from, getFormat(type).bytes));
}

static void decodeInto(Tensor &tensor, const NumpyArray &array) {
  Type type = tensor.getElementType();
  const char *from = array.bytes.data();
  int64_t step = array.elementBytes;
  auto fill = [&]<typename T>(T *, auto decode) {
    for (T &element : tensor.edit<T>()) {
      element = decode(from);
      from += step;
    }
  };
  unsigned width = isa<IntegerType>(type) ? getIntegerWidth(type) : 0;
  switch (tensor.getKind()) {
  case StorageKind::Bool:
    return fill(static_cast<uint8_t *>(nullptr), [](const char *at) { return *at != 0; });
  case StorageKind::Signed:
    return fill(static_cast<int64_t *>(nullptr), [&](const char *at) { return wrapSigned(loadBits(at, step), width); });
  case StorageKind::Unsigned:
    return fill(static_cast<uint64_t *>(nullptr),
                [&](const char *at) { return wrapUnsigned(loadBits(at, step), width); });
  case StorageKind::Float:
    if (type.isF32())
      return fill(static_cast<float *>(nullptr), load<float>);
    return fill(static_cast<float *>(nullptr),
                [&, format = FloatFormat(type)](const char *at) { return format.decode(loadBits(at, step)); });
  case StorageKind::Double:
    return fill(static_cast<double *>(nullptr), load<double>);
  case StorageKind::Complex64:
    return fill(static_cast<std::complex<float> *>(nullptr), load<std::complex<float>>);
  case StorageKind::Complex128:
    return fill(static_cast<std::complex<double> *>(nullptr), load<std::complex<double>>);
  case StorageKind::Ring:
    return fill(static_cast<uint64_t *>(nullptr),
                [&](const char *at) { return ringFromDouble(decodeNumber(at, type)); });
  case StorageKind::RingComplex: {
    Type part = cast<ComplexType>(type).getElementType();
    return fill(static_cast<RingPair *>(nullptr), [&](const char *at) {
      return RingPair{ringFromDouble(decodeNumber(at, part)), ringFromDouble(decodeNumber(at + step / 2, part))};
    });
  }
  }
}

/// Ring elements as `toNumpy` writes them.
static bool isRingArray(const NumpyArray &array, RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (isa<ComplexType>(type.getElementType()))
    shape.push_back(2);
  return array.kind == 'u' && array.elementBytes == 8 && array.shape == shape &&
         !isa<IntegerType>(type.getElementType());
}

template <typename T> static void copyInto(Tensor &tensor, const NumpyArray &array) {
  if (!array.bytes.empty())
    std::memcpy(tensor.edit<T>().data(), array.bytes.data(), array.bytes.size());
}

Result<Tensor> fromNumpy(const NumpyArray &array, RankedTensorType type, Mode mode, StringRef file) {
  if (mode == Mode::Exact && isRingArray(array, type)) {
    Tensor tensor(type, mode);
    if (tensor.getKind() == StorageKind::RingComplex)
      copyInto<RingPair>(tensor, array);
    else
      copyInto<uint64_t>(tensor, array);
    return tensor;
  }
  if (ArrayRef<int64_t>(array.shape) != type.getShape() || !hasFormat(array, type.getElementType()))
    return Error::badInput(SourceLocation{file.str(), 0, 0},
                           "'" + array.name + "' is " + toText(array) + ", the program takes " + toText(type));
  Tensor tensor(type, mode);
  decodeInto(tensor, array);
  return tensor;
}

} // namespace partita::evaluate
