//===- Rooms.h - namespaces of other rooms that Verify uses ---------------===//

#ifndef PARTITA_VERIFY_ROOMS_H
#define PARTITA_VERIFY_ROOMS_H

namespace partita {
namespace evaluate {}
namespace program {}
namespace graph {}
} // namespace partita

namespace partita::verify {
using namespace evaluate;
using namespace program;
using namespace graph;
} // namespace partita::verify

#endif
