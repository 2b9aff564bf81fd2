//===- IndexingOps.td - gather and scatter --------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_INDEXING_OPS
#define PARTITA_DIALECT_STABLEHLO_INDEXING_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// Attributes may promise things that nobody checks (sorted or unique indices). The op is speculatable only without
/// such promises.
def SpeculatableUnlessPromising : DeclareOpInterfaceMethods<ConditionallySpeculatable>;

def GatherOp : StableHloOp<"gather", [NoMemoryEffect, SpeculatableUnlessPromising, InfersResults,
                                      AllElementTypesMatch<["operand", "result"]>]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_IntTensor:$start_indices,
    GatherDimensionNumbersAttr:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Shlo_Tensor:$result);
}

/// Slice sizes are an operand. The result's sizes are known where that operand is constant.
def DynamicGatherOp : StableHloOp<"dynamic_gather", [NoMemoryEffect, InfersResults]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_IntTensor:$start_indices, Shlo_Static1DIntTensor:$slice_sizes,
    GatherDimensionNumbersAttr:$dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Shlo_Tensor:$result);
}

def TorchIndexSelectOp : StableHloOp<"torch_index_select", [Pure]> {
  let arguments = (ins Shlo_Tensor:$operand, Shlo_Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs Shlo_Tensor:$result);
}

def ScatterOp : StableHloOp<"scatter", [RecursiveMemoryEffects, SpeculatableUnlessPromising, SameVariadicOperandSize,
                                        InfersResults]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$inputs, RankedTensorOf<[AnyInteger, Index]>:$scatter_indices,
    Variadic<Shlo_Tensor>:$updates, ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<Shlo_Tensor>:$results);
  let hasVerifier = 1;
}

/// For each window of `operand`, the element that `select` prefers receives an element of `source`.
def SelectAndScatterOp : StableHloOp<"select_and_scatter", [RecursiveMemoryEffects, RecursivelySpeculatable,
                                                            InfersResults]> {
  let arguments = (ins
    Shlo_Tensor:$operand, Shlo_Tensor:$source, Shlo_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs Shlo_Tensor:$result);
  let hasVerifier = 1;
}

#endif
