//===- Rooms.h - names of other rooms that Cost uses unqualified ----------===//

#ifndef PARTITA_COST_ROOMS_H
#define PARTITA_COST_ROOMS_H

namespace partita {
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::cost {
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::cost

#endif
