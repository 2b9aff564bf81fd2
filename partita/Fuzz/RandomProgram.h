//===- RandomProgram.h - a random well-typed program ----------------------===//
//
// Programs have all families of ops, loops, branches, state that comes out as it
// went in, odd element types and odd sizes. The same seed and options give the
// same program on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMPROGRAM_H
#define PARTITA_FUZZ_RANDOMPROGRAM_H

#include "partita/Fuzz/Rooms.h"
#include "partita/Machine/Mesh.h"
#include "partita/Support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::fuzz {

struct ProgramOptions {
  /// Only what is exact in floats on small integers, in any order of summation.
  bool exact = false;
  /// Only what XLA compiles on CPU, with results that no implementation may choose.
  bool portable = false;
  int64_t fewestOps = 3;
  int64_t mostOps = 30;
  /// Sizes are chosen so that its axes often divide them.
  Mesh mesh;
  /// The program has shardings of its own, of `mesh`.
  bool constraints = false;
};

/// A module that verifies, with a public @main; an error is a defect of the generator.
Result<mlir::OwningOpRef<mlir::ModuleOp>> makeRandomProgram(uint64_t seed, const ProgramOptions &options,
                                                            mlir::MLIRContext &context);

} // namespace partita::fuzz

#endif
