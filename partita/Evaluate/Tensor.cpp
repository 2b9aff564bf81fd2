//===- Tensor.cpp - tensors of the evaluator ------------------------------===//

#include "partita/Evaluate/Tensor.h"

#include "partita/Evaluate/FloatFormat.h"
#include "partita/Evaluate/Number.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace partita::evaluate {

StorageKind getStorageKind(Type elementType, Mode mode) {
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    if (mode == Mode::Exact)
      return StorageKind::RingComplex;
    return complex.getElementType().isF64() ? StorageKind::Complex128 : StorageKind::Complex64;
  }
  if (isa<FloatType>(elementType)) {
    if (mode == Mode::Exact)
      return StorageKind::Ring;
    return elementType.isF64() ? StorageKind::Double : StorageKind::Float;
  }
  if (elementType.isInteger(1))
    return StorageKind::Bool;
  return elementType.isUnsignedInteger() ? StorageKind::Unsigned : StorageKind::Signed;
}

/// A thread evaluates one program at a time, so these counters belong to that evaluation.
static thread_local int64_t liveBytes = 0, takenBytes = 0;

int64_t getLiveBytes() { return liveBytes; }
int64_t getTakenBytes() { return takenBytes; }

static int64_t countBytes(const Storage &storage) {
  return std::visit(
      [](const auto &elements) {
        return static_cast<int64_t>(elements.size() * sizeof(typename std::decay_t<decltype(elements)>::value_type));
      },
      storage);
}

/// Counts the storage as live bytes for as long as any tensor shares it.
static std::shared_ptr<Storage> share(Storage storage) {
  int64_t bytes = countBytes(storage);
  liveBytes += bytes;
  takenBytes += bytes;
  return std::shared_ptr<Storage>(new Storage(std::move(storage)), [](Storage *owned) {
    liveBytes -= countBytes(*owned);
    delete owned;
  });
}

Tensor::Tensor(RankedTensorType type, Mode mode)
    : type(type), kind(getStorageKind(type.getElementType(), mode)), mode(mode), count(type.getNumElements()) {
  storage = visitKind(kind, [&]<typename T>(T *) { return share(Storage(std::vector<T>(count))); });
}

Tensor Tensor::makeToken(Type tokenType) {
  Tensor token;
  token.tokenType = tokenType;
  return token;
}

int64_t Tensor::getBytes() const {
  if (isToken())
    return 0;
  return visitKind(kind, [&]<typename T>(T *) { return count * static_cast<int64_t>(sizeof(T)); });
}

void Tensor::makeOwn() {
  if (storage.use_count() > 1)
    storage = share(Storage(*storage));
}

int64_t computeBytes(RankedTensorType type, Mode mode) {
  int64_t bytes = visitKind(getStorageKind(type.getElementType(), mode),
                            []<typename T>(T *) { return static_cast<int64_t>(sizeof(T)); });
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return INT64_MAX;
  return bytes;
}

Tensor Tensor::withType(RankedTensorType newType) const {
  assert(newType.getNumElements() == count && getStorageKind(newType.getElementType(), mode) == kind);
  Tensor result = *this;
  result.type = newType;
  return result;
}

int64_t Tensor::getInteger(int64_t index) const {
  switch (kind) {
  case StorageKind::Bool:
    return get<uint8_t>()[index];
  case StorageKind::Signed:
    return get<int64_t>()[index];
  case StorageKind::Unsigned:
  case StorageKind::Ring:
    return static_cast<int64_t>(get<uint64_t>()[index]);
  default:
    llvm_unreachable("not an integer tensor");
  }
}

bool Tensor::isIdentical(const Tensor &other) const {
  if (isToken() || other.isToken())
    return tokenType == other.tokenType;
  if (type != other.type || kind != other.kind)
    return false;
  return visitKind(kind, [&]<typename T>(T *) {
    return count == 0 || std::memcmp(get<T>().data(), other.get<T>().data(), count * sizeof(T)) == 0;
  });
}

SmallVector<int64_t> computeStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// By way of the bits: APFloat's own conversion does not know the NaN of f8E8M0FNU.
static double toDouble(const APFloat &value, Type type) {
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  auto low = static_cast<uint32_t>(bits);
  return type.isF32() ? llvm::bit_cast<float>(low) : FloatFormat(type).decode(low);
}

/// Puts one element of a constant into `tensor`.
static void setElement(Tensor &tensor, int64_t index, const APInt &value) {
  switch (tensor.getKind()) {
  case StorageKind::Bool:
    tensor.edit<uint8_t>()[index] = value.getBoolValue();
    break;
  case StorageKind::Signed:
    tensor.edit<int64_t>()[index] = value.getSExtValue();
    break;
  default:
    tensor.edit<uint64_t>()[index] = value.getZExtValue();
  }
}

