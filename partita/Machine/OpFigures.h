//===- OpFigures.h - how a device computes what is no matrix product ------===//

#ifndef PARTITA_MACHINE_OPFIGURES_H
#define PARTITA_MACHINE_OPFIGURES_H

#include "partita/Machine/Figure.h"
#include "llvm/ADT/StringRef.h"

#include <array>

namespace partita::machine {

/// Ops that a rule of docs/cost.md prices, with a figure of the machine on top.
enum class OpFamily : uint8_t {
  /// Kernels that take what was combined of each row (a softmax, a norm) in 16 bits.
  Rows,
  Convolution,
  /// Convolutions of each channel by itself.
  DepthwiseConvolution,
  Sort,
  TopK,
  Scatter,
  Cumulative,
  Fft,
  /// Cholesky and triangular solves.
  Solve,
  Factorization,
  /// Products of a small matrix and a single row or column, which are sums.
  VectorProduct,
};
inline constexpr size_t numOpFamilies = 11;

/// As machine files spell it.
llvm::StringRef getName(OpFamily family);

struct OpFigures {
  /// What ops of a family take, in millionths of what the rule says; nothing is said about those without a source.
  std::array<Figure, numOpFamilies> timePpm;
  /// The share of the peak rate of f32 at which elementwise ops are computed; 0: they take no time beside their bytes.
  Figure arithmeticPpm;
  /// What a kernel waits for each reduction of rows inside it.
  Figure reductionPs;

  OpFigures() { timePpm.fill({wholePpm, "", 0}); }
  int64_t getTimePpm(OpFamily family) const { return timePpm[static_cast<size_t>(family)].value; }
  bool operator==(const OpFigures &) const = default;
};

} // namespace partita::machine

#endif
