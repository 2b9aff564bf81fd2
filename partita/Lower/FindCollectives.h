//===- FindCollectives.h - finds collectives that the input has -----------===//
//
// Finds the collectives in the bodies of a program's manual computations
// (`shard_map`), and outside of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_FINDCOLLECTIVES_H
#define PARTITA_LOWER_FINDCOLLECTIVES_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"

namespace partita::lower {

/// The program's existing collectives in program order. An error if groups do not fit the mesh. Loops with an unknown
/// trip count run `assumedTrips` times.
Result<std::vector<ExistingCollective>> findExistingCollectives(const Flattened &flattened, const Mesh &mesh,
                                                                int64_t assumedTrips);

} // namespace partita::lower

#endif
