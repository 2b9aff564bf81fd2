//===- ShapeOps.td - constants and ops that move elements -----------------===//
//
// Ops whose result holds elements of their operands (or numbers that need no
// operand) in another order or shape. Shapes follow from types and attributes.
// DynamicOps.td has the ops whose shapes are operands.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPE_OPS
#define PARTITA_DIALECT_STABLEHLO_SHAPE_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// The number of a dim, as `dim = 1`.
def DimAttr : ConfinedAttr<I64Attr, [IntNonNegative]>;

def Shlo_I32Tensor : RankedTensorOf<[I32]>;

//===----------------------------------------------------------------------===//
// Without operands
//===----------------------------------------------------------------------===//

def ConstantOp : StableHloOp<"constant", [
    Pure, ConstantLike, InferTypeOpAdaptor, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Shlo_StaticTensorOrPerAxis:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  // A quantized constant holds numbers of its storage type.
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given);
  }];
}

def IotaOp : StableHloOp<"iota", [Pure]> {
  let arguments = (ins DimAttr:$iota_dimension);
  let results = (outs Shlo_StaticArithmeticTensor:$output);
  let hasVerifier = 1;
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

//===----------------------------------------------------------------------===//
// Another shape or order
//===----------------------------------------------------------------------===//

/// New leading dims.
def BroadcastOp : StableHloOp<"broadcast", [Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def BroadcastInDimOp : StableHloOp<"broadcast_in_dim", [Pure]> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Shlo_StaticOrBoundedTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}

def ReshapeOp : StableHloOp<"reshape", [Pure]> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand);
  let results = (outs Shlo_StaticOrBoundedTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def TransposeOp : StableHloOp<"transpose", [Pure, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def ReverseOp : StableHloOp<"reverse", [Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Shlo_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def BitcastConvertOp : StableHloOp<"bitcast_convert", [Pure]> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand);
  let results = (outs Shlo_TensorOrPerAxis:$result);
  let hasVerifier = 1;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

def ConcatenateOp : StableHloOp<"concatenate", [Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let arguments = (ins Variadic<Shlo_Tensor>:$inputs, DimAttr:$dimension);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsWithCommas>($inputs) `` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

def SliceOp : StableHloOp<"slice", [Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let arguments = (ins
    Shlo_Tensor:$operand,
    DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:`
    functional-type(operands, results)
  }];
}

def PadOp : StableHloOp<"pad", [Pure, SameOperandsAndResultElementType, InferTypeOpAdaptor]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_ScalarTensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}

/// A slice of static size at a start that is an operand.
def DynamicSliceOp : StableHloOp<"dynamic_slice", [
    Pure, AllElementTypesMatch<["operand", "result"]>, InferTypeOpAdaptor]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Variadic<Shlo_ScalarIntTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsWithCommas>($start_indices) `` `sizes` `=` $slice_sizes attr-dict `:`
    functional-type(operands, results)
  }];
}

def DynamicUpdateSliceOp : StableHloOp<"dynamic_update_slice", [
    Pure, AllElementTypesMatch<["operand", "update", "result"]>, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_Tensor:$operand, Shlo_Tensor:$update, Variadic<Shlo_ScalarIntTensor>:$start_indices);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Sizes of bounded dims
//===----------------------------------------------------------------------===//

def GetDimensionSizeOp : StableHloOp<"get_dimension_size", [Pure, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_TensorOrPerAxis:$operand, DimAttr:$dimension);
  let results = (outs Shlo_I32Tensor:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

/// The dim's static size becomes its bound.
def SetDimensionSizeOp : StableHloOp<"set_dimension_size", [Pure, InferTypeOpAdaptor]> {
  let arguments = (ins Shlo_Tensor:$operand, Shlo_I32Tensor:$size, DimAttr:$dimension);
  let results = (outs Shlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

#endif
