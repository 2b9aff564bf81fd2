//===- ElementFunction.h - small regions as functions of elements ---------===//
//
// Reducers, comparators and maps are small regions on scalars, applied to very
// many elements. A region of comparisons, selections and plain arithmetic (such
// as that of argmax or sort) is translated into a list of steps on registers.
// The RegionRunner runs any other:
//
//   ElementFunction less(op.getComparator(), call);
//   Result<ArrayRef<Element>> isLess = less({a, b});
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_ELEMENTFUNCTION_H
#define PARTITA_EVALUATE_OPS_ELEMENTFUNCTION_H

#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

#include <cstring>
#include <functional>

namespace partita::evaluate {

/// An element of any kind of storage.
class Element {
public:
  Element() = default;
  template <typename T> explicit Element(T value) { std::memcpy(bytes, &value, sizeof(T)); }

  template <typename T> T get() const {
    T value;
    std::memcpy(static_cast<void *>(&value), bytes, sizeof(T));
    return value;
  }

private:
  alignas(16) unsigned char bytes[16] = {};
};

Element loadElement(const Tensor &tensor, int64_t at);
void storeElement(Tensor &tensor, int64_t at, const Element &element);

/// A region whose arguments and results are scalars. It must not outlive its call.
class ElementFunction {
public:
  ElementFunction(mlir::Region &region, Call &call);

  /// What the region returns for `arguments`, elements of its arguments' types; valid until the next call.
  Result<llvm::ArrayRef<Element>> operator()(llvm::ArrayRef<Element> arguments);

  /// Whether the region was translated.
  bool isTranslated() const { return translated; }

private:
  using Step = std::function<void(Element *registers)>;

  bool translate();
  Result<llvm::ArrayRef<Element>> runRegion(llvm::ArrayRef<Element> arguments);

  mlir::Region &region;
  Mode mode;
  RegionRunner &regions;
  std::vector<Step> steps;
  llvm::SmallVector<Element> registers, returned;
  llvm::SmallVector<unsigned> returnedRegisters;
  bool translated;
};

} // namespace partita::evaluate

#endif
