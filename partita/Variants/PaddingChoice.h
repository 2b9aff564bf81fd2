//===- PaddingChoice.h - which dims a search tries to pad -----------------===//
//
// A vocabulary of 50257 stays whole on every mesh; one of 50264 divides by 8 and
// costs 0.01% more. The choice is about classes of dims that belong together
// (Graph/LinkedDims.h):
//
//   - no axis of the mesh divides the class, or only some do and the padding is
//     hardly longer than the dim;
//   - it has a share of what the program computes with: splitting a class of
//     small values saves nothing;
//   - padding wastes little: up to 2% for a multiple of all devices, up to an
//     eighth for a multiple of one axis.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_PADDINGCHOICE_H
#define PARTITA_VARIANTS_PADDINGCHOICE_H

#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

/// The multiple that a dim of this size is padded to; 0 if it is left as it is.
int64_t chooseMultiple(int64_t size, const Mesh &mesh);

/// One entry for each class, by the first argument that has it.
std::vector<PadEntry> choosePadding(const Graph &graph, const Mesh &mesh);

} // namespace partita::variants

#endif
