//===- Machine.h - devices and the links between them ---------------------===//
//
// A machine is one kind of device and an ordered list of interconnect levels,
// outermost first: nodes and the NVLink domain inside each, or slices and the
// dims of a torus. Devices are numbered row-major over the levels, so the last
// level runs fastest. Every figure says where it comes from.
//
// Peaks and what is reached stay apart: rates are the vendor's, `...Ppm` is the
// share of them that is reached, in millionths. All figures are integers, so
// prices do not depend on order or platform.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MACHINE_H
#define PARTITA_MACHINE_MACHINE_H

#include "partita/Machine/Rooms.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::machine {

/// One whole, in millionths.
inline constexpr int64_t wholePpm = 1'000'000;

/// A number and the tag of its source; what tags mean stands in Machine::sources.
struct Figure {
  int64_t value = 0;
  std::string source;
  bool operator==(const Figure &) const = default;
};

enum class LevelKind : uint8_t {
  /// Every device reaches every other at full rate through its port.
  Switch,
  /// A dim of a torus, closed.
  Ring,
  /// A dim of a torus whose ends are not joined.
  Line,
  /// A link between every two devices.
  FullMesh,
  /// How many links a group can use depends on its size (Level::groupLinks).
  HybridMesh,
};

/// `full_mesh`.
llvm::StringRef getName(LevelKind kind);
/// The kind of that name.
std::optional<LevelKind> findLevelKind(llvm::StringRef name);

/// One way to run a collective: launch + hops * hop + bytes / (rate of the level * ratePpm). A level has several, and
/// the cheapest is taken: low latency for small messages, full rate for large ones.
struct Protocol {
  Figure launchPs;
  Figure hopPs;
  Figure ratePpm;
  bool operator==(const Protocol &) const = default;
};

/// Reduction inside the switch: a device sends its operand once and receives the result once.
struct InNetworkReduction {
  Figure latencyPs;
  Figure ratePpm;
  bool operator==(const InNetworkReduction &) const = default;
};

struct Level {
  std::string name;
  LevelKind kind = LevelKind::Switch;
  int64_t size = 1;
  /// One direction of a port (Switch) or of a link (all others).
  Figure bytesPerSecond;
  /// Devices that share the port or the links: GPUs to a network card, cores to a chip.
  Figure devicesPerPort{1, ""};
  /// Rate at which a device passes a collective's bytes through its own memory; 0: not counted.
  Figure localBytesPerSecond;
  /// All collectives but permutes; at least one.
  std::vector<Protocol> protocols;
  /// Point to point; `protocols` if empty.
  std::vector<Protocol> permuteProtocols;
  /// One peer of an all_to_all.
  Figure peerHopPs;
  /// One step of a tree; 0: trees are not used.
  Figure treeHopPs;
  std::optional<InNetworkReduction> inNetwork;
  /// HybridMesh: links that a group of 2, 3, ... devices can use at once.
  std::vector<int64_t> groupLinks;

  bool isTorusDim() const { return kind == LevelKind::Ring || kind == LevelKind::Line; }
  bool operator==(const Level &) const = default;
};

/// Peak rate of matrix products of one element type.
struct PeakRate {
  std::string type;
  Figure flopsPerSecond;
  bool operator==(const PeakRate &) const = default;
};

/// A matrix product that would take `idealPs` at peak rate reaches `ppm` of it.
struct EfficiencyPoint {
  int64_t idealPs = 0;
  int64_t ppm = wholePpm;
  bool operator==(const EfficiencyPoint &) const = default;
};

struct Device {
  std::vector<PeakRate> peaks;
  Figure memoryBytes;
  Figure memoryBytesPerSecond;
  /// Share of the memory's rate that streaming reaches.
  Figure memoryPpm{wholePpm, ""};
  /// What every kernel costs at least.
  Figure launchPs;
  /// What the host takes to issue a kernel or a collective; 0: it is always far enough ahead, as with compiled
  /// programs. Only the timeline knows it (Simulation.h).
  Figure issuePs;
  /// Dims of matrix products are padded to multiples of it.
  Figure matmulTile{1, ""};
  /// By ascending idealPs; between points on the logarithm of idealPs, flat outside.
  std::vector<EfficiencyPoint> matmulEfficiency;
  std::string matmulEfficiencySource;
  bool operator==(const Device &) const = default;
};

struct SourceNote {
  std::string tag;
  std::string text;
  bool operator==(const SourceNote &) const = default;
};

struct Machine {
  /// `h100-sxm:4x8`.
  std::string name;
  Device device;
  /// Outermost first.
  std::vector<Level> levels;
  /// A collective over several levels runs level by level (reduce inside, across, gather inside); otherwise one ring or
  /// tree runs through all of them.
  bool hierarchicalCollectives = false;
  std::vector<SourceNote> sources;
  /// What the reader should know about this machine: how a name was understood, say.
  std::vector<std::string> notes;

  int64_t getNumDevices() const;
  std::optional<uint32_t> findLevel(llvm::StringRef name) const;
  bool operator==(const Machine &) const = default;
};

/// Peak rate of products of an element type as MLIR spells it (`bf16`, `f8E4M3FN`, `i8`); types without a rate of their
/// own run at that of the narrowest type that holds them, and f32 at the rate frameworks use by default (tf32, or bf16
/// passes). 0 if the device has no rate at all.
int64_t getPeakFlopsPerSecond(const Device &device, llvm::StringRef elementType);

/// The share of peak that a product reaches which would take `idealPs` at peak.
int64_t computeEfficiencyPpm(llvm::ArrayRef<EfficiencyPoint> curve, int64_t idealPs);

/// Time of a matrix product, launch included: launch + ideal / efficiency(ideal).
int64_t computeMatmulPs(const Device &device, llvm::StringRef elementType, int64_t flops);

/// amount / perSecond in picoseconds, rounded up; saturates at maxTimePs.
int64_t computeTransferPs(int64_t amount, int64_t perSecond, int64_t ppm = wholePpm);

/// No time is above this, so sums of many stay in range.
inline constexpr int64_t maxTimePs = int64_t(1) << 56;

} // namespace partita::machine

#endif
