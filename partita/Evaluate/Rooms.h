//===- Rooms.h - namespaces of other rooms that Evaluate uses -------------===//

#ifndef PARTITA_EVALUATE_ROOMS_H
#define PARTITA_EVALUATE_ROOMS_H

namespace partita {
namespace program {}
namespace graph {}
} // namespace partita

namespace partita::evaluate {
using namespace program;
using namespace graph;
} // namespace partita::evaluate

#endif
