//===- DynamicOps.td - ops that take their result shape as an operand -----===//
//
// Counterparts of ShapeOps.td that take sizes as operands. The verifiers hold
// constant sizes against the types and leave others to run time.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_DYNAMIC_OPS
#define PARTITA_DIALECT_STABLEHLO_DYNAMIC_OPS

include "partita/Dialect/StableHlo/OpBase.td"

class DynamicShapeOp<string mnemonic, list<Trait> traits = []> : StableHloOp<mnemonic, traits # [Pure]> {
  let hasVerifier = 1;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def DynamicBroadcastInDimOp : DynamicShapeOp<"dynamic_broadcast_in_dim"> {
  let arguments = (ins
    Shlo_TensorOrPerAxis:$operand, Shlo_StaticDimensionTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
}

def DynamicIotaOp : DynamicShapeOp<"dynamic_iota"> {
  let arguments = (ins
    Shlo_StaticDimensionTensor:$output_shape, ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}

def DynamicPadOp : DynamicShapeOp<"dynamic_pad", [
    AllElementTypesMatch<["operand", "padding_value", "result"]>,
    AllTypesMatch<["edge_padding_low", "edge_padding_high", "interior_padding"]>,
    AllRanksMatch<["operand", "result"]>]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_ScalarTensor:$padding_value,
    Shlo_StaticDimensionTensor:$edge_padding_low, Shlo_StaticDimensionTensor:$edge_padding_high,
    Shlo_StaticDimensionTensor:$interior_padding);
  let results = (outs Shlo_Tensor:$result);
}

def DynamicReshapeOp : DynamicShapeOp<"dynamic_reshape"> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand, Shlo_StaticDimensionTensor:$output_shape);
  let results = (outs Shlo_TensorOrPerAxis:$result);
}

def RealDynamicSliceOp : DynamicShapeOp<"real_dynamic_slice", [
    AllElementTypesMatch<["operand", "result"]>,
    AllTypesMatch<["start_indices", "limit_indices", "strides"]>]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_DimensionTensor:$start_indices, Shlo_DimensionTensor:$limit_indices,
    Shlo_DimensionTensor:$strides);
  let results = (outs Shlo_Tensor:$result);
}

#endif
