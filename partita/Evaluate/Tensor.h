//===- Tensor.h - tensors of the evaluator --------------------------------===//
//
// A tensor has an MLIR type and dense row-major storage. There are few kinds of
// storage, so that ops can be templates over them:
//
//   Bool     i1                             uint8_t, 0 or 1
//   Signed   i2 ... i64                     int64_t, in the range of its width
//   Unsigned ui2 ... ui64                   uint64_t, in the range of its width
//   Float    f4 ... f8 kinds, f16, bf16, f32  float, rounded to its type
//   Double   f64                            double
//   Complex64, Complex128                   std::complex<float>, <double>
//   Ring     any float type in exact mode   uint64_t
//   RingComplex  any complex type in exact mode  RingPair
//
// Copies share their storage until one of them is written (`edit`).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_TENSOR_H
#define PARTITA_EVALUATE_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "partita/Evaluate/Rooms.h"
#include "partita/Support/MultiIndex.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace partita::evaluate {

/// Float uses the specification's arithmetic. Ring is the exact mode (docs/design.md): it computes floats as integers
/// mod 2^64, so that sums do not depend on their order.
enum class Mode { Float, Exact };

/// A complex number in exact mode.
struct RingPair {
  uint64_t real = 0;
  uint64_t imag = 0;
  bool operator==(const RingPair &) const = default;
};

using Storage = std::variant<std::vector<uint8_t>, std::vector<int64_t>, std::vector<uint64_t>, std::vector<float>,
                             std::vector<double>, std::vector<std::complex<float>>, std::vector<std::complex<double>>,
                             std::vector<RingPair>>;

enum class StorageKind { Bool, Signed, Unsigned, Float, Double, Complex64, Complex128, Ring, RingComplex };

/// Bytes of all tensors that this thread holds now; shared storage counts once.
int64_t getLiveBytes();
/// Bytes of all tensors that this thread ever created or copied.
int64_t getTakenBytes();

/// How elements of `elementType` are stored in `mode`.
StorageKind getStorageKind(mlir::Type elementType, Mode mode);

class Tensor {
public:
  Tensor() = default;
  /// All elements zero.
  Tensor(mlir::RankedTensorType type, Mode mode);
  /// A token: holds no data.
  static Tensor makeToken(mlir::Type tokenType);

  bool isToken() const { return tokenType != nullptr; }
  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getDim(int64_t dim) const { return type.getDimSize(dim); }
  int64_t size() const { return count; }
  StorageKind getKind() const { return kind; }
  Mode getMode() const { return mode; }
  int64_t getBytes() const;

  /// The elements; T must be the kind's own C++ type.
  template <typename T> llvm::ArrayRef<T> get() const { return std::get<std::vector<T>>(*storage); }
  /// The elements for writing: copied first if shared.
  template <typename T> llvm::MutableArrayRef<T> edit() {
    makeOwn();
    return std::get<std::vector<T>>(*storage);
  }

  /// The same elements under another type of the same element type and number of elements.
  Tensor withType(mlir::RankedTensorType newType) const;

  /// An integer, bool or ring element as a signed integer: for indices and predicates.
  int64_t getInteger(int64_t index) const;

  /// Same type, same bits (NaNs of one bit pattern are equal; zeros of different sign are not).
  bool isIdentical(const Tensor &other) const;

private:
  void makeOwn();

  mlir::RankedTensorType type;
  mlir::Type tokenType;
  StorageKind kind = StorageKind::Bool;
  Mode mode = Mode::Float;
  int64_t count = 0;
  std::shared_ptr<Storage> storage;
};

/// Bytes that a tensor of `type` takes in `mode`; no more than INT64_MAX.
int64_t computeBytes(mlir::RankedTensorType type, Mode mode);

/// Calls `work` with a null pointer of the kind's C++ type: `visitKind(kind, [&]<typename T>(T *) { ... })`.
template <typename Work> decltype(auto) visitKind(StorageKind kind, Work work) {
  switch (kind) {
  case StorageKind::Bool:
    return work(static_cast<uint8_t *>(nullptr));
  case StorageKind::Signed:
    return work(static_cast<int64_t *>(nullptr));
  case StorageKind::Unsigned:
  case StorageKind::Ring:
    return work(static_cast<uint64_t *>(nullptr));
  case StorageKind::Float:
    return work(static_cast<float *>(nullptr));
  case StorageKind::Double:
    return work(static_cast<double *>(nullptr));
  case StorageKind::Complex64:
    return work(static_cast<std::complex<float> *>(nullptr));
  case StorageKind::Complex128:
    return work(static_cast<std::complex<double> *>(nullptr));
  case StorageKind::RingComplex:
    return work(static_cast<RingPair *>(nullptr));
  }
  llvm_unreachable("unknown storage kind");
}

/// Row-major strides of `shape`.
llvm::SmallVector<int64_t> computeStrides(llvm::ArrayRef<int64_t> shape);

/// The constant with its elements in the attribute itself. Null if it names a resource that the file does not have, or
/// one of another size.
mlir::ElementsAttr findElements(mlir::ElementsAttr value);

/// The value in `mode` of a constant that `findElements` gave. In exact mode, integer-valued floats are themselves mod
/// 2^64, -inf is 0, and others are a hash.
Tensor makeConstant(mlir::ElementsAttr value, Mode mode);

/// The same tensor as an attribute (float mode only).
mlir::DenseElementsAttr toAttribute(const Tensor &tensor);

} // namespace partita::evaluate

#endif
