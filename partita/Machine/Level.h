//===- Level.h - the links of a machine -----------------------------------===//
//
// A level is one interconnect of a machine: the network between nodes, the links
// inside a node, or a dim of a torus. CollectivePrice.h has the formulas that its
// figures stand in.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_LEVEL_H
#define PARTITA_MACHINE_LEVEL_H

#include "partita/Machine/Figure.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::machine {

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

/// One way to run a collective: launch + hops * hop + bytes / (rate of the level * ratePpm). A level has several, and a
/// collective uses the cheapest: low latency for small messages, full rate for large ones.
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
  /// For all collectives except permutes; at least one.
  std::vector<Protocol> protocols;
  /// For point-to-point messages; if empty, `protocols` apply.
  std::vector<Protocol> permuteProtocols;
  /// Latency for one peer of an all_to_all.
  Figure peerHopPs;
  /// Latency of one step of a tree; 0: trees are not used.
  Figure treeHopPs;
  std::optional<InNetworkReduction> inNetwork;
  /// HybridMesh: links that a group of 2, 3, ... devices can use at once.
  std::vector<int64_t> groupLinks;

  bool isTorusDim() const { return kind == LevelKind::Ring || kind == LevelKind::Line; }
  bool operator==(const Level &) const = default;
};

} // namespace partita::machine

#endif
