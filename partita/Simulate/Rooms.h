//===- Rooms.h - names of other rooms that Simulate uses unqualified ------===//

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
