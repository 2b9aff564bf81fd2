//===- OpBase.td - base class of chlo ops ---------------------------------===//
//
// Type constraints and traits are stablehlo's.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_OP_BASE
#define PARTITA_DIALECT_CHLO_OP_BASE

include "partita/Dialect/Chlo/Attrs.td"
include "partita/Dialect/StableHlo/OpBase.td"

class ChloOp<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatible(inferred, given);
    }
  }];
}

/// An op whose result must have the inferred shape, but may have another element type.
class ChloShapeOp<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::mlir::succeeded(::mlir::verifyCompatibleShapes(inferred, given));
    }
  }];
}

#endif
