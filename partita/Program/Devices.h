//===- Devices.h - meshes, and groups of devices --------------------------===//
//
// Devices are the partitions 0 to N-1 of one replica. A mesh lays them out
// along named axes, so a device's position is a mixed-radix number with a digit
// for each axis or sub-axis. A group is a set of devices that differ in given
// digits only.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_DEVICES_H
#define PARTITA_PROGRAM_DEVICES_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::program {

/// Devices that act together. The order matters.
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

  /// The digit of an axis, or of the sub-axis `(preSize)size` as in sdy. Nothing if the mesh does not have it.
  std::optional<Digit> findDigit(llvm::StringRef axis) const;
  std::optional<Digit> findDigit(llvm::StringRef axis, int64_t preSize, int64_t size) const;
  std::optional<Digit> findDigit(sdy::AxisRefAttr axis) const;

  /// The groups of devices that differ in `digits` only. Each group is ordered by the digits, major to minor. Nothing
  /// if two digits overlap.
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

/// The mixed-radix number of a position's `digits`, major to minor.
int64_t computeNumber(int64_t position, llvm::ArrayRef<Digit> digits);

/// What the ids of `replica_groups` are (the specification's names).
enum class GroupStrategy { CrossReplica, CrossReplicaAndPartition, CrossPartition };

/// What the ids of a collective are: replicas without a channel, else partitions, unless the op has
/// `use_global_device_ids` and it is not set.
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
