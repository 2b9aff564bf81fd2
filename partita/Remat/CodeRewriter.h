//===- CodeRewriter.h - writes cones of straight code ---------------------===//
//
//   keep       the backward pass uses the forward pass's value instead of its own
//   recompute  the cone is copied to where the backward pass first needs a value of
//              it, and from there on copies are used. What the copies read passes
//              a barrier with a cotangent that is needed there, so that they are
//              computed neither before it nor once for both passes
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_CODEREWRITER_H
#define PARTITA_REMAT_CODEREWRITER_H

#include "partita/Remat/Rematerialize.h"
#include "partita/Remat/Rooms.h"
#include "partita/Remat/StraightCode.h"

namespace partita::remat {

/// A value that the backward pass computes again, and the one of the forward pass.
struct EqualValues {
  mlir::Value forward, backward;
};

/// What is to be done to straight code.
struct CodeRequest {
  std::vector<EqualValues> keep;
  /// Values that cross, by group: those of a layer, or one that belongs to none.
  std::vector<std::vector<mlir::Value>> recompute;
};

/// What is dead then stays. An error names the op that must not run again.
Status rewriteCode(const StraightCode &code, const ProgramIndex &index, const CodeRequest &request,
                   RematReport &report);

} // namespace partita::remat

#endif
