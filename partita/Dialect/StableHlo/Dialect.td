//===- Dialect.td - the stablehlo dialect ---------------------------------===//
//
// The dialect that JAX and other producers emit. The definitions are ours,
// written from the public StableHLO specification; text and generic form are
// those that jaxlib reads and prints.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_DIALECT
#define PARTITA_DIALECT_STABLEHLO_DIALECT

include "mlir/IR/OpBase.td"

def StableHlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::partita::stablehlo";
  let summary = "Portable high-level tensor operations";
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let extraClassDeclaration = [{
    // One function per family of ops, each in the family's own source file.
    void registerElementwiseOps();
    void registerShapeOps();
    void registerDynamicOps();
    void registerContractionOps();
    void registerLinalgOps();
    void registerIndexingOps();
    void registerReductionOps();
    void registerControlFlowOps();
    void registerCustomOps();
    void registerCollectiveOps();
    void registerAttributes();
    void registerTypes();

    // Attrs.cpp.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

#endif
