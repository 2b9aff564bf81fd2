//===- Observer.h - who looks on while a program runs ---------------------===//

#ifndef PARTITA_EVALUATE_OBSERVER_H
#define PARTITA_EVALUATE_OBSERVER_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

#include "mlir/IR/Operation.h"

namespace partita::evaluate {

/// Is told what an evaluation computes, in the order in which it does. Keeping a tensor is cheap, its storage is
/// shared.
class Observer {
public:
  virtual ~Observer() = default;

  /// `device` has computed a result of `op`. Devices come one after the other, each with all its results or, in ops
  /// that they do together, in any order.
  virtual void seeResult(mlir::Operation *op, unsigned result, int64_t device, const Tensor &value) {}

  /// `device` has returned its piece of a result of the manual computation `op`; it lies at `offsets` of the whole.
  virtual void seePiece(mlir::Operation *op, unsigned result, int64_t device, llvm::ArrayRef<int64_t> offsets,
                        const Tensor &piece) {}
};

} // namespace partita::evaluate

#endif
