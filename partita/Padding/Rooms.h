//===- Rooms.h - names of other rooms that Padding uses unqualified -------===//

#ifndef PARTITA_PADDING_ROOMS_H
#define PARTITA_PADDING_ROOMS_H

namespace partita {
namespace program {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::padding {
using namespace program;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::padding

#endif
