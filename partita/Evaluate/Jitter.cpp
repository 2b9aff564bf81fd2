//===- Jitter.cpp - arguments that differ by rounding ---------------------===//

#include "partita/Evaluate/Jitter.h"

namespace partita::evaluate {

namespace {

/// Splitmix64, as numbers from -1 to 1.
class Offsets {
public:
  explicit Offsets(uint64_t seed) : state(seed) {}

  double next() {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    // 53 bits are all that a double holds.
    return static_cast<double>(z >> 11) * 0x1p-52 - 1;
  }

private:
  uint64_t state;
};

} // namespace

Tensor jitterTensor(const Tensor &tensor, double spacing, uint64_t seed) {
  Offsets offsets(seed);
  Tensor result = tensor;
  auto scale = [&](double value) { return value * (1 + spacing * offsets.next()); };
  if (!tensor.isToken() && tensor.getKind() == StorageKind::Double)
    for (double &value : result.edit<double>())
      value = scale(value);
  if (!tensor.isToken() && tensor.getKind() == StorageKind::Complex128)
    for (std::complex<double> &value : result.edit<std::complex<double>>()) {
      double real = scale(value.real());
      value = {real, scale(value.imag())};
    }
  return result;
}

} // namespace partita::evaluate
