//===- RingDigest.cpp - exact mode: hashes of many elements ---------------===//

#include "partita/Evaluate/Ops/RingDigest.h"

using namespace mlir;

namespace partita::evaluate {

void RingDigest::add(const Tensor &tensor, int64_t begin, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = begin + i * stride;
    if (tensor.getKind() == StorageKind::RingComplex) {
      RingPair pair = tensor.get<RingPair>()[at];
      add(pair.real);
      add(pair.imag);
    } else {
      add(tensor.get<uint64_t>()[at]);
    }
  }
}

void RingDigest::store(Tensor &result, int64_t at, uint64_t position) const {
  uint64_t real = ringHash(state, position, 0), imag = ringHash(state, position, 1);
  if (result.getKind() == StorageKind::RingComplex)
    result.edit<RingPair>()[at] = {real, imag};
  else
    result.edit<uint64_t>()[at] = real;
}

} // namespace partita::evaluate
