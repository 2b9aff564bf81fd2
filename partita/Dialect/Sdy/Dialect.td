//===- Dialect.td - the sdy dialect ===//

#ifndef PARTITA_DIALECT_SDY_DIALECT
#define PARTITA_DIALECT_SDY_DIALECT

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::partita::sdy";
}

#endif
