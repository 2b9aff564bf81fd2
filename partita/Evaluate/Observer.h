//===- Observer.h - watches an evaluation ---------------------------------===//
//
// Verification attaches an observer to see the inner values and the pieces of
// each device, not only the results.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OBSERVER_H
#define PARTITA_EVALUATE_OBSERVER_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

#include "mlir/IR/Operation.h"

namespace partita::evaluate {

/// Receives what an evaluation computes, in that order. Keeping a tensor is cheap, since its storage is shared.
class Observer {
public:
  virtual ~Observer() = default;

  /// `device` has computed a result of `op`. Devices come one after the other, each with all its results; for ops that
  /// they run together, in any order.
  virtual void seeResult(mlir::Operation *op, unsigned result, int64_t device, const Tensor &value) {}

  /// `device` has returned its piece of a result of the manual computation `op`; it lies at `offsets` of the whole.
  virtual void seePiece(mlir::Operation *op, unsigned result, int64_t device, llvm::ArrayRef<int64_t> offsets,
                        const Tensor &piece) {}
};

} // namespace partita::evaluate

#endif
