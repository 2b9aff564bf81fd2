//===- Rooms.h - the namespaces that Graph uses ---------------------------===//

#ifndef PARTITA_GRAPH_ROOMS_H
#define PARTITA_GRAPH_ROOMS_H

namespace partita::graph {} // namespace partita::graph

#endif
