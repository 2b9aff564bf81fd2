//===- Rooms.h - names of other rooms that Remat uses unqualified ---------===//

#ifndef PARTITA_REMAT_ROOMS_H
#define PARTITA_REMAT_ROOMS_H

namespace partita {
namespace program {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::remat {
using namespace program;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::remat

#endif
