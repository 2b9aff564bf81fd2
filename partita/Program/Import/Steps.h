//===- Steps.h - the steps of import, in their order ----------------------===//
//
// Each step has its own source file. Import.cpp calls the steps in this order.
// Each leaves valid IR.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_STEPS_H
#define PARTITA_PROGRAM_IMPORT_STEPS_H

#include "partita/Program/Import/Import.h"
#include "partita/Program/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::program::import {

/// Finds the function to partition (the one asked for, the public @main, or the only one), makes it public and names it
/// @main.
Result<mlir::func::FuncOp> chooseMain(mlir::ModuleOp module, llvm::StringRef wanted);

/// What import has to change in a program. One walk collects it, so that steps without work need no walk of their own.
struct Survey {
  bool hasCalls = false;
  bool hasTuples = false;
  /// Shardings in any notation, or ops that may encode one.
  bool hasShardings = false;
  bool hasChannels = false;
  /// Ops that `decomposeOps` may replace.
  bool hasDecomposable = false;
  /// Ops that `joinPads` may change.
  bool hasWindows = false;
  bool hasWholeUpdates = false;
  bool hasStaticUpdates = false;
  /// Ops that `shiftRows` may replace.
  bool hasJoinedRows = false;

  bool hasAnything() const {
    return hasCalls || hasTuples || hasShardings || hasChannels || hasDecomposable || hasWindows || hasWholeUpdates ||
           hasStaticUpdates || hasJoinedRows;
  }
};

Survey surveyProgram(mlir::ModuleOp module);

/// Converts shardings as older JAX and XLA wrote them (mhlo.sharding strings, @Sharding and @SPMD... custom calls,
/// xla.sdy.* custom calls and frontend attributes) to sdy's own.
Status convertLegacyShardings(mlir::ModuleOp module);

/// Replaces calls and composites (but not `partita.kernel.*`) by their bodies, with call-site locations. Refuses
/// recursion, and programs that would grow beyond the limit.
Status inlineCalls(mlir::ModuleOp module, const Limits &limits);

/// Whether `decomposeOps` may change ops of this kind.
bool mayDecompose(mlir::Operation *op);

/// Replaces chlo ops that XLA cannot compile in partitioned programs by StableHLO that computes the same bits.
void decomposeOps(mlir::ModuleOp module);

/// Replaces values of tuple type by their elements.
Status flattenTuples(mlir::func::FuncOp main);

/// Inlines named computations. Drops shardings over meshes of one device, which mean nothing; with `ignoreAll` drops
/// all shardings.
Status normalizeShardings(mlir::ModuleOp module, bool ignoreAll);

/// Whether ops of this kind may take over the padding of their operands.
bool mayTakePads(mlir::Operation *op);

/// Makes pads of zeros before convolutions, and of init values before windows, the padding of these ops.
void joinPads(mlir::ModuleOp module);

/// Whether the op is a dynamic_update_slice whose update is as large as what it updates.
bool isWholeUpdate(mlir::Operation *op);

/// Replaces such ops by their updates.
void dropWholeUpdates(mlir::ModuleOp module);

/// Whether the op writes or takes one large window at a place that is known, and devices do not divide it.
bool isStaticUpdate(mlir::Operation *op);

/// Writes such updates as selections of what is padded to the length of the whole, and such gathers as slices.
void writeStaticUpdates(mlir::ModuleOp module);

/// Whether the op joins slices of values that are as long as what it gives, or pads one to that length, and no few
/// equal blocks are what it moves.
bool isJoinOfRows(mlir::Operation *op);

/// Writes such ops as shifts of whole values, of which each row takes one.
void shiftRows(mlir::ModuleOp module);

/// Removes ops without effects whose results have no use, and functions that no op names.
void removeDeadCode(mlir::ModuleOp module);

/// Whether ops of this kind may communicate over a channel.
bool mayHaveChannel(mlir::Operation *op);

/// Numbers channels 1, 2, ... in program order; ops that shared one still do.
void renumberChannels(mlir::ModuleOp module);

/// Refuses dynamic shapes of the results of `op` and of the arguments of its blocks.
Status requireStaticShapes(mlir::Operation *op);

/// Checks what a normal form requires beyond MLIR's verifier.
Status checkNormalForm(mlir::ModuleOp module);

} // namespace partita::program::import

#endif
