//===- RingDigest.h - exact mode: hashes of many elements -----------------===//
//
// In exact mode (Tensor.h), a function without arithmetic meaning there, such
// as a decomposition, is a hash. Each element of its result depends on all
// elements that the function would read, in order, and on its own position
// among the results:
//
//   RingDigest digest("cholesky");
//   digest.add(matrix, 0, size);
//   digest.store(result, at, position);
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_RINGDIGEST_H
#define PARTITA_EVALUATE_OPS_RINGDIGEST_H

#include "partita/Evaluate/Number.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

class RingDigest {
public:
  explicit RingDigest(llvm::StringRef function) : state(ringFunction(function)) {}

  void add(uint64_t value) { state = ringHash(state, value); }
  /// Elements from `begin`, `stride` apart.
  void add(const Tensor &tensor, int64_t begin, int64_t count, int64_t stride = 1);

  /// The function's result number `position`, into element `at`.
  void store(Tensor &result, int64_t at, uint64_t position) const;

private:
  uint64_t state;
};

} // namespace partita::evaluate

#endif
