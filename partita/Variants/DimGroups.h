//===- DimGroups.h - dims that are padded together ------------------------===//
//
// Classes of linked dims (Graph/LinkedDims.h) end where nothing connects two
// layers: each layer has heads of its own. A search decides about them together.
// So classes are one group if they have a color in common (Analysis/Colors.h), if
// they correspond in layers that repeat, or if they have one word and one size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_DIMGROUPS_H
#define PARTITA_VARIANTS_DIMGROUPS_H

#include "partita/Analysis/Analysis.h"
#include "partita/Graph/LinkedDims.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

using DimGroup = DimClass;

class DimGroups {
public:
  /// `linked` are those of the analysis' graph.
  DimGroups(const Analysis &analysis, const LinkedDims &linked);

  DimGroup get(DimClass dims) const { return groups[dims]; }

private:
  DimGroup findRoot(DimGroup group);
  void join(DimClass a, DimClass b);

  std::vector<DimGroup> groups;
};

} // namespace partita::variants

#endif
