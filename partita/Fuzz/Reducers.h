//===- Reducers.h - random reducer bodies and initial values --------------===//
//
// Several families of ops share these. A reducer is a commutative and
// associative op for each value, or an argmax; sometimes one that is neither,
// which must stay whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_REDUCERS_H
#define PARTITA_FUZZ_REDUCERS_H

#include "partita/Fuzz/ProgramWriter.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

/// The op that a reduction applies to each of its values: `stablehlo.add`, ...
struct Reducer {
  llvm::SmallVector<llvm::StringRef> ops;
  /// An argmax: compares the first of two values and selects both.
  bool isArgument = false;
};

/// An op that is commutative and associative on the element type.
llvm::StringRef drawCombiner(ProgramWriter &writer, mlir::Type element);
Reducer drawReducer(ProgramWriter &writer, llvm::ArrayRef<mlir::Type> elements);

/// The region of the reducer. It takes all left scalars, then all right ones.
RegionBody makeReducerBody(ProgramWriter &writer, const Reducer &reducer, llvm::ArrayRef<mlir::Type> elements);
/// The initial value: mostly, but not always, the neutral element of `op`.
mlir::Value drawInitial(ProgramWriter &writer, llvm::StringRef op, mlir::Type element);
/// (x, y) -> compare(x, y) on the first pair of elements.
RegionBody makeOrderBody(ProgramWriter &writer, llvm::ArrayRef<mlir::Type> arguments, unsigned direction);

} // namespace partita::fuzz

#endif
