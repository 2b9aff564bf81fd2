//===- Names.h - what values are called -----------------------------------===//
//
// Arguments are named by their locations, results by `jax.result_info`, inner
// values by their location's name stack and a number in program order
// (docs/design.md, "Names").
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

/// What is left of a name without its first component, which differs between a state's argument and its result:
/// `state.params['w']` and `result[0].params['w']` both give `.params['w']`.
std::string stripFirstComponent(llvm::StringRef name, bool isResult);

/// Names of inner values: the name stack of the location, callers first, and how many values had it before:
/// `jit(step)/jvp(mlp)/dot_general#17`. Few locations are distinct, so stacks are kept by number.
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
