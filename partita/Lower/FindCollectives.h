//===- FindCollectives.h - the collectives that a program has already -----===//
//
// In the bodies of its manual computations (`shard_map`), and outside of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_FINDCOLLECTIVES_H
#define PARTITA_LOWER_FINDCOLLECTIVES_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"

namespace partita::lower {

/// The program's own collectives in program order. An error if groups do not fit the mesh. Loops whose number of
/// iterations is not known run `assumedTrips` times.
Result<std::vector<ExistingCollective>> findExistingCollectives(const Flattened &flattened, const Mesh &mesh,
                                                                int64_t assumedTrips);

} // namespace partita::lower

#endif
