//===- Import.h - any program to the normal form --------------------------===//
//
// The normal form is what everything behind import may rely on:
//
//   - the module holds one public function, @main, with one block; meshes
//     (sdy.mesh); and functions that an op of @main names by symbol;
//   - no calls, no composites but `partita.kernel.*`, no tuples, no
//     sdy.named_computation; shardings are sdy's own;
//   - every tensor has a static shape;
//   - nothing is dead, and nothing was merged: two equal ops stay two;
//   - channels are numbered 1, 2, ... in program order.
//
// Names of arguments and results, donation and locations survive; ops that came
// from a call have call-site locations. Import of a normal form changes nothing.
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

/// Brings `module` to the normal form, in place. After an error the module is valid IR, but of no use.
Status importProgram(mlir::ModuleOp module, const ImportOptions &options, const Limits &limits);

/// Success if `module` is in normal form; else what is not.
Status verifyNormalForm(mlir::ModuleOp module);

} // namespace partita::program

#endif
