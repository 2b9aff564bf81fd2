//===- Perturbation.cpp - arguments that differ by rounding ---------------------===//

#include "partita/Verify/Perturbation.h"

#include "partita/Support/Hash.h"

namespace partita::verify {

namespace {

/// Splitmix64, as numbers from -1 to 1.
class Offsets {
public:
  explicit Offsets(uint64_t seed) : state(seed) {}

  double next() {
    // 53 bits are all that a double holds.
    return static_cast<double>(nextRandom(state) >> 11) * 0x1p-52 - 1;
  }

private:
  uint64_t state;
};

} // namespace

Tensor perturbTensor(const Tensor &tensor, double spacing, uint64_t seed) {
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

} // namespace partita::verify
