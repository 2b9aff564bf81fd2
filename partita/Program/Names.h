//===- Names.h - names of arguments, results and inner values -------------===//
//
// An argument's name comes from its location, a result's from
// `jax.result_info`, an inner value's from the name stack of its location and a
// number in program order (docs/design.md, "Names"). Tactics and reports use
// these names.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_NAMES_H
#define PARTITA_PROGRAM_NAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Program/Rooms.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace partita::program {

/// `state.params['w']`, or `arg3` where the location has no name.
std::string nameArgument(mlir::func::FuncOp main, unsigned index);

/// `result[0].params['w']`, or `result1`.
std::string nameResult(mlir::func::FuncOp main, unsigned index);

/// The components of a name as paths have them, less what wraps an array: `state.params['w'].value` gives `state`,
/// `params`, `w`. Wrappers are a last `.value`, `['value']`, `.raw_value`, `.array` or `[<flat index 0>]`. The word
/// `result`, which some versions of JAX put before a result's name, is no component.
std::vector<std::string> splitStateName(llvm::StringRef name, bool isResult);

/// Names of inner values: the name stack of the location, callers first, and the number of earlier values with the same
/// stack, as in `jit(step)/jvp(mlp)/dot_general#17`. Few stacks are distinct, so each is stored once under a number.
class InnerNames {
public:
  /// The number of a location's name stack.
  unsigned getStack(mlir::Location location);
  /// How many values of that name came before this one.
  unsigned count(unsigned stack) { return counts[stack]++; }
  llvm::StringRef getText(unsigned stack) const { return texts[stack]; }

private:
  std::string buildStack(mlir::Location location);

  llvm::DenseMap<mlir::Location, unsigned> stackOf;
  llvm::StringMap<unsigned> stackByText;
  std::vector<std::string> texts;
  std::vector<unsigned> counts;
};

/// `model.py:42`, the innermost file position of a location; empty if it has none.
std::string printLocation(mlir::Location location);

} // namespace partita::program

#endif
