//===- CollectiveOps.td - collectives that change the sharding of a value -===//
//
// Types are global, so operand and result have the same type. The axes say what
// an op does. `out_sharding` repeats what follows from them and from the
// operand's sharding.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_COLLECTIVE_OPS
#define PARTITA_DIALECT_SDY_COLLECTIVE_OPS

include "partita/Dialect/Sdy/OpBase.td"

/// The result's sharding is valid, and on the operand's mesh.
def Collective : SdyTrait<"CollectiveSpec">;

/// An operand without sharding, where one is allowed, counts as replicated.
class CollectiveOp<string mnemonic, bit allowsUnshardedOperand = 0, bit allowsOtherMesh = 0>
    : SdyOp<mnemonic, [SameOperandsAndResultType, InferTypeOpInterface, Collective, UsesMeshes]> {
  let results = (outs AnyShaped:$result);
  let extraClassDeclaration =
    "static constexpr bool allowsUnshardedOperand = " # !if(allowsUnshardedOperand, "true", "false") # ";\n" #
    "static constexpr bool allowsOtherMesh = " # !if(allowsOtherMesh, "true", "false") # ";\n";
}

/// Removes the axes of each dim; they must be the minor ones of the operand's sharding.
def AllGatherOp : CollectiveOp<"all_gather"> {
  let arguments = (ins AnyShaped:$tensor, ListOfAxisRefListsAttr:$gathering_axes, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

/// Splits each dim further, without communication.
def AllSliceOp : CollectiveOp<"all_slice", /*allowsUnshardedOperand=*/1> {
  let arguments = (ins AnyShaped:$tensor, ListOfAxisRefListsAttr:$slicing_axes, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

def AllToAllOp : CollectiveOp<"all_to_all"> {
  let arguments = (ins AnyShaped:$tensor, AllToAllParamListAttr:$params, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

/// Splits each dim into as many pieces as before, along other axes or in another order of devices.
def CollectivePermuteOp : CollectiveOp<"collective_permute", /*allowsUnshardedOperand=*/0, /*allowsOtherMesh=*/1> {
  let arguments = (ins AnyShaped:$tensor, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

def AllReduceOp : CollectiveOp<"all_reduce", /*allowsUnshardedOperand=*/1> {
  let arguments = (ins AnyShaped:$tensor, AxisRefListAttr:$reduction_axes, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$reduction_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

/// all_reduce, then all_slice along the same axes.
def ReduceScatterOp : CollectiveOp<"reduce_scatter", /*allowsUnshardedOperand=*/1> {
  let arguments = (ins AnyShaped:$tensor, ListOfAxisRefListsAttr:$reduce_scatter_axes,
                       TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    $reduce_scatter_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

/// Axes that split a dim become unreduced: each device pads its piece with zeros. An all_reduce of the result is an
/// all_gather of the operand.
def ShardedToUnreducedOp : CollectiveOp<"sharded_to_unreduced"> {
  let arguments = (ins AnyShaped:$tensor, ListOfAxisRefListsAttr:$axes, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

/// Axes along which the operand is replicated become unreduced: one device keeps it, others hold zeros.
def ReplicatedToUnreducedOp : CollectiveOp<"replicated_to_unreduced"> {
  let arguments = (ins AnyShaped:$tensor, AxisRefListAttr:$axes, TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
}

#endif
