//===- LinalgOps.td - solvers, FFT, batch norm, random numbers ------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_LINALG_OPS
#define PARTITA_DIALECT_STABLEHLO_LINALG_OPS

include "partita/Dialect/StableHlo/OpBase.td"

//===----------------------------------------------------------------------===//
// Solvers and transforms
//===----------------------------------------------------------------------===//

def CholeskyOp : StableHloOp<"cholesky", [Pure, InfersResults]> {
  let arguments = (ins Shlo_FpComplexOrQuantizedTensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs Shlo_FpComplexOrQuantizedTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def TriangularSolveOp : StableHloOp<"triangular_solve", [Pure, InfersResults]> {
  let arguments = (ins
    Shlo_FpOrComplexTensor:$a, Shlo_FpOrComplexTensor:$b,
    BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal, TransposeAttr:$transpose_a);
  let results = (outs Shlo_FpOrComplexTensor:$result);
}

def FftOp : StableHloOp<"fft", [Pure, InfersResults]> {
  let arguments = (ins Shlo_FpOrComplexTensor:$operand, FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs Shlo_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<EnumWord>($fft_type) `,` `length` `=` $fft_length attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Batch normalization: vectors hold one value per feature
//===----------------------------------------------------------------------===//

def BatchNormTensor : RankedTensorOf<[Shlo_Float, Shlo_Quantized]>;
def BatchNormVector : 1DTensorOf<[Shlo_Float, Shlo_Quantized]>;
def FeatureIndexAttr : ConfinedAttr<I64Attr, [IntNonNegative]>;

def BatchNormGradOp : StableHloOp<"batch_norm_grad", [Pure, InfersResults]> {
  let arguments = (ins
    BatchNormTensor:$operand, BatchNormVector:$scale, BatchNormVector:$mean, BatchNormVector:$variance,
    BatchNormTensor:$grad_output, F32Attr:$epsilon, FeatureIndexAttr:$feature_index);
  let results = (outs BatchNormTensor:$grad_operand, BatchNormVector:$grad_scale, BatchNormVector:$grad_offset);
}

def BatchNormInferenceOp : StableHloOp<"batch_norm_inference", [Pure, InfersResults]> {
  let arguments = (ins
    BatchNormTensor:$operand, BatchNormVector:$scale, BatchNormVector:$offset, BatchNormVector:$mean,
    BatchNormVector:$variance, F32Attr:$epsilon, FeatureIndexAttr:$feature_index);
  let results = (outs BatchNormTensor:$result);
}

def BatchNormTrainingOp : StableHloOp<"batch_norm_training", [Pure, InfersResults]> {
  let arguments = (ins
    BatchNormTensor:$operand, BatchNormVector:$scale, BatchNormVector:$offset, F32Attr:$epsilon,
    FeatureIndexAttr:$feature_index);
  let results = (outs BatchNormTensor:$output, BatchNormVector:$batch_mean, BatchNormVector:$batch_var);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Draws from a hidden state, so it has effects.
def RngOp : StableHloOp<"rng", [InfersResults]> {
  let arguments = (ins
    0DTensorOf<[Shlo_Pred, Shlo_Int, Shlo_Float]>:$a, 0DTensorOf<[Shlo_Pred, Shlo_Int, Shlo_Float]>:$b,
    Shlo_StaticDimensionTensor:$shape, RngDistributionAttr:$rng_distribution);
  let results = (outs Shlo_PredIntOrFpTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` custom<EnumWord>($rng_distribution) attr-dict
    `:` functional-type(operands, results)
  }];
}

def RngBitGeneratorOp : StableHloOp<"rng_bit_generator", [Pure]> {
  let arguments = (ins RngAlgorithmAttr:$rng_algorithm, Shlo_IntOrFpTensor:$initial_state);
  let results = (outs Shlo_IntOrFpTensor:$output_state, Shlo_StaticIntOrFpTensor:$output);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<EnumWord>($rng_algorithm) attr-dict `:` functional-type(operands, results)
  }];
}

#endif
