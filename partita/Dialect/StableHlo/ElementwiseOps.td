//===- ElementwiseOps.td - ops on single elements -------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_ELEMENTWISE_OPS
#define PARTITA_DIALECT_STABLEHLO_ELEMENTWISE_OPS

include "partita/Dialect/StableHlo/OpBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class UnaryOp<string mnemonic, Type operandType, Type resultType = operandType, list<Trait> traits = [CompatibleTypes]>
    : StableHloOp<mnemonic, traits # [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

/// A transcendental function: the program may ask for an accuracy.
class AccurateUnaryOp<string mnemonic> : UnaryOp<mnemonic, Shlo_FpComplexOrQuantizedTensor> {
  let arguments = (ins
    Shlo_FpComplexOrQuantizedTensor:$operand,
    DefaultValuedOptionalAttr<
        ResultAccuracyAttr, "::partita::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
}

def CbrtOp : AccurateUnaryOp<"cbrt">;
def CosineOp : AccurateUnaryOp<"cosine">;
def ExpOp : AccurateUnaryOp<"exponential">;
def Expm1Op : AccurateUnaryOp<"exponential_minus_one">;
def LogOp : AccurateUnaryOp<"log">;
def Log1pOp : AccurateUnaryOp<"log_plus_one">;
def LogisticOp : AccurateUnaryOp<"logistic">;
def RsqrtOp : AccurateUnaryOp<"rsqrt">;
def SineOp : AccurateUnaryOp<"sine">;
def SqrtOp : AccurateUnaryOp<"sqrt">;
def TanOp : AccurateUnaryOp<"tan">;
def TanhOp : AccurateUnaryOp<"tanh">;

def CeilOp : UnaryOp<"ceil", Shlo_FpOrQuantizedTensor>;
def ClzOp : UnaryOp<"count_leading_zeros", Shlo_IntTensor>;
def FloorOp : UnaryOp<"floor", Shlo_FpOrQuantizedTensor>;
def NegOp : UnaryOp<"negate", Shlo_ArithmeticTensor>;
def NotOp : UnaryOp<"not", Shlo_PredOrIntTensor>;
def PopulationCountOp : UnaryOp<"popcnt", Shlo_IntTensor>;
def RoundOp : UnaryOp<"round_nearest_afz", Shlo_FpOrQuantizedTensor>;
def RoundNearestEvenOp : UnaryOp<"round_nearest_even", Shlo_FpOrQuantizedTensor>;
def SignOp : UnaryOp<"sign", Shlo_SignedTensor>;

/// Complex operands give real results.
def AbsOp : UnaryOp<"abs", Shlo_SignedTensor,
                    RankedTensorOf<[Shlo_SInt, Shlo_Float, Shlo_Quantized]>, [InfersResults]>;
def ImagOp : UnaryOp<"imag", Shlo_FpOrComplexTensor, Shlo_FpTensor, [InfersResults]>;
def RealOp : UnaryOp<"real", Shlo_FpOrComplexTensor, Shlo_FpTensor, [InfersResults]>;

def ConvertOp : UnaryOp<"convert", Shlo_PlainTensor, Shlo_PlainTensor, []>;

def IsFiniteOp : UnaryOp<"is_finite", Shlo_FpOrQuantizedTensor, Shlo_PredTensor, [InfersResults]> {
  let arguments = (ins Shlo_FpOrQuantizedTensor:$x);
  let results = (outs Shlo_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def UniformQuantizeOp : UnaryOp<"uniform_quantize", Shlo_FpOrAnyQuantizedTensor, Shlo_AnyQuantizedTensor, []> {
  let hasVerifier = 1;
}

def UniformDequantizeOp : UnaryOp<"uniform_dequantize", Shlo_AnyQuantizedTensor, Shlo_FpTensor, [InfersResults]>;

def ReducePrecisionOp : UnaryOp<"reduce_precision", Shlo_FpOrQuantizedTensor> {
  let arguments = (ins
    Shlo_FpOrQuantizedTensor:$operand,
    ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs Shlo_FpOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

class BinaryOp<string mnemonic, Type operandType, list<Trait> traits = [CompatibleTypes]>
    : StableHloOp<mnemonic, traits # [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs operandType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

/// Quantized operands may differ in granularity.
def AddOp : BinaryOp<"add", Shlo_TensorOrPerAxis, [Commutative, InfersResults]> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Shapes alone: `verify` holds the element types against each other.
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return ::partita::stablehlo::areCompatibleShapes(inferred.front(), given.front());
    }
  }];
}
def AndOp : BinaryOp<"and", Shlo_PredOrIntTensor, [CompatibleTypes, Commutative]>;
def Atan2Op : BinaryOp<"atan2", Shlo_FpComplexOrQuantizedTensor>;
def DivOp : BinaryOp<"divide", Shlo_ArithmeticTensor>;
def MaxOp : BinaryOp<"maximum", Shlo_Tensor, [CompatibleTypes, Commutative]>;
def MinOp : BinaryOp<"minimum", Shlo_Tensor, [CompatibleTypes, Commutative]>;
def MulOp : BinaryOp<"multiply", Shlo_Tensor, [CompatibleTypes, Commutative]>;
def OrOp : BinaryOp<"or", Shlo_PredOrIntTensor, [CompatibleTypes, Commutative]>;
def PowOp : BinaryOp<"power", Shlo_ArithmeticTensor>;
def RemOp : BinaryOp<"remainder", Shlo_ArithmeticTensor>;
def ShiftLeftOp : BinaryOp<"shift_left", Shlo_IntTensor>;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", Shlo_IntTensor>;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", Shlo_IntTensor>;
def SubtractOp : BinaryOp<"subtract", Shlo_ArithmeticTensor>;
def XorOp : BinaryOp<"xor", Shlo_PredOrIntTensor, [CompatibleTypes, Commutative]>;

def ComplexOp : StableHloOp<"complex", [
    Pure, Elementwise, SameOperandsElementType, SameOperandsAndResultShape, InfersResults]> {
  let arguments = (ins Shlo_Fp32Or64Tensor:$lhs, Shlo_Fp32Or64Tensor:$rhs);
  let results = (outs Shlo_ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}

def CompareOp : StableHloOp<"compare", [Pure, Elementwise, SameOperandsAndResultShape, InfersResults]> {
  let arguments = (ins
    Shlo_Tensor:$lhs, Shlo_Tensor:$rhs,
    ComparisonDirectionAttr:$comparison_direction, OptionalAttr<ComparisonTypeAttr>:$compare_type);
  let results = (outs Shlo_PredTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<EnumWord>($comparison_direction) `,` $lhs `,` $rhs (`,` custom<EnumWord>($compare_type)^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Ternary
//===----------------------------------------------------------------------===//

def SelectOp : StableHloOp<"select", [Pure, InfersResults]> {
  let arguments = (ins Shlo_PredTensor:$pred, Shlo_Tensor:$on_true, Shlo_Tensor:$on_false);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

def ClampOp : StableHloOp<"clamp", [Pure, InfersResults]> {
  let arguments = (ins Shlo_Tensor:$min, Shlo_Tensor:$operand, Shlo_Tensor:$max);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

#endif
