//===- Rooms.h - names of other rooms that Pipeline uses unqualified ------===//

#ifndef PARTITA_PIPELINE_ROOMS_H
#define PARTITA_PIPELINE_ROOMS_H

namespace partita {
namespace temporal {}
namespace reorder {}
namespace remat {}
namespace program {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::pipeline {
using namespace temporal;
using namespace reorder;
using namespace remat;
using namespace program;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::pipeline

#endif
