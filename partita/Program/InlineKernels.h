//===- InlineKernels.h - puts the bodies of kernels in their place --------===//
//
// A composite `partita.kernel.*` stays one op on import. Its body is written for
// the whole of its operands, so a rewrite that cuts these needs the body's own ops.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_INLINEKERNELS_H
#define PARTITA_PROGRAM_INLINEKERNELS_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/IR/Operation.h"

namespace partita::program {

/// Replaces all composites inside of `root` by copies of their decompositions. An error for one that has none, or that
/// contains itself.
Status inlineKernels(mlir::Operation *root);

} // namespace partita::program

#endif
