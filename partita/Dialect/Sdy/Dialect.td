//===- Dialect.td - the sdy dialect ---------------------------------------===//
//
// Shardings as JAX writes them into a program: a mesh of named axes, and for
// each tensor the axes that split each of its dims. The definitions are ours;
// text and generic form are those that jaxlib reads and prints.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_DIALECT
#define PARTITA_DIALECT_SDY_DIALECT

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::partita::sdy";
  let summary = "Meshes, tensor shardings and the communication between shardings";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    // One function per family of ops, each in the family's own source file.
    void registerAttributes();
    void registerShardingOps();
    void registerRegionOps();
    void registerCollectiveOps();
  }];
}

#endif
