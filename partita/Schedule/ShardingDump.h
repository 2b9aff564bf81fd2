//===- ShardingDump.h - shardings as MaxText writes them ------------------===//
//
// Two JSON formats. The shardings of a training state, array by array:
//
//   {".params/['mlp']/['wi']/['kernel']":
//      {"mesh": {"axis_names": ["data", "fsdp"], "shape": {"data": 1, "fsdp": 8}},
//       "partition_spec": [["fsdp", "data"], null]}, ...}
//
// and names of dims, with rules that give their axes:
//
//   {"logical_axis_rules": [["embed", "fsdp"], ["mlp", ["tensor", "fsdp"]]],
//    "logical_axes": {".params/['mlp']/['wi']/['kernel']": ["embed", "mlp"], ...},
//    "mesh": {"shape": {"fsdp": 4, "tensor": 2}}}
//
// A key is the path of an array, its entries joined by '/'. It matches an
// argument whose name is the name of the function's parameter and then the
// entries: state.params['mlp']['wi']['kernel']. The rules apply in order. A rule
// splits the dim with its name, unless that dim is split already or one of the
// rule's axes splits another dim; null leaves a dim whole.
//
// Axes of size 1 split nothing and are left out.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_SHARDINGDUMP_H
#define PARTITA_SCHEDULE_SHARDINGDUMP_H

#include "partita/Schedule/PartitionRules.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

struct ShardingDump {
  std::vector<PartitionRule> rules;
  /// The axes of more than one device, in order; nothing if the dump has no mesh.
  std::optional<Mesh> mesh;
};

/// Whether the file looks like one of the two formats, valid or not.
bool isShardingDump(const JsonValue &json);

Result<ShardingDump> readShardingDump(const JsonValue &json, llvm::StringRef file);

} // namespace partita::schedule

#endif
