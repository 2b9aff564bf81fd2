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

/// What the op says of meshes and of the shardings of other values is verified once all ops are.
def UsesMeshes : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

class SdyTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::partita::sdy::trait";
}

#endif
