//===- ShardingDump.h - shardings as MaxText writes them ------------------===//
//
// Two forms of JSON. The shardings of a training state, array by array:
//
//   {".params/['mlp']/['wi']/['kernel']":
//      {"mesh": {"axis_names": ["data", "fsdp"], "shape": {"data": 1, "fsdp": 8}},
//       "partition_spec": [["fsdp", "data"], null]}, ...}
//
// and names of dims, with rules that say what they are split over:
//
//   {"logical_axis_rules": [["embed", "fsdp"], ["mlp", ["tensor", "fsdp"]]],
//    "logical_axes": {".params/['mlp']/['wi']/['kernel']": ["embed", "mlp"], ...},
//    "mesh": {"shape": {"fsdp": 4, "tensor": 2}}}
//
// A key is the path of an array, its entries joined by '/'; an argument has it
// if its name is the entries in sequence, behind the name of the function's
// parameter: state.params['mlp']['wi']['kernel']. Of the rules, each in its turn
// splits the dim of its name, if nothing splits that dim yet and none of the
// rule's axes splits another; null leaves a dim whole.
//
// Axes that the dump's mesh has with size 1 split nothing and are left out.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_SHARDINGDUMP_H
#define PARTITA_SCHEDULE_SHARDINGDUMP_H

#include "partita/Schedule/PartitionRules.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

struct ShardingDump {
  std::vector<PartitionRule> rules;
  /// The axes of more than one device, in order; none if the dump does not say.
  std::optional<Mesh> mesh;
};

/// Whether the file is in one of the two forms, right or wrong.
bool isShardingDump(const JsonValue &json);

Result<ShardingDump> readShardingDump(const JsonValue &json, llvm::StringRef file);

} // namespace partita::schedule

#endif
