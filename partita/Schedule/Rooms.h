//===- Rooms.h - the namespaces that Schedule uses ------------------------===//

#ifndef PARTITA_SCHEDULE_ROOMS_H
#define PARTITA_SCHEDULE_ROOMS_H

namespace partita {
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::schedule {
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::schedule

#endif
