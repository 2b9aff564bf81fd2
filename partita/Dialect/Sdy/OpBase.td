//===- OpBase.td - base class and traits of sdy ops -----------------------===//

#ifndef PARTITA_DIALECT_SDY_OP_BASE
#define PARTITA_DIALECT_SDY_OP_BASE

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "partita/Dialect/Sdy/Attrs.td"

class SdyOp<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

/// The op refers to meshes and to shardings of other values; MLIR verifies these references after all ops.
def UsesMeshes : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

class SdyTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::partita::sdy::trait";
}

#endif
