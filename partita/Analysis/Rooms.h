//===- Rooms.h - the namespaces that Analysis uses ------------------------===//

#ifndef PARTITA_ANALYSIS_ROOMS_H
#define PARTITA_ANALYSIS_ROOMS_H

namespace partita {
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::analysis {
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::analysis

#endif
