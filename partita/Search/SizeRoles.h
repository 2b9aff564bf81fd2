//===- SizeRoles.h - what sizes alone tell of arguments -------------------===//
//
// Strategies that anybody writes in one line need no roles of arguments: split
// the inputs along the dim that they share, and all else along any dim that
// divides. What is what is told here by types and sizes, and by which arguments
// products take; not by names, ties, phases or colors. So where the analysis
// fails, the search still begins with those strategies (ProposalsBySize.cpp).
//
//   inputs   arguments of which there are more than results of their type: a step
//            returns its parameters and its state. In programs that return
//            neither, the dim of the results tells which dim inputs share
//   others   all other arguments, except small ones
//   state    those others that no contraction or lookup depends on: moments of an
//            optimizer, averages
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SIZEROLES_H
#define PARTITA_SEARCH_SIZEROLES_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Propagate/Topology.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct GroupDim {
  GroupId group;
  uint32_t dim = 0;
};

struct SizeRoles {
  /// The inputs along the dim that most of them share, and along the next one, as far as they share that.
  std::vector<GroupDim> shared, next;
  std::vector<GroupId> others, state;
};

SizeRoles findSizeRoles(const Topology &topology, const ArgumentGroups &groups,
                        const IdVector<DimId, uint8_t> &steppedDims);

} // namespace partita::search

#endif
