//===- Dialect.td - the part dialect --------------------------------------===//
//
// A partitioned program before it becomes the program of one device. Each op
// that is split over a mesh axis stands in a loop over that axis. The loop has
// a sequential meaning.
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
