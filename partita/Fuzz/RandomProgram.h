//===- RandomProgram.h - generates a random well-typed program ------------===//
//
// Programs have all families of ops (Families.h), loops, branches, state
// (arguments whose next value is a result), odd element types and odd sizes.
// The same seed and options give the same program on every machine.
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
  /// Only ops that are exact in floats on small integers, in any order of summation.
  bool exact = false;
  /// Only ops that XLA compiles on CPU and whose results the specification defines fully.
  bool portable = false;
  int64_t fewestOps = 3;
  int64_t mostOps = 30;
  /// Sizes are chosen so that its axes often divide them.
  Mesh mesh;
  /// The program contains shardings over `mesh`.
  bool constraints = false;
  /// The program is made of few ops and of loops that stack gradients or add them up.
  bool gradients = false;
};

/// A verified module with a public @main. An error is a defect of the generator.
Result<mlir::OwningOpRef<mlir::ModuleOp>> makeRandomProgram(uint64_t seed, const ProgramOptions &options,
                                                            mlir::MLIRContext &context);

} // namespace partita::fuzz

#endif
