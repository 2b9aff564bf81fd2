//===- BroadcastOps.h - elementwise ops that broadcast their operands -----===//
//
// The C++ classes of the ops that BroadcastOps.td defines:
// `chlo.broadcast_add`, `broadcast_compare`, `broadcast_select` and the like.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_BROADCASTOPS_H
#define PARTITA_DIALECT_CHLO_BROADCASTOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/BroadcastOps.h.inc"

#endif
