//===- ContractionOps.td - dot products and convolutions ------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTRACTION_OPS
#define PARTITA_DIALECT_STABLEHLO_CONTRACTION_OPS

include "partita/Dialect/StableHlo/OpBase.td"

//===----------------------------------------------------------------------===//
// Dots. The result's element type does not follow from the operands': a dot may accumulate in a wider type.
//===----------------------------------------------------------------------===//

/// The dot of vectors and matrices: contracts the last dim of lhs with the first of rhs.
def DotOp : StableHloOp<"dot", [Pure]> {
  let arguments = (ins
    Shlo_Tensor:$lhs, Shlo_TensorOrPerAxis:$rhs, OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
}

def DotGeneralOp : StableHloOp<"dot_general", [Pure]> {
  let arguments = (ins
    Shlo_Tensor:$lhs, Shlo_TensorOrPerAxis:$rhs, DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<PrecisionConfigAttr>:$precision_config, OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
    custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
    `:` functional-type(operands, results)
  }];
}

def EinsumOp : StableHloOp<"einsum", [Pure]> {
  let arguments = (ins Shlo_Tensor:$lhs, Shlo_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

def UnaryEinsumOp : StableHloOp<"unary_einsum", [Pure]> {
  let arguments = (ins Shlo_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Convolutions. Window attributes that are left out are ones, for padding zeros, for reversal false.
//===----------------------------------------------------------------------===//

def ConvolutionOp : StableHloOp<"convolution", [Pure]> {
  let arguments = (ins
    Shlo_Tensor:$lhs, Shlo_TensorOrPerAxis:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    ConvDimensionNumbersAttr:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<ConvWindow>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
}

def DynamicConvOp : StableHloOp<"dynamic_conv", [Pure]> {
  let arguments = (ins
    Shlo_Tensor:$lhs, Shlo_Tensor:$rhs,
    RankedTensorOf<[Shlo_Int], [HasStaticShapePred, HasAnyRankOfPred<[2]>], "static matrix of integers">:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    ConvDimensionNumbersAttr:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs Shlo_Tensor:$result);
  let hasVerifier = 1;
}

#endif
