//===- LoopAffine.h - integers that are affine in the iteration -----------===//
//
// The evaluator computes integers of a loop as functions `base + k * slope` of
// the iteration k, for all k of a domain at once. A value is known only if it
// is affine for every k of the domain: no step of its computation may wrap
// around, and comparisons must have the same result for all k.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_LOOPAFFINE_H
#define PARTITA_PROGRAM_LOOPAFFINE_H

#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/ElementwiseOps.h"
#include "partita/Program/Rooms.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace partita::program {

/// `base + k * slope`.
struct Affine {
  int64_t base = 0;
  int64_t slope = 0;

  bool isConstant() const { return slope == 0; }
  bool operator==(const Affine &other) const = default;
  /// The value at `k`; nothing if it does not fit 64 bits.
  std::optional<int64_t> at(int64_t k) const;
};

/// The iterations 0, ..., last; `last` is not negative.
struct Iterations {
  int64_t last;
};

/// Follows `value` back through ops that pass it on unchanged (barriers, sharding constraints, loops that carry it
/// without a change) to its definition.
mlir::Value findOrigin(mlir::Value value);

/// Whether `loop` carries its `index`-th value without changing it.
bool isInvariant(stablehlo::WhileOp loop, unsigned index);

/// The loop that carries `argument`, and its index among the carried values. A null loop if no loop does.
std::pair<stablehlo::WhileOp, unsigned> findCarried(mlir::Value argument);

/// Whether `op` compares single integers in the natural order of their type.
bool comparesBySign(stablehlo::CompareOp op);

class AffineEvaluator {
public:
  explicit AffineEvaluator(Iterations domain) : domain(domain) {}

  /// Makes `affine` the value of `value`.
  void bind(mlir::Value value, Affine affine) { known[value] = affine; }

  /// The value of an integer tensor of one element; nothing if it is not known.
  std::optional<Affine> evaluate(mlir::Value value) { return evaluate(value, maxDepth); }

  /// The elements of an integer tensor of rank 0 or 1, each by itself; empty if their number is not known.
  llvm::SmallVector<std::optional<Affine>> evaluateElements(mlir::Value value);

private:
  /// Arithmetic on indices is shallow; deeper computations count as unknown.
  static constexpr unsigned maxDepth = 64;

  std::optional<Affine> evaluate(mlir::Value value, unsigned depth);
  std::optional<Affine> compute(mlir::Operation *op, unsigned depth);
  std::optional<Affine> computeCompare(stablehlo::CompareOp op, unsigned depth);
  std::optional<Affine> computeChoice(mlir::Operation *op, llvm::ArrayRef<Affine> operands);
  /// True if `a <= b` for all k of the domain, false if for none; else nothing.
  std::optional<bool> isAtMost(Affine a, Affine b);
  bool fits(Affine affine, mlir::Type type);

  Iterations domain;
  llvm::DenseMap<mlir::Value, std::optional<Affine>> known;
};

} // namespace partita::program

#endif
