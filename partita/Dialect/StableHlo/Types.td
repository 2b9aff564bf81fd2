//===- Types.td - types of the stablehlo dialect --------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_TYPES
#define PARTITA_DIALECT_STABLEHLO_TYPES

include "mlir/IR/AttrTypeBase.td"
include "partita/Dialect/StableHlo/Dialect.td"

/// Orders side effects; holds no data.
def StableHlo_Token : TypeDef<StableHlo_Dialect, "Token"> {
  let mnemonic = "token";
}

/// What an `async_start` gives: the values that its `async_done` waits for.
def StableHlo_Future : TypeDef<StableHlo_Dialect, "Future"> {
  let mnemonic = "future";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

#endif
