//===- Rooms.h - the rooms whose names Propagate uses as its own ---------===//

#ifndef PARTITA_PROPAGATE_ROOMS_H
#define PARTITA_PROPAGATE_ROOMS_H

namespace partita {
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::propagate {
using namespace graph;
using namespace machine;
} // namespace partita::propagate

#endif
