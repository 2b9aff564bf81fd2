//===- Devices.h - meshes, and groups of devices --------------------------===//
//
// Devices are the partitions 0 to N-1 of one replica. A mesh lays them out along
// named axes; a digit is an axis or a part of one. The devices of a mesh that
// differ in given digits only are a group.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_DEVICES_H
#define PARTITA_PROGRAM_DEVICES_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::program {

/// Devices that act together, in an order that matters.
using Group = llvm::SmallVector<int64_t>;

/// A device's position has this digit: position / stride % size.
struct Digit {
  int64_t stride;
  int64_t size;
};

class DeviceMesh {
public:
  static DeviceMesh make(sdy::MeshAttr mesh);
  static DeviceMesh make(stablehlo::MeshAttr mesh);

  int64_t getNumDevices() const { return deviceIds.size(); }
  int64_t getDevice(int64_t position) const { return deviceIds[position]; }
  /// Whether its devices are exactly 0 to N-1.
  bool isPermutation() const;

  /// The digit that an axis is, or the part of one that `preSize` and `size` say (sdy's words); nothing if there is
  /// none such.
  std::optional<Digit> findDigit(llvm::StringRef axis) const;
  std::optional<Digit> findDigit(llvm::StringRef axis, int64_t preSize, int64_t size) const;
  std::optional<Digit> findDigit(sdy::AxisRefAttr axis) const;

  /// The groups of devices that differ in `digits` only, each ordered by them, major to minor; nothing if two digits
  /// overlap.
  std::optional<llvm::SmallVector<Group>> computeGroups(llvm::ArrayRef<Digit> digits) const;

private:
  struct Axis {
    std::string name;
    int64_t size;
    int64_t stride;
  };

  void addAxes(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> sizes);

  llvm::SmallVector<Axis> axes;
  llvm::SmallVector<int64_t> deviceIds;
};

/// The number that a position's digits make, major to minor.
int64_t computeNumber(int64_t position, llvm::ArrayRef<Digit> digits);

/// How ids of `replica_groups` are meant (the specification's names).
enum class GroupStrategy { CrossReplica, CrossReplicaAndPartition, CrossPartition };

/// How a collective means its ids: without a channel they are replicas, with one partitions, unless it is an op that
/// says whether they are.
template <typename OpT> GroupStrategy getGroupStrategy(OpT op) {
  if (!op.getChannelHandle() || op.getChannelHandle()->getHandle() <= 0)
    return GroupStrategy::CrossReplica;
  if constexpr (requires { op.getUseGlobalDeviceIds(); }) {
    if (!op.getUseGlobalDeviceIds())
      return GroupStrategy::CrossReplicaAndPartition;
  }
  return GroupStrategy::CrossPartition;
}

/// The groups of a collective on `numDevices` devices. Flattened ids and partition ids are the same here, as there is
/// one replica.
Result<llvm::SmallVector<Group>> computeGroups(mlir::Operation *op, mlir::Attribute replicaGroups,
                                               GroupStrategy strategy, int64_t numDevices);

} // namespace partita::program

#endif
