//===- ReductionOps.td - reduce, reduce_window, sort, map -----------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_REDUCTION_OPS
#define PARTITA_DIALECT_STABLEHLO_REDUCTION_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// An op that applies a region to elements has the region's effects.
class ElementRegionOp<string mnemonic, list<Trait> traits>
    : StableHloOp<mnemonic, traits # [RecursiveMemoryEffects, RecursivelySpeculatable, InfersResults]> {
  let hasVerifier = 1;
}

def ReduceOp : ElementRegionOp<"reduce", [SameVariadicOperandSize, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$inputs, Variadic<Shlo_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Shlo_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

def ReduceWindowOp : ElementRegionOp<"reduce_window", [SameVariadicOperandSize,
                                                       SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$inputs, Variadic<Shlo_Tensor>:$init_values, DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Shlo_Tensor>:$results);
}

/// Sorts along a dim, all inputs by one order. The comparator takes a pair of elements per input.
def SortOp : ElementRegionOp<"sort", [SameOperandsAndResultShape]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<Shlo_Tensor>:$results);
}

def MapOp : ElementRegionOp<"map", [SameOperandsAndResultShape, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins Variadic<Shlo_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Shlo_Tensor:$result);
}

#endif
