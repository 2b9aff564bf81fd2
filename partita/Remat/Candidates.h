//===- Candidates.h - classes with the values that they stand for ---------===//

#ifndef PARTITA_REMAT_CANDIDATES_H
#define PARTITA_REMAT_CANDIDATES_H

#include "partita/Remat/CodeRewriter.h"
#include "partita/Remat/LayerLoops.h"
#include "partita/Remat/LoopRewriter.h"
#include "partita/Remat/Rematerialize.h"
#include "partita/Remat/Rooms.h"
#include "partita/Remat/ValueNumbers.h"

#include <deque>

namespace partita::remat {

/// A class, and where it is: in a pair of layer loops or in straight code.
struct RematCandidate {
  RematClass facts;
  /// Values of the forward pass: one of a loop's body, or one for each layer.
  std::vector<mlir::Value> values;
  /// Of kind Keep: what the backward pass computes again, in straight code and in a loop's body.
  std::vector<EqualValues> equal;
  std::vector<mlir::Value> again;
  /// Position in RematProgram::pairs; none in straight code.
  std::optional<size_t> pair;
  /// Of kind Recompute in loops: position in LayerLoops::stacks.
  size_t stack = 0;
  /// Position in RematProgram::codes, in straight code.
  size_t code = 0;
};

/// A program with all that the rewrite looks up. Its parts refer to each other.
struct RematProgram {
  RematProgram(mlir::ModuleOp module, const Flattened &flattened);
  RematProgram(const RematProgram &) = delete;
  RematProgram &operator=(const RematProgram &) = delete;

  ProgramIndex index;
  std::vector<LayerLoops> pairs;
  ValueNumbers numbers;
  LayerMap layers;
  std::deque<StraightCode> codes;
  /// In the order of their first values.
  std::vector<RematCandidate> candidates;
};

} // namespace partita::remat

#endif
