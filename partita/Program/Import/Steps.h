//===- Steps.h - the steps of import, in their order ----------------------===//
//
// Each step is one file. Import.cpp calls them one after the other; each leaves
// valid IR.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_STEPS_H
#define PARTITA_PROGRAM_IMPORT_STEPS_H

#include "partita/Program/Import/Import.h"
#include "partita/Program/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::program::import {

/// The function to partition: the one asked for, the public @main, or the only one; made public and named @main.
Result<mlir::func::FuncOp> chooseMain(mlir::ModuleOp module, llvm::StringRef wanted);

/// What a program has that import changes: a large program is walked once instead of once for each step.
struct Survey {
  bool hasCalls = false;
  bool hasTuples = false;
  /// Shardings of any form, or what may stand for one.
  bool hasShardings = false;
  bool hasChannels = false;
  /// Ops that `decomposeOps` may replace.
  bool hasDecomposable = false;

  bool hasAnything() const { return hasCalls || hasTuples || hasShardings || hasChannels || hasDecomposable; }
};

Survey surveyProgram(mlir::ModuleOp module);

/// Shardings as older JAX and XLA wrote them (mhlo.sharding strings, @Sharding and @SPMD... custom calls, xla.sdy.*
/// custom calls and frontend attributes) become sdy's own.
Status convertLegacyShardings(mlir::ModuleOp module);

/// Calls and composites (but `partita.kernel.*`) are replaced by their bodies, with call-site locations. Recursion is
/// refused, and programs that would grow beyond the limit.
Status inlineCalls(mlir::ModuleOp module, const Limits &limits);

/// Whether `decomposeOps` may change ops of this kind.
bool mayDecompose(mlir::Operation *op);

/// Replaces chlo ops that XLA cannot compile in partitioned programs by StableHLO that computes the same bits.
void decomposeOps(mlir::ModuleOp module);

/// Values of tuple type are replaced by their elements.
Status flattenTuples(mlir::func::FuncOp main);

/// Named computations are inlined; shardings over meshes of one device, which mean nothing, are dropped, and all of
/// them if `ignoreAll`.
Status normalizeShardings(mlir::ModuleOp module, bool ignoreAll);

/// Removes ops without effects whose results nobody uses, and functions that nobody names.
void removeDeadCode(mlir::ModuleOp module);

/// Whether ops of this kind may communicate over a channel.
bool mayHaveChannel(mlir::Operation *op);

/// Numbers channels 1, 2, ... in program order; ops that shared one still do.
void renumberChannels(mlir::ModuleOp module);

/// Refuses a dynamic shape of a result of `op` or an argument of its blocks.
Status requireStaticShapes(mlir::Operation *op);

/// What a normal form must be beyond what MLIR's verifier asks for.
Status checkNormalForm(mlir::ModuleOp module);

} // namespace partita::program::import

#endif