static void setElement(Tensor &tensor, int64_t index, const APFloat &value) {
  double number = toDouble(value, tensor.getElementType());
  switch (tensor.getKind()) {
  case StorageKind::Float:
    tensor.edit<float>()[index] = static_cast<float>(number);
    break;
  case StorageKind::Double:
    tensor.edit<double>()[index] = number;
    break;
  default:
    tensor.edit<uint64_t>()[index] = ringFromDouble(number);
  }
}

static void setElement(Tensor &tensor, int64_t index, const std::complex<APFloat> &value) {
  Type part = cast<ComplexType>(tensor.getElementType()).getElementType();
  double real = toDouble(value.real(), part), imag = toDouble(value.imag(), part);
  switch (tensor.getKind()) {
  case StorageKind::Complex64:
    tensor.edit<std::complex<float>>()[index] = {static_cast<float>(real), static_cast<float>(imag)};
    break;
  case StorageKind::Complex128:
    tensor.edit<std::complex<double>>()[index] = {real, imag};
    break;
  default:
    tensor.edit<RingPair>()[index] = {ringFromDouble(real), ringFromDouble(imag)};
  }
}

template <typename Element> static Tensor fillFrom(ElementsAttr value, Tensor tensor) {
  // A splat is converted once; its copies are cheap.
  if (value.isSplat() && tensor.size() > 0) {
    setElement(tensor, 0, value.getSplatValue<Element>());
    visitKind(tensor.getKind(), [&]<typename T>(T *) {
      MutableArrayRef<T> elements = tensor.edit<T>();
      std::fill(elements.begin(), elements.end(), T(elements.front()));
    });
    return tensor;
  }
  for (auto [index, element] : llvm::enumerate(value.getValues<Element>()))
    setElement(tensor, index, element);
  return tensor;
}

ElementsAttr findElements(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return value;
  ShapedType type = resource.getType();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> bytes = blob->getData();
  // A file has a byte for each boolean, an attribute may pack them.
  if (type.getElementType().isInteger(1)) {
    if (static_cast<int64_t>(bytes.size()) != type.getNumElements())
      return {};
    return DenseElementsAttr::get(type, llvm::map_to_vector(bytes, [](char byte) { return byte != 0; }));
  }
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat) || (isSplat && type.getNumElements() != 1))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

Tensor makeConstant(ElementsAttr constant, Mode mode) {
  ElementsAttr value = findElements(constant);
  assert(value && "elements that are not there");
  auto type = cast<RankedTensorType>(value.getType());
  Tensor tensor(type, mode);
  if (isa<FloatType>(type.getElementType()))
    return fillFrom<APFloat>(value, std::move(tensor));
  if (isa<ComplexType>(type.getElementType()))
    return fillFrom<std::complex<APFloat>>(value, std::move(tensor));
  return fillFrom<APInt>(value, std::move(tensor));
}

static APFloat toApFloat(double value, FloatType type) {
  uint64_t bits = type.isF64() ? llvm::bit_cast<uint64_t>(value) : FloatFormat(type).encode(static_cast<float>(value));
  return APFloat(type.getFloatSemantics(), APInt(type.getWidth(), bits));
}

DenseElementsAttr toAttribute(const Tensor &tensor) {
  RankedTensorType type = tensor.getType();
  Type elementType = tensor.getElementType();
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    SmallVector<APFloat> values;
    for (int64_t i = 0; i < tensor.size(); ++i)
      values.push_back(toApFloat(
          tensor.getKind() == StorageKind::Double ? tensor.get<double>()[i] : tensor.get<float>()[i], floatType));
    return DenseElementsAttr::get(type, values);
  }
  if (auto complexType = dyn_cast<ComplexType>(elementType)) {
    auto part = cast<FloatType>(complexType.getElementType());
    SmallVector<std::complex<APFloat>> values;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      std::complex<double> value = tensor.getKind() == StorageKind::Complex128
                                       ? tensor.get<std::complex<double>>()[i]
                                       : std::complex<double>(tensor.get<std::complex<float>>()[i]);
      values.emplace_back(toApFloat(value.real(), part), toApFloat(value.imag(), part));
    }
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt> values;
  unsigned width = getIntegerWidth(elementType);
  for (int64_t i = 0; i < tensor.size(); ++i)
    values.push_back(APInt(width, static_cast<uint64_t>(tensor.getInteger(i)), false, /*implicitTrunc=*/true));
  return DenseElementsAttr::get(type, values);
}

} // namespace partita::evaluate
