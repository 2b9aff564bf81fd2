//===- LocalScoring.h - a local program of anybody's, scored --------------===//
//
// The body of a local program is priced as the program of one device: its
// shapes are local already, and its collectives stand in it. Each collective is
// priced by the axes in which the devices of its groups differ, and runs on its
// level's stream as soon as its operand is there; nothing is prefetched beyond
// what the order of the program allows.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_LOCALSCORING_H
#define PARTITA_DRIVER_LOCALSCORING_H

#include "partita/Driver/Scoring.h"

namespace partita {

/// A local program, priced. Parts refer to each other.
struct LocalScore {
  mlir::OwningOpRef<mlir::ModuleOp> body;
  std::unique_ptr<Planning> planning;
  std::unique_ptr<Pricing> pricing;
  Score score;
};

/// `local` has `@main` with one `sdy.manual_computation` over all axes of its mesh, or none on one device.
Result<LocalScore> scoreLocal(mlir::ModuleOp local, const Options &options, StageClock &clock);

} // namespace partita

#endif
