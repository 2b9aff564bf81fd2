//===- Loops.h - loops of random programs, as JAX writes them -------------===//
//
// Several families of ops share these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_LOOPS_H
#define PARTITA_FUZZ_LOOPS_H

#include "partita/Fuzz/ProgramWriter.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

/// Writes the body of a loop: takes the carried values and gives the next ones.
using LoopBody = std::function<Values(mlir::Value counter, mlir::ValueRange carried)>;

/// `for counter in 0 .. trips-1`: the counter is the first carried value. Programs sometimes leave it early. What it
/// gives can be picked later if it is visible.
Values emitLoop(ProgramWriter &writer, int64_t trips, const Values &initial, const LoopBody &body,
                bool isVisible = true);

/// Slice `index` of `stacked` along `dim`, which is dropped.
mlir::Value takeSlice(ProgramWriter &writer, mlir::Value stacked, mlir::Value index, int64_t dim);
/// Writes `slice` there.
mlir::Value putSlice(ProgramWriter &writer, mlir::Value stacked, mlir::Value slice, mlir::Value index, int64_t dim);

} // namespace partita::fuzz

#endif
