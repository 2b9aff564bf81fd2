//===- Dialect.td - the part dialect --------------------------------------===//
//
// Partitioned programs before they are programs of one device: what each op
// does with a mesh axis is written as a loop over the axis, with a sequential
// meaning.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_DIALECT
#define PARTITA_DIALECT_PART_DIALECT

include "mlir/IR/OpBase.td"

def Part_Dialect : Dialect {
  let name = "part";
  let cppNamespace = "::partita::part";
  let summary = "Loops over mesh axes";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::partita::sdy::SdyDialect"];
  let extraClassDeclaration = [{
    // One function per family of ops, each in the family's own source file.
    void registerAttributes();
    void registerLoopOps();
  }];
}

#endif
