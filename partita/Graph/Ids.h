//===- Ids.h - ids of the flat program ------------------------------------===//

#ifndef PARTITA_GRAPH_IDS_H
#define PARTITA_GRAPH_IDS_H

#include "partita/Graph/Rooms.h"
#include "partita/Support/Id.h"

namespace partita::graph {

using CellId = Id<struct CellTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using NameId = Id<struct NameTag>;
using UseId = Id<struct UseTag>;

} // namespace partita::graph

#endif
