//===- BroadcastOps.td - elementwise ops that broadcast their operands ----===//
//
// Operands are aligned at their last dims, unless `broadcast_dimensions` lists
// the dims of the larger operand that the smaller one has. Dims of size 1 are
// then repeated.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_BROADCAST_OPS
#define PARTITA_DIALECT_CHLO_BROADCAST_OPS

include "partita/Dialect/Chlo/OpBase.td"

class BroadcastBinaryOp<string mnemonic, Type operandType = Shlo_AnyTensor, Type resultType = Shlo_AnyTensor,
                        list<Trait> traits = []> : ChloOp<mnemonic, traits # [Pure, InfersResults]> {
  let arguments = (ins operandType:$lhs, operandType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> loc, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      Adaptor adaptor(operands, attributes, properties, regions);
      return inferBinary(loc, operands, adaptor.getBroadcastDimensions(), inferred);
    }
  }];
}

/// Exactly equal element types; without it quantized ones may differ in their parameters.
class BroadcastSameElementOp<string mnemonic, Type type = Shlo_AnyTensor, list<Trait> traits = []>
    : BroadcastBinaryOp<mnemonic, type, type, traits # [SameOperandsAndResultElementType]>;

def BroadcastAddOp : BroadcastBinaryOp<"broadcast_add", Shlo_AnyTensor, Shlo_AnyTensor, [Commutative]>;
def BroadcastMaxOp : BroadcastBinaryOp<"broadcast_maximum", Shlo_AnyTensor, Shlo_AnyTensor, [Commutative]>;
def BroadcastMinOp : BroadcastBinaryOp<"broadcast_minimum", Shlo_AnyTensor, Shlo_AnyTensor, [Commutative]>;

def BroadcastAtan2Op : BroadcastSameElementOp<"broadcast_atan2">;
def BroadcastDivOp : BroadcastSameElementOp<"broadcast_divide">;
def BroadcastMulOp : BroadcastSameElementOp<"broadcast_multiply", Shlo_AnyTensor, [Commutative]>;
def BroadcastNextAfterOp : BroadcastSameElementOp<"broadcast_next_after">;
def BroadcastPolygammaOp : BroadcastSameElementOp<"broadcast_polygamma">;
def BroadcastPowOp : BroadcastSameElementOp<"broadcast_power">;
def BroadcastRemOp : BroadcastSameElementOp<"broadcast_remainder">;
def BroadcastShiftLeftOp : BroadcastSameElementOp<"broadcast_shift_left">;
def BroadcastShiftRightArithmeticOp : BroadcastSameElementOp<"broadcast_shift_right_arithmetic">;
def BroadcastShiftRightLogicalOp : BroadcastSameElementOp<"broadcast_shift_right_logical">;
def BroadcastSubOp : BroadcastSameElementOp<"broadcast_subtract">;
def BroadcastZetaOp : BroadcastSameElementOp<"broadcast_zeta", Shlo_AnyFpTensor>;

def BroadcastAndOp : BroadcastBinaryOp<"broadcast_and", Shlo_AnyPredOrIntTensor, Shlo_AnyTensor, [Commutative]>;
def BroadcastOrOp : BroadcastBinaryOp<"broadcast_or", Shlo_AnyPredOrIntTensor, Shlo_AnyTensor, [Commutative]>;
def BroadcastXorOp : BroadcastBinaryOp<"broadcast_xor", Shlo_AnyPredOrIntTensor, Shlo_AnyTensor, [Commutative]>;

// The two whose result has an element type of its own.

def BroadcastComplexOp : BroadcastBinaryOp<"broadcast_complex", Shlo_AnyFpTensor, Shlo_AnyComplexTensor> {
  let extraClassDefinition = "";
}

def BroadcastCompareOp : BroadcastBinaryOp<"broadcast_compare", Shlo_AnyTensor, Shlo_AnyPredTensor> {
  let arguments = (ins
    Shlo_AnyTensor:$lhs, Shlo_AnyTensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    Chlo_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
  let extraClassDefinition = "";
}

def BroadcastSelectOp : ChloShapeOp<"broadcast_select", [Pure, InfersResults]> {
  let arguments = (ins Shlo_PredTensor:$pred, Shlo_AnyTensor:$on_true, Shlo_AnyTensor:$on_false);
  let results = (outs Shlo_AnyTensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

#endif
