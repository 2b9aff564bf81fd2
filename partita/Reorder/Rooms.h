//===- Rooms.h - names of other rooms that Reorder uses unqualified -------===//

#ifndef PARTITA_REORDER_ROOMS_H
#define PARTITA_REORDER_ROOMS_H

namespace partita {
namespace padding {}
namespace program {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::reorder {
using namespace padding;
using namespace program;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::reorder

#endif
