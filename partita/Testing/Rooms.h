//===- Rooms.h - the namespaces that Testing uses -------------------------===//

#ifndef PARTITA_TESTING_ROOMS_H
#define PARTITA_TESTING_ROOMS_H

namespace partita {
namespace search {}
namespace simulate {}
namespace cost {}
namespace analysis {}
namespace schedule {}
namespace propagate {}
namespace graph {}
namespace machine {}
namespace program {}
namespace evaluate {}
} // namespace partita

namespace partita::fixtures {
using namespace search;
using namespace simulate;
using namespace cost;
using namespace analysis;
using namespace schedule;
using namespace propagate;
using namespace graph;
using namespace machine;
using namespace program;
using namespace evaluate;
} // namespace partita::fixtures

#endif
