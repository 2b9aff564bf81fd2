//===- ShardingOps.h - meshes, and ops that say how a value is sharded ----===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGOPS_H
#define PARTITA_DIALECT_SDY_SHARDINGOPS_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/ShardingOps.h.inc"

#endif
