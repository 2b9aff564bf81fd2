//===- Rooms.h - the namespaces that Propagate uses -----------------------===//

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
