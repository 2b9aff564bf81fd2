//===- Rooms.h - namespaces that ValidateRules uses -----------------------===//

#ifndef PARTITA_VALIDATERULES_ROOMS_H
#define PARTITA_VALIDATERULES_ROOMS_H

namespace partita {
namespace padding {}
namespace evaluate {}
namespace program {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
} // namespace partita

namespace partita::validate {
using namespace padding;
using namespace evaluate;
using namespace program;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
} // namespace partita::validate

#endif
