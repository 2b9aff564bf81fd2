//===- CollectiveOps.h - collectives, device ids, asynchronous ops --------===//
//
// The C++ classes of the ops that CollectiveOps.td defines:
// `stablehlo.all_gather`, `all_reduce`, `reduce_scatter`, `all_to_all`,
// `collective_broadcast`, `collective_permute`, `partition_id`, `replica_id`,
// `async_start`, `async_done`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_COLLECTIVEOPS_H
#define PARTITA_DIALECT_STABLEHLO_COLLECTIVEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/ReplicaGroups.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CollectiveOps.h.inc"

#endif
