//===- ShardingOps.h - meshes, constraints, groups and edges --------------===//
//
// The C++ classes of the ops that ShardingOps.td defines: `sdy.mesh`,
// `sharding_constraint`, `reshard`, `sharding_group`, `propagation_barrier`,
// `constant`, `data_flow_edge`, `func_data_flow_edge`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGOPS_H
#define PARTITA_DIALECT_SDY_SHARDINGOPS_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/ShardingOps.h.inc"

#endif
