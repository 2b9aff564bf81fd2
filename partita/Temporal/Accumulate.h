//===- Accumulate.h - runs a step microbatch by microbatch ----------------===//
//
//   {"name": "accumulate", "temporal": {"micro": 8}, "tile": [["batch/.*", 0]]}
//
// makes an axis of time: the batch is cut into 8 microbatches, and one loop runs
// forward and backward pass for each, adding up gradients and collecting what
// has a row for each row of the batch. It is a rewrite of the program, made
// before the flat program that everything else sees: prices, search, lowering
// and checks know a program that accumulates by itself.
//
//   Reach.h       which factor of each op the axis splits
//   Forms.h       which values are pieces, which are terms of sums
//   Placement.h   what runs before, in and behind the loop
//   MicroEmitter  writes it
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_ACCUMULATE_H
#define PARTITA_TEMPORAL_ACCUMULATE_H

#include "partita/Program/Flatten.h"
#include "partita/Temporal/Reach.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::temporal {

/// The name of the loops over microbatches and of what they carry.
inline constexpr llvm::StringLiteral loopName = "accumulate";

struct AccumulateRequest {
  /// The number of microbatches.
  int64_t count = 1;
  std::vector<Root> roots;
  /// 16-bit sums are kept in f32 from one microbatch to the next.
  bool inSingle = false;
  /// How often costly ops may run for each microbatch (Placement.h).
  int64_t passes = 1;
};

/// What a rewrite did, for reports.
struct Accumulated {
  int64_t count = 1;
  /// The arguments that are cut, by number, and the dims of their rows.
  std::vector<std::pair<uint32_t, uint32_t>> cutArguments = {};
  /// Loops over the microbatches: 1, and one more for each barrier.
  int numLoops = 0;
  /// Ops in the last loop, and in the passes before it.
  int64_t numOps = 0, numEarlyOps = 0;
  /// Values that the loops add up (or combine otherwise), those that they collect row by row, and their bytes.
  int64_t numSums = 0, sumBytes = 0;
  int64_t numCollected = 0, collectedBytes = 0;
  /// Sums of 16-bit floats, in which small terms are lost.
  int64_t numNarrowSums = 0;
  /// The type of these: `bf16`, say.
  std::string narrowType;
};

/// Replaces @main of `module`, which is in normal form and of which `flattened` is the flat program, by one that runs
/// microbatch by microbatch. `flattened` refers to ops that are gone then. An error says which op forbids it.
Result<Accumulated> accumulate(mlir::ModuleOp module, const Flattened &flattened, const AccumulateRequest &request);

} // namespace partita::temporal

#endif
