//===- LegacyShardingsMesh.h - infers one mesh for unnamed shardings ------===//
//
// XLA's shardings name devices, not axes. Each splits the device numbers into
// digits: in [4,2]<=[2,4]T(1,0) the minor digit, of size 4 and stride 1, splits
// the first dim, and the major digit, of size 2 and stride 4, splits the
// second. The axes of the mesh, axis_0, axis_1, ... from major to minor, are
// the coarsest digits from which the digits of all shardings can be composed.
//
// If the device order has no such digits but all shardings share it, the mesh
// lists the devices in that order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGSMESH_H
#define PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGSMESH_H

#include "partita/Program/Import/LegacyShardingsText.h"
#include "partita/Program/Rooms.h"

#include "llvm/ADT/ArrayRef.h"

namespace partita::program::import {

/// A digit of the device number: `number / stride % size`.
struct MeshDigit {
  int64_t size;
  int64_t stride;
};

/// The digits of each dim of a sharding's array, major to minor.
using DigitsPerDim = llvm::SmallVector<llvm::SmallVector<MeshDigit>>;

class InferredMesh {
public:
  /// The mesh for `shardings`, which must all be tiled. Nothing if there is none; `whyNot` then says why.
  static std::optional<InferredMesh> infer(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot);

  /// A mesh of one axis.
  static InferredMesh makeLine(int64_t devices);

  /// Sizes of the axes, major to minor.
  llvm::ArrayRef<int64_t> getAxisSizes() const { return axisSizes; }
  /// The devices in the order of the mesh; empty if that is 0, 1, 2, ...
  llvm::ArrayRef<int64_t> getDeviceIds() const { return deviceIds; }

  /// The axes of each dim of the array of `sharding`, which must be one of those that the mesh was inferred from.
  llvm::SmallVector<llvm::SmallVector<unsigned>> computeAxes(const HloSharding &sharding) const;

private:
  bool addShardings(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot);

  llvm::SmallVector<int64_t> axisSizes;
  llvm::SmallVector<int64_t> deviceIds;
};

} // namespace partita::program::import

#endif
