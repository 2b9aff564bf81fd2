//===- ConstantOps.td - constants of the chlo dialect ---------------------===//

#ifndef PARTITA_DIALECT_CHLO_CONSTANT_OPS
#define PARTITA_DIALECT_CHLO_CONSTANT_OPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "partita/Dialect/Chlo/OpBase.td"

def ConstantOp : ChloOp<"constant", [ConstantLike, Pure, InfersResults]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Shlo_StaticTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

/// `value` in every element of a tensor of the operand's shape.
def ConstantLikeOp : ChloOp<"constant_like", [Pure, SameOperandsAndResultShape, InfersResults]> {
  let arguments = (ins TypedAttrInterface:$value, Shlo_AnyTensor:$operand);
  let results = (outs Shlo_AnyTensor:$result);
}

#endif
