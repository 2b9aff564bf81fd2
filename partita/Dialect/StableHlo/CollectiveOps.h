//===- CollectiveOps.h - ops between devices ------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_COLLECTIVEOPS_H
#define PARTITA_DIALECT_STABLEHLO_COLLECTIVEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/ReplicaGroups.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CollectiveOps.h.inc"

#endif
