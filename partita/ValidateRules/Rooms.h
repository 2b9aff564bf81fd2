//===- Rooms.h - namespaces that ValidateRules uses -----------------------===//

#ifndef PARTITA_VALIDATERULES_ROOMS_H
#define PARTITA_VALIDATERULES_ROOMS_H

namespace partita {
namespace evaluate {}
namespace program {}
namespace graph {}
} // namespace partita

namespace partita::validate {
using namespace evaluate;
using namespace program;
using namespace graph;
} // namespace partita::validate

#endif
