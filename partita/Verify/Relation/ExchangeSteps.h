//===- ExchangeSteps.h - an all_to_all that runs in several steps ---------===//
//
// To move the digits a, b from dim 0 to dim 1 in two steps, dim 1 is reshaped, so
// that each step cuts a dim of its own (n and m are the numbers of parts):
//
//   [r, n m c]                reshape
//   [r, n, m, c]              all_to_all over b: cuts dim 2, concatenates dim 0
//   [m r, n, 1, c]            all_to_all over a: cuts dim 1, concatenates dim 0
//   [n m r, 1, 1, c]          reshape
//   [n m r, c]
//
// What devices hold in between is no piece of a value. Together, the steps are an
// all_to_all: it gathers the digits of the last step as major ones, and scatters
// those of the outermost dim as major ones.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_EXCHANGESTEPS_H
#define PARTITA_VERIFY_RELATION_EXCHANGESTEPS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Verify/Rooms.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace partita::verify {

struct ExchangeSteps {
  mlir::Value operand;
  /// Dims of `operand` and of the result: the one that is put together, and the one that is cut.
  int64_t dim = 0, toDim = 0;
  /// In the order in which they run.
  llvm::SmallVector<stablehlo::AllToAllOp, 2> steps;
};

/// The exchange that ends with this reshape; nothing if there is none. Each step cuts another dim, into parts of
/// size 1; whether its groups have as many devices is not looked at.
std::optional<ExchangeSteps> findExchangeSteps(stablehlo::ReshapeOp last);

} // namespace partita::verify

#endif
