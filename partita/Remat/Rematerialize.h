//===- Rematerialize.h - time for memory, value by value ------------------===//
//
// A training step keeps values of the forward pass for the backward pass. Some
// are cheap to compute again. A tactic decides by class:
//
//   {"name": "remat", "recompute": ["attention/.*"], "keep": ["mlp/.*"]}
//
// A class holds the values that are alike in all layers. Where layers are a scan
// it is one stack, which the forward loop writes slice by slice and the backward
// loop reads. Where they are unrolled, repetition (Analysis/Repetition.h) says
// which values are alike.
//
//   recompute  the value is not kept: its cone, the ops from kept values to it,
//              is copied into the backward pass, behind a barrier
//   keep       undoes jax.checkpoint: a value that the backward pass computes
//              again is the forward pass's own (ValueNumbers.h), so it is kept
//
// Both are rewrites of the program, made before the flat program that everything
// else sees, and before microbatches are cut (Temporal/TemporalTactics.h).
//
//   LayerLoops.h      pairs of loops, forward and backward, and their stacks
//   CrossingValues.h  the same in straight code
//   ValueNumbers.h    which values of both passes are equal
//   LoopRewriter.h    writes stacks and cones of loops
//   CodeRewriter.h    writes cones of straight code
//   GivenCones.h      fences those that straight code has already
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_REMATERIALIZE_H
#define PARTITA_REMAT_REMATERIALIZE_H

#include "partita/Program/Flatten.h"
#include "partita/Remat/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::remat {

/// What can be done to a class.
enum class RematKind : uint8_t {
  /// Its values are kept; they can be recomputed.
  Recompute,
  /// Its values are recomputed; they can be kept.
  Keep
};

/// `recompute`, `keep`: the word in files.
llvm::StringRef getWord(RematKind kind);

struct RematClass {
  /// The user's scopes and the op, `attention/dot_general`; with `#1` and so on if several classes are called so.
  /// Unique among all classes of a program.
  std::string name;
  RematKind kind = RematKind::Recompute;
  /// How many values it has: one for each layer.
  int64_t numValues = 0;
  /// Bytes that are alive from the forward to the backward pass while its values are kept; of the whole program, not
  /// split.
  int64_t bytes = 0;
  /// Multiplications and additions in the cone, for all layers: run again if its values are recomputed, all others
  /// being kept; saved if they are kept. For several classes the sum is what runs, at most.
  int64_t flops = 0;
  /// What holds the values in the flat program: the stack, or a value of each layer. The device's share of `bytes` is
  /// that of these cells times `copies`.
  std::vector<CellId> cells;
  /// How many copies of each cell are kept: of a value in a loop that gets a stack, one for each iteration.
  int64_t copies = 1;
  /// For each cell, the first and the last op between which its value is alive while it is kept.
  std::vector<std::pair<OpId, OpId>> alive;
  /// The ops of the cones, of all layers, in the flat program.
  std::vector<OpId> cone;
  /// `model.py:42`.
  std::string location;
};

/// All classes of the program, in the order of their values. `module` is in normal form, and `flattened` its flat
/// program. Takes time linear in the program.
std::vector<RematClass> findRematClasses(mlir::ModuleOp module, const Flattened &flattened);

/// Names of classes. Those of kind Recompute in `recompute` are recomputed, those of kind Keep in `keep` are kept;
/// others are as asked already.
struct RematRequest {
  std::vector<std::string> recompute, keep;
};

/// What a rewrite did, for reports.
struct RematReport {
  /// The classes that changed, as they were before.
  std::vector<RematClass> recomputed, kept;
  /// Whether these are all classes that could be recomputed, and kept.
  bool isAllRecomputed = false, isAllKept = false;
  /// Values that are kept in addition because cones start from them: inputs of layers.
  int64_t numInputs = 0, inputBytes = 0;
  /// Ops of the cones that were added, and of those that were removed.
  int64_t numAddedOps = 0, numRemovedOps = 0;
};

/// Rewrites @main of `module`, which is in normal form and of which `flattened` is the flat program. `flattened` refers
/// to ops that are gone then. An error says which class or op forbids it.
Result<RematReport> rematerialize(mlir::ModuleOp module, const Flattened &flattened, const RematRequest &request);

} // namespace partita::remat

#endif
