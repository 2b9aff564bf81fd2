//===- Rooms.h - the rooms whose names Graph uses as its own -------------===//

#ifndef PARTITA_GRAPH_ROOMS_H
#define PARTITA_GRAPH_ROOMS_H

namespace partita::graph {} // namespace partita::graph

#endif
