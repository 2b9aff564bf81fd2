//===- Attrs.td - enums and attributes of the stablehlo dialect -----------===//

#ifndef PARTITA_DIALECT_STABLEHLO_ATTRS
#define PARTITA_DIALECT_STABLEHLO_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "partita/Dialect/StableHlo/Dialect.td"

//===----------------------------------------------------------------------===//
// Enums: printed as #stablehlo<mnemonic CASE>
//===----------------------------------------------------------------------===//

class StableHloEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::partita::stablehlo";
}

def Precision : StableHloEnum<"Precision", "precision of a contraction's operand", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def PrecisionAttr : EnumAttr<StableHlo_Dialect, Precision, "precision">;
def PrecisionConfigAttr : TypedArrayAttrBase<PrecisionAttr, "one precision per operand">;

def ResultAccuracyMode : StableHloEnum<"ResultAccuracyMode", "kind of accuracy request", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def ResultAccuracyModeAttr : EnumAttr<StableHlo_Dialect, ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def FftType : StableHloEnum<"FftType", "kind of Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
  I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def FftTypeAttr : EnumAttr<StableHlo_Dialect, FftType, "fft_type">;

def ComparisonDirection : StableHloEnum<"ComparisonDirection", "relation that is tested", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def ComparisonDirectionAttr : EnumAttr<StableHlo_Dialect, ComparisonDirection, "comparison_direction">;

def ComparisonType : StableHloEnum<"ComparisonType", "order under which elements are compared", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def ComparisonTypeAttr : EnumAttr<StableHlo_Dialect, ComparisonType, "comparison_type">;

def Transpose : StableHloEnum<"Transpose", "how a triangular matrix enters", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def TransposeAttr : EnumAttr<StableHlo_Dialect, Transpose, "transpose">;

def RngDistribution : StableHloEnum<"RngDistribution", "distribution of random numbers", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def RngDistributionAttr : EnumAttr<StableHlo_Dialect, RngDistribution, "rng_distribution">;

def RngAlgorithm : StableHloEnum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def RngAlgorithmAttr : EnumAttr<StableHlo_Dialect, RngAlgorithm, "rng_algorithm">;

/// Unlike the others it is stored, and printed, as a plain i32.
def CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion", "calling convention of a custom call", [
    I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
    I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
    I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::partita::stablehlo";
}

//===----------------------------------------------------------------------===//
// Attributes: printed as #stablehlo.mnemonic<...>
//===----------------------------------------------------------------------===//

class StableHloAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<StableHlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// A list of dims, printed `[0, 2]`.
def DimList : ArrayRefParameter<"int64_t", "dims"> {
  let parser = "parseDimList($_parser)";
  let printer = "printDimList($_printer, $_self)";
}

def DotDimensionNumbersAttr : StableHloAttr<"DotDimensionNumbers", "dot"> {
  let summary = "which dims of a dot are batch and which are contracted";
  let parameters = (ins
    DimList:$lhsBatchingDimensions, DimList:$rhsBatchingDimensions,
    DimList:$lhsContractingDimensions, DimList:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def DotAlgorithmAttr : StableHloAttr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "element types and passes by which a dot must be computed";
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType, "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{ `<`
    `lhs_precision_type` `=` $lhsPrecisionType `,`
    `rhs_precision_type` `=` $rhsPrecisionType `,`
    `accumulation_type` `=` $accumulationType `,`
    `lhs_component_count` `=` $lhsComponentCount `,`
    `rhs_component_count` `=` $rhsComponentCount `,`
    `num_primitive_operations` `=` $numPrimitiveOperations `,`
    `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>` }];
  let genVerifyDecl = 1;
}

def ConvDimensionNumbersAttr : StableHloAttr<"ConvDimensionNumbers", "conv"> {
  let summary = "roles of the dims of a convolution: `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`";
  let parameters = (ins
    "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension, DimList:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension, "int64_t":$kernelOutputFeatureDimension,
    DimList:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension, DimList:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def GatherDimensionNumbersAttr : StableHloAttr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins
    DimList:$offsetDims, DimList:$collapsedSliceDims, DimList:$operandBatchingDims,
    DimList:$startIndicesBatchingDims, DimList:$startIndexMap, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def ScatterDimensionNumbersAttr : StableHloAttr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins
    DimList:$updateWindowDims, DimList:$insertedWindowDims, DimList:$inputBatchingDims,
    DimList:$scatterIndicesBatchingDims, DimList:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def OutputOperandAliasAttr : StableHloAttr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a custom call's result that shares its operand's buffer";
  let parameters = (ins DimList:$outputTupleIndices, "int64_t":$operandIndex, DimList:$operandTupleIndices);
  let assemblyFormat = [{ `<`
    `output_tuple_indices` `=` $outputTupleIndices `,`
    `operand_index` `=` $operandIndex `,`
    `operand_tuple_indices` `=` $operandTupleIndices `>` }];
}

def ChannelHandleAttr : StableHloAttr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TypeExtensionsAttr : StableHloAttr<"TypeExtensions", "bounds", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "encoding of a tensor type: upper bounds of its dynamic dims, printed #stablehlo.bounds<4, ?>";
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def ResultAccuracyAttr : StableHloAttr<"ResultAccuracy", "result_accuracy"> {
  let summary = "accuracy asked of a transcendental function";
  let parameters = (ins
    "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol, "int64_t":$ulps, ResultAccuracyModeAttr:$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let constBuilderCall = "::partita::stablehlo::getDefaultResultAccuracy($_builder.getContext())";
}

def SubAxisInfoAttr : StableHloAttr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def AxisRefAttr : StableHloAttr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis, or a part of one";
  let parameters = (ins StringRefParameter<"axis name">:$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MeshAxisAttr : StableHloAttr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MeshAttr : StableHloAttr<"Mesh", "mesh"> {
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = "`<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $device_ids^)? `>`";
}

def ReplicaGroupMeshAxesAttr : StableHloAttr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes", [
    DeclareAttrInterfaceMethods<SymbolUserAttrInterface>]> {
  let summary = "replica groups as mesh axes";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
