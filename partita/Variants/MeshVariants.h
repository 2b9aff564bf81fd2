//===- MeshVariants.h - the mesh and its place, decided with variants -----===//
//
// What memory actions save depends on the mesh and on where it lies. So a
// placement or a shape of the mesh that a short search preferred
// (Search/MeshSearch.h) is searched with its variants (VariantSearch.h) before it
// is taken.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_MESHVARIANTS_H
#define PARTITA_VARIANTS_MESHVARIANTS_H

#include "partita/Variants/VariantSearch.h"

namespace partita::variants {

/// As searchVariants. If a short search preferred another placement than row-major, which `trials` begin with,
/// row-major is searched as well, so that the preferred one has to win in the end too. `trials` then begin with the one
/// that did.
Result<SearchedVariant> searchPlaced(VariantProblem problem, VariantProgram plain, std::vector<MeshTrial> &trials,
                                     StageClock &clock);

/// Chooses the mesh as well: that of `problem` has all devices along one axis, which is searched first. On the program
/// that it chose, shapes that cut it are compared (searchMeshes), and those that are close get a longer search. One of
/// several axes is searched with the whole budget and with its own variants, too. `trials` become the shapes, that of
/// the plan first.
Result<SearchedVariant> searchShapes(VariantProblem problem, VariantProgram plain, std::vector<MeshTrial> &trials,
                                     StageClock &clock);

} // namespace partita::variants

#endif
