//===- Dialect.td - the chlo dialect --------------------------------------===//
//
// Ops that JAX emits beside those of stablehlo: special functions, implicit
// broadcasts, and a few that backends know by name. The definitions are ours;
// text and generic form are those that jaxlib reads and prints.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_DIALECT
#define PARTITA_DIALECT_CHLO_DIALECT

include "mlir/IR/OpBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::partita::chlo";
  let summary = "Client ops over stablehlo";
  let useDefaultAttributePrinterParser = 1;
  // A splat of complex numbers is an attribute of the complex dialect.
  let dependentDialects = ["::mlir::complex::ComplexDialect", "::mlir::quant::QuantDialect"];
  let extraClassDeclaration = [{
    // One function per family of ops, each in the family's own source file.
    void registerMathOps();
    void registerBroadcastOps();
    void registerConstantOps();
    void registerCompositeOps();
    void registerAttributes();
  }];
}

#endif
