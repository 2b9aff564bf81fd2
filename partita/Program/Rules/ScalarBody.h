//===- ScalarBody.h - a region on scalars, run on intervals ---------------===//
//
// The body of a reduction as a list of steps: floats are intervals, integers and
// booleans are bits.
//
//   std::optional<ScalarBody> body = ScalarBody::make(op.getBody());
//   Numbers result = body->run(a, b);      a∘b
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_SCALARBODY_H
#define PARTITA_PROGRAM_RULES_SCALARBODY_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/Intervals.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <vector>

namespace partita::program::rules {

/// A float, or the bits of an integer or boolean.
struct Number {
  Interval real;
  uint64_t bits = 0;
};

/// One number for each value that is reduced.
using Numbers = std::vector<Number>;

/// A number of a float type with infinities, of an integer type, or a boolean; nothing for other types.
std::optional<Number> readNumber(mlir::DenseElementsAttr splat);

class ScalarBody {
public:
  /// Nothing if the region does anything but arithmetic, comparisons and choices on scalars.
  static std::optional<ScalarBody> make(mlir::Region &region);

  Numbers run(const Numbers &a, const Numbers &b) const;
  /// Compares results. Zeros of two signs are equal where they are sums or products, and differ where they are chosen.
  Agreement compareResults(const Numbers &a, const Numbers &b) const;

  /// The types of an element's numbers.
  llvm::ArrayRef<mlir::Type> getTypes() const { return types; }
  /// The constants of the region.
  llvm::ArrayRef<Number> getConstants() const { return constants; }
  /// Whether its laws do not hold in exact mode: it computes floats, and has quotients, exponentials or comparisons of
  /// them beside sums and products.
  bool leavesRing() const { return hasArithmetic && hasHashes; }

  /// What an op computes from the numbers of its operands.
  using Evaluate = std::function<Number(llvm::ArrayRef<Number> operands)>;

private:
  struct Step {
    Evaluate evaluate;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  bool addConstant(mlir::Operation &op);
  bool noteArithmetic(mlir::Operation &op);
  bool addStep(mlir::Operation &op, llvm::ArrayRef<unsigned> operands);

  std::vector<Step> steps;
  /// Arguments and what steps compute are zero here; constants have their numbers.
  Numbers registers;
  llvm::SmallVector<unsigned> returned;
  /// For each register, whether it is computed and not just chosen.
  llvm::SmallVector<bool> computed;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Number> constants;
  bool hasArithmetic = false, hasHashes = false;
};

} // namespace partita::program::rules

#endif
