//===- Rooms.h - namespaces of other rooms that Program uses --------------===//

#ifndef PARTITA_PROGRAM_ROOMS_H
#define PARTITA_PROGRAM_ROOMS_H

namespace partita {
namespace graph {}
} // namespace partita

namespace partita::program {
using namespace graph;
} // namespace partita::program

#endif
