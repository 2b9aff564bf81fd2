//===- Rooms.h - names of other rooms that Temporal uses unqualified ------===//

#ifndef PARTITA_TEMPORAL_ROOMS_H
#define PARTITA_TEMPORAL_ROOMS_H

namespace partita {
namespace padding {}
namespace reorder {}
namespace remat {}
namespace program {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::temporal {
using namespace padding;
using namespace reorder;
using namespace remat;
using namespace program;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::temporal

#endif
