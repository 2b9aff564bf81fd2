//===- Rooms.h - names of other rooms that Simulate uses unqualified ------===//
//
// Each room has a namespace. The headers of a room include this file to use the
// names of the rooms that it depends on without a qualifier.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_ROOMS_H
#define PARTITA_SIMULATE_ROOMS_H

namespace partita {
namespace cost {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::simulate {
using namespace cost;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::simulate

#endif
