//===- Placement.h - which levels of the machine a mesh axis runs over ----===//
//
// A placement gives every mesh axis the parts of levels that it runs over,
// major to minor. By default devices of the mesh and of the machine are
// numbered alike, row-major:
//
//   data=8,model=4 on h100-sxm:4x8    data: node (4), then every fourth GPU of
//                                     nvlink (2); model: neighbors (4)
//
// A user may place axes differently, `model=node,data=nvlink`; then the mesh must
// list the devices in the order of computeDeviceOrder.
//
//   placement := axis '=' part ('+' part)* (',' ...)*      part := level (':' size)?
//
// Parts of one level nest in the order of the text, first outermost. Axes that
// are not named take what is left, in mesh order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PLACEMENT_H
#define PARTITA_MACHINE_PLACEMENT_H

#include "partita/Machine/Machine.h"
#include "partita/Machine/Mesh.h"
#include "partita/Machine/Rooms.h"

#include "llvm/ADT/SmallVector.h"

namespace partita::machine {

/// `size` positions of a level, `stride` positions apart.
struct LevelPart {
  uint32_t level = 0;
  int64_t size = 1;
  int64_t stride = 1;
  bool operator==(const LevelPart &) const = default;
};

/// Major to minor.
using LevelParts = llvm::SmallVector<LevelPart, 4>;

struct Placement {
  /// One for each mesh axis, in its order.
  std::vector<LevelParts> axes;

  bool operator==(const Placement &) const = default;
};

/// Row-major. A usage error if mesh and machine have different numbers of devices, or if an axis ends inside a level
/// and does not divide it.
Result<Placement> placeRowMajor(const Mesh &mesh, const Machine &machine);

/// The placement that `text` describes; row-major if it is empty.
Result<Placement> parsePlacement(llvm::StringRef text, const Mesh &mesh, const Machine &machine);

/// The parts of a sub-axis of `size`; the sub-axes before it in the same mesh axis have the product `preSize`. If a
/// sub-axis does not divide along levels, the remainder counts on the outermost level that it touches: the price is
/// never too low.
LevelParts placeSubAxis(const LevelParts &axis, int64_t preSize, int64_t size);

/// For each device of the mesh, row-major, its number in the machine.
std::vector<int64_t> computeDeviceOrder(const Placement &placement, const Mesh &mesh, const Machine &machine);

/// `data=node+nvlink:2,model=nvlink:4`.
std::string printPlacement(const Placement &placement, const Mesh &mesh, const Machine &machine);

} // namespace partita::machine

#endif
