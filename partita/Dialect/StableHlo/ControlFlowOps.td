//===- ControlFlowOps.td - loops, branches, tuples ------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS
#define PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// Ends every region of this dialect.
def ReturnOp : StableHloOp<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<Shlo_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

#endif
