//===- OpBase.td - base classes and traits of stablehlo ops ---------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_OP_BASE
#define PARTITA_DIALECT_STABLEHLO_OP_BASE

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "partita/Dialect/StableHlo/Attrs.td"
include "partita/Dialect/StableHlo/TypeConstraints.td"

class StableHloTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::partita::stablehlo::trait";
}

/// All operands and the one result have compatible types: equal element types (quantized ones by their
/// expressed type) and shapes equal where both are static. The result's type is inferred as the most
/// specific of the operands'.
def CompatibleTypes : TraitList<[InferTypeOpInterface, StableHloTrait<"CompatibleTypes">]>;

/// Result types follow from operands and attributes: the op implements `inferReturnTypes`, and the
/// verifier accepts any type compatible with what it gives.
def InfersResults : DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>;

class StableHloOp<string mnemonic, list<Trait> traits = []> : Op<StableHlo_Dialect, mnemonic, traits> {
  string compatibleReturnTypes = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatible(inferred, given);
    }
  }];
  let extraClassDeclaration = compatibleReturnTypes;
}

#endif
