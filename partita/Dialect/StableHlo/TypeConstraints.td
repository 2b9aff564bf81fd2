//===- TypeConstraints.td - the tensor types that ops accept --------------===//
//
// Names follow what they admit: `Shlo_Tensor` any ranked tensor of the
// specification but per-axis quantized ones, `Shlo_Fp...` floats, `Static...`
// no dynamic dims, `Any...` unranked tensors too (chlo).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_TYPE_CONSTRAINTS
#define PARTITA_DIALECT_STABLEHLO_TYPE_CONSTRAINTS

include "mlir/IR/OpBase.td"

// Element types.
def Shlo_Pred : TypeAlias<I1, "bool">;
def Shlo_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Shlo_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Shlo_Int : AnyTypeOf<[Shlo_SInt, Shlo_UInt], "2/4/8/16/32/64-bit integer">;
def Shlo_Float : AnyTypeOf<[
  F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ,
  F8E8M0FNU, F16, BF16, F32, F64], "4/6/8/16/32/64-bit float">;
def Shlo_Float32Or64 : AnyTypeOf<[F32, F64], "32/64-bit float">;
def Shlo_Complex : Complex<Shlo_Float32Or64>;
def Shlo_Quantized : Type<CPred<"::partita::stablehlo::isPerTensorQuantized($_self)">, "per-tensor quantized integer">;
def Shlo_PerAxisQuantized : Type<CPred<"::partita::stablehlo::isPerAxisQuantized($_self)">, "per-axis quantized integer">;
def Shlo_Number : AnyTypeOf<[Shlo_Float, Shlo_Pred, Shlo_Int, Shlo_Complex]>;
def Shlo_Dimension : AnyTypeOf<[Index, Shlo_Int]>;

// Ranked tensors.
def Shlo_QuantizedDimInRange : CPred<"::partita::stablehlo::hasValidQuantizedDimension($_self)">;
def Shlo_Tensor : RankedTensorOf<[Shlo_Number, Shlo_Quantized]>;
def Shlo_PlainTensor : RankedTensorOf<[Shlo_Number]>;
def Shlo_TensorOrPerAxis : RankedTensorOf<[Shlo_Number, Shlo_Quantized, Shlo_PerAxisQuantized],
                                          [Shlo_QuantizedDimInRange]>;
def Shlo_PerAxisTensor : RankedTensorOf<[Shlo_PerAxisQuantized], [Shlo_QuantizedDimInRange]>;
def Shlo_QuantizedTensor : RankedTensorOf<[Shlo_Quantized]>;
def Shlo_AnyQuantizedTensor : RankedTensorOf<[Shlo_Quantized, Shlo_PerAxisQuantized], [Shlo_QuantizedDimInRange]>;
def Shlo_FpOrAnyQuantizedTensor : RankedTensorOf<[Shlo_Float, Shlo_Quantized, Shlo_PerAxisQuantized],
                                                 [Shlo_QuantizedDimInRange]>;
def Shlo_IntTensor : RankedTensorOf<[Shlo_Int]>;
def Shlo_FpTensor : RankedTensorOf<[Shlo_Float]>;
def Shlo_Fp32Or64Tensor : RankedTensorOf<[Shlo_Float32Or64]>;
def Shlo_PredTensor : RankedTensorOf<[Shlo_Pred]>;
def Shlo_ComplexTensor : RankedTensorOf<[Shlo_Complex]>;
def Shlo_PredOrIntTensor : RankedTensorOf<[Shlo_Pred, Shlo_Int]>;
def Shlo_IntOrFpTensor : RankedTensorOf<[Shlo_Int, Shlo_Float]>;
def Shlo_PredIntOrFpTensor : RankedTensorOf<[Shlo_Pred, Shlo_Int, Shlo_Float]>;
def Shlo_PredIntFpOrQuantizedTensor : RankedTensorOf<[Shlo_Pred, Shlo_Int, Shlo_Float, Shlo_Quantized]>;
def Shlo_FpOrComplexTensor : RankedTensorOf<[Shlo_Float, Shlo_Complex]>;
def Shlo_FpOrQuantizedTensor : RankedTensorOf<[Shlo_Float, Shlo_Quantized]>;
def Shlo_FpComplexOrQuantizedTensor : RankedTensorOf<[Shlo_Float, Shlo_Complex, Shlo_Quantized]>;
def Shlo_SignedTensor : RankedTensorOf<[Shlo_SInt, Shlo_Float, Shlo_Complex, Shlo_Quantized]>;
def Shlo_ArithmeticTensor : RankedTensorOf<[Shlo_Int, Shlo_Float, Shlo_Complex, Shlo_Quantized]>;

