//===- Reducers.h - bodies of reductions, and the values they start from --===//

#ifndef PARTITA_FUZZ_REDUCERS_H
#define PARTITA_FUZZ_REDUCERS_H

#include "partita/Fuzz/ProgramWriter.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

/// What a reduction does to each of its values: `stablehlo.add`, ...
struct Reducer {
  llvm::SmallVector<llvm::StringRef> ops;
  /// Two values of which the first is compared and both are taken: argmax.
  bool isArgument = false;
};

/// An op that is commutative and associative on the element type.
llvm::StringRef drawCombiner(ProgramWriter &writer, mlir::Type element);
Reducer drawReducer(ProgramWriter &writer, llvm::ArrayRef<mlir::Type> elements);

/// The region of the reducer: on all left scalars, then all right ones.
RegionBody makeReducerBody(ProgramWriter &writer, const Reducer &reducer, llvm::ArrayRef<mlir::Type> elements);
/// Where it starts: mostly, but not always, its neutral element.
mlir::Value drawInitial(ProgramWriter &writer, llvm::StringRef op, mlir::Type element);
/// (x, y) -> compare(x, y) on the first pair of elements.
RegionBody makeOrderBody(ProgramWriter &writer, llvm::ArrayRef<mlir::Type> arguments, unsigned direction);

} // namespace partita::fuzz

#endif
