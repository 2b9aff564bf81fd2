//===- LegacyShardingsMesh.h - one mesh for shardings without names -------===//
//
// XLA's shardings name devices, not axes. Each cuts the device numbers into
// digits: in [4,2]<=[2,4]T(1,0) the first dim is cut by the minor digit, of size
// 4 and stride 1, the second by the major one, of size 2 and stride 4. The axes
// of the mesh, axis_0, axis_1, ... from major to minor, are the coarsest digits
// of which the digits of all shardings are made.
//
// Where the devices come in no such order but all shardings share one, the mesh
// lists them in that order.
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
  /// The mesh for `shardings`, all of them tiled; nothing if there is none, `whyNot` says why.
  static std::optional<InferredMesh> infer(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot);

  /// A mesh of one axis.
  static InferredMesh makeLine(int64_t devices);

  /// Sizes of the axes, major to minor.
  llvm::ArrayRef<int64_t> getAxisSizes() const { return axisSizes; }
  /// The devices in the order of the mesh; empty if that is 0, 1, 2, ...
  llvm::ArrayRef<int64_t> getDeviceIds() const { return deviceIds; }

  /// The axes of each dim of the array of `sharding`, which is one of those that the mesh was made for.
  llvm::SmallVector<llvm::SmallVector<unsigned>> computeAxes(const HloSharding &sharding) const;

private:
  bool addShardings(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot);

  llvm::SmallVector<int64_t> axisSizes;
  llvm::SmallVector<int64_t> deviceIds;
};

} // namespace partita::program::import

#endif