// Scalars and shape operands.
def Shlo_ScalarTensor : 0DTensorOf<[Shlo_Number, Shlo_Quantized]>;
def Shlo_ScalarIntTensor : 0DTensorOf<[Shlo_Int]>;
def Shlo_DimensionTensor : 1DTensorOf<[Shlo_Dimension]>;
def Shlo_StaticDimensionTensor : RankedTensorOf<[Shlo_Dimension], [HasStaticShapePred, HasAnyRankOfPred<[1]>],
                                                "statically shaped 1-dimensional tensor">;
def Shlo_Static1DIntTensor : RankedTensorOf<[Shlo_Int], [HasStaticShapePred, HasAnyRankOfPred<[1]>],
                                            "statically shaped 1-dimensional integer tensor">;

// Static tensors.
def Shlo_StaticTensor : StaticShapeTensorOf<[Shlo_Number, Shlo_Quantized]>;
def Shlo_StaticTensorOrPerAxis : RankedTensorOf<[Shlo_Number, Shlo_Quantized, Shlo_PerAxisQuantized],
    [Shlo_QuantizedDimInRange, HasStaticShapePred], "statically shaped tensor">;
def Shlo_StaticOrBoundedTensor : RankedTensorOf<[Shlo_Number, Shlo_Quantized, Shlo_PerAxisQuantized],
    [Shlo_QuantizedDimInRange, Or<[HasStaticShapePred, CPred<"::partita::stablehlo::hasOneBoundedDim($_self)">]>],
    "tensor of static shape or with one bounded dim">;
def Shlo_StaticIntOrFpTensor : StaticShapeTensorOf<[Shlo_Int, Shlo_Float]>;
def Shlo_StaticArithmeticTensor : StaticShapeTensorOf<[Shlo_Int, Shlo_Float, Shlo_Complex, Shlo_Quantized]>;

// Everything that may flow between ops.
def Shlo_TokenValue : Type<CPred<"::llvm::isa<::partita::stablehlo::TokenType>($_self)">, "token">;
def Shlo_FutureValue : Type<CPred<"::llvm::isa<::partita::stablehlo::FutureType>($_self)">, "future">;
def Shlo_Buffer : MemRefOf<[Shlo_Number, Shlo_Quantized]>;
def Shlo_Tuple : NestedTupleOf<[Shlo_Tensor, Shlo_Buffer, Shlo_PerAxisTensor, Shlo_TokenValue]>;
def Shlo_TensorOrToken : AnyTypeOf<[Shlo_TensorOrPerAxis, Shlo_TokenValue]>;
def Shlo_StaticTensorOrToken : AnyTypeOf<[Shlo_StaticTensorOrPerAxis, Shlo_TokenValue]>;
def Shlo_Value : AnyTypeOf<[Shlo_TensorOrPerAxis, Shlo_TokenValue, Shlo_Buffer]>;
def Shlo_ValueOrTuple : AnyTypeOf<[Shlo_TensorOrPerAxis, Shlo_TokenValue, Shlo_Tuple, Shlo_Buffer]>;

// Unranked tensors too.
def Shlo_AnyTensor : TensorOf<[Shlo_Number, Shlo_Quantized, Shlo_PerAxisQuantized], [Shlo_QuantizedDimInRange]>;
def Shlo_AnyPredTensor : TensorOf<[Shlo_Pred]>;
def Shlo_AnyFpTensor : TensorOf<[Shlo_Float]>;
def Shlo_AnyComplexTensor : TensorOf<[Shlo_Complex]>;
def Shlo_AnyFpOrComplexTensor : TensorOf<[Shlo_Float, Shlo_Complex]>;
def Shlo_AnyPredOrIntTensor : TensorOf<[Shlo_Pred, Shlo_Int]>;
def Shlo_CustomCallTuple : NestedTupleOf<[Shlo_AnyTensor, Shlo_Buffer, Shlo_TokenValue]>;
def Shlo_CustomCallValue : AnyTypeOf<[Shlo_AnyTensor, Shlo_Buffer, Shlo_TokenValue, Shlo_CustomCallTuple, Shlo_FutureValue]>;

#endif
