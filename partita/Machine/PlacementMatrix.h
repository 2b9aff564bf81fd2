//===- PlacementMatrix.h - the ways to lay a mesh on a machine ------------===//
//
// A placement gives each level of the machine to axes of the mesh. As a matrix,
// rows are axes and columns are levels; an entry is the part of the level that
// the axis takes. Rows multiply to the sizes of axes, columns to those of levels:
//
//   data=4,model=16 on 4 nodes of 16      node  nvlink
//                                  data     4     1        1     4        2     2
//                                  model    1    16        4     4        2     8
//
// (Xie et al., Synthesizing Optimal Parallelism Placement and Reduction
// Strategies on Hierarchical Systems, MLSys 2022, call them parallelism matrices.)
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PLACEMENTMATRIX_H
#define PARTITA_MACHINE_PLACEMENTMATRIX_H

#include "partita/Machine/Placement.h"

namespace partita::machine {

/// For each axis and each level, how many positions of the level the axis takes.
using PlacementMatrix = std::vector<llvm::SmallVector<int64_t, 4>>;

/// So many matrices are looked at; machines and meshes that people build have fewer.
inline constexpr size_t mostMatrices = 1024;

/// All matrices of these axes and levels, in a fixed order; the first `most` of them. None if the products differ.
std::vector<PlacementMatrix> listMatrices(llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> levels,
                                          size_t most = mostMatrices);

/// The placement of a matrix: on each level, the axes nest in `order`, outermost first.
Placement placeMatrix(const PlacementMatrix &matrix, llvm::ArrayRef<uint32_t> order, const Machine &machine);

/// What a placement's prices depend on. Positions in a switch do not matter, nor do the names of dims of a torus that
/// are alike, nor those of axes of one size if `areAxesAlike`.
std::vector<std::vector<int64_t>> describePlacement(const Placement &placement, const Mesh &mesh,
                                                    const Machine &machine, bool areAxesAlike);

/// The placements of a mesh that differ in their prices; row-major first, where there is one. Along an axis, outer
/// levels are major. On the dims of a torus, axes are also nested in other orders than that of the mesh. None if mesh
/// and machine differ in size.
std::vector<Placement> listPlacements(const Mesh &mesh, const Machine &machine, bool areAxesAlike = false);

/// The placement that `text` says. Without text it is row-major; where an axis would end inside of a level that it does
/// not divide, the first that fits.
Result<Placement> findPlacement(llvm::StringRef text, const Mesh &mesh, const Machine &machine);

} // namespace partita::machine

#endif
