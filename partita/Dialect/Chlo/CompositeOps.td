//===- CompositeOps.td - top_k, ragged_dot and scan -----------------------===//

#ifndef PARTITA_DIALECT_CHLO_COMPOSITE_OPS
#define PARTITA_DIALECT_CHLO_COMPOSITE_OPS

include "partita/Dialect/Chlo/OpBase.td"

/// The `k` largest elements along the last dim, and where they stood.
def TopKOp : ChloOp<"top_k", [Pure, InfersResults]> {
  let arguments = (ins Shlo_AnyTensor:$operand, I64Attr:$k);
  let results = (outs Shlo_AnyTensor:$values, Shlo_AnyTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

/// A dot of groups: `group_sizes` divides one dim of lhs, the ragged one, into runs. Each run is multiplied by its own
/// part of rhs.
def RaggedDotOp : ChloOp<"ragged_dot", [Pure]> {
  let arguments = (ins
    Shlo_AnyTensor:$lhs, Shlo_AnyTensor:$rhs, Shlo_IntTensor:$group_sizes,
    Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<Chlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs Shlo_AnyTensor:$result);
  let hasVerifier = 1;
}

/// A loop over slices of `inputs` along `dimension` that hands `carries` on and stacks `outputs`.
def ScanOp : ChloShapeOp<"scan", [
    AttrSizedOperandSegments, AttrSizedResultSegments, InfersResults, IsolatedFromAbove, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins
    Variadic<Shlo_AnyTensor>:$inputs, Variadic<Shlo_AnyTensor>:$inits,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Shlo_AnyTensor>:$outputs, Variadic<Shlo_AnyTensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
