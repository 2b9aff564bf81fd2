//===- Dialect.td - the chlo dialect ===//

#ifndef PARTITA_DIALECT_CHLO_DIALECT
#define PARTITA_DIALECT_CHLO_DIALECT

include "mlir/IR/OpBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::partita::chlo";
}

#endif
