//===- Import.h - any program to the normal form --------------------------===//
//
// A module enters as the user wrote it and leaves in the normal form, on which
// all later stages rely:
//
//   - the module holds one public function, @main, with one block; meshes
//     (sdy.mesh); and functions that an op of @main names by symbol;
//   - no calls, no composites but `partita.kernel.*`, no tuples, no
//     sdy.named_computation; shardings are sdy's own;
//   - every tensor has a static shape;
//   - a convolution or a window takes no pad that could be its own padding;
//   - nothing is dead, and nothing was merged: two equal ops stay two;
//   - channels are numbered 1, 2, ... in program order.
//
// Names of arguments and results, donation and locations are kept. Ops that
// came from a call have call-site locations. Importing a normal form changes
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_IMPORT_H
#define PARTITA_PROGRAM_IMPORT_IMPORT_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Limits.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::program {

struct ImportOptions {
  std::string function;
  bool ignoreShardings = false;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"function", "name", "The function to partition, if it is not @main or the only public one"},
                 function);
    visitor.toggle({"ignore-shardings", "", "Drops all shardings and sharding constraints of the program"},
                   ignoreShardings);
  }
};

/// Brings `module` to the normal form, in place. After an error the module is valid IR, but must not be used.
Status importProgram(mlir::ModuleOp module, const ImportOptions &options, const Limits &limits);

/// Success if `module` is in normal form; else an error at what is not.
Status verifyNormalForm(mlir::ModuleOp module);

} // namespace partita::program

#endif
