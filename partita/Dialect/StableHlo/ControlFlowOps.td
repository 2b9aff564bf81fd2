//===- ControlFlowOps.td - loops, branches, tuples ===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS
#define PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
