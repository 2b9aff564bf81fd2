//===- CollectiveOps.td - collectives, device ids, asynchronous ops -------===//
//
// None has memory effects, so a dead one may be removed. None is speculatable,
// since all devices of a group must reach it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_COLLECTIVE_OPS
#define PARTITA_DIALECT_STABLEHLO_COLLECTIVE_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// Rows of device ids, or mesh axes that say which they are.
def ReplicaGroupsAttr : AnyAttrOf<[I64ElementsAttr, ReplicaGroupMeshAxesAttr], "replica groups">;

//===----------------------------------------------------------------------===//
// Within groups
//===----------------------------------------------------------------------===//

/// An op with an attribute `replica_groups`, which may name a mesh.
class GroupOp<string mnemonic, list<Trait> traits> : StableHloOp<mnemonic, traits # [SymbolUserOpInterface]> {
  let extraClassDeclaration = compatibleReturnTypes # [{
    ::llvm::LogicalResult verifySymbolUses(::mlir::SymbolTableCollection &symbolTable) {
      return ::partita::stablehlo::verifyReplicaGroupMesh(*this, getReplicaGroups(), symbolTable);
    }
  }];
}

def AllGatherOp : GroupOp<"all_gather", [NoMemoryEffect]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$all_gather_dim,
    ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Shlo_Tensor>);
  let hasVerifier = 1;
}

def AllReduceOp : GroupOp<"all_reduce", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, InfersResults]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$operands,
    ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<Shlo_Tensor>);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def ReduceScatterOp : GroupOp<"reduce_scatter", [RecursiveMemoryEffects]> {
  let arguments = (ins
    Shlo_Tensor:$operand,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$scatter_dimension,
    ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Shlo_Tensor);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def AllToAllOp : GroupOp<"all_to_all", [NoMemoryEffect, InfersResults]> {
  let arguments = (ins
    Variadic<Shlo_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$split_dimension,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$concat_dimension,
    ConfinedAttr<I64Attr, [IntPositive]>:$split_count,
    ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<Shlo_Tensor>);
  let hasVerifier = 1;
}

def CollectiveBroadcastOp : GroupOp<"collective_broadcast", [NoMemoryEffect, InfersResults]> {
  let arguments = (ins
    Shlo_Tensor:$operand, ReplicaGroupsAttr:$replica_groups, OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs Shlo_Tensor);
  let hasVerifier = 1;
}

def CollectivePermuteOp : StableHloOp<"collective_permute", [NoMemoryEffect, InfersResults]> {
  let arguments = (ins
    Shlo_Tensor:$operand, I64ElementsAttr:$source_target_pairs, OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs Shlo_Tensor);
  let hasVerifier = 1;
}

def CrossReplicaSumOp : StableHloOp<"cross-replica-sum", [NoMemoryEffect, CompatibleTypes]> {
  let arguments = (ins Shlo_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs Shlo_Tensor);
}

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

class DeviceIdOp<string mnemonic> : StableHloOp<mnemonic, [Pure, InfersResults]> {
  let results = (outs RankedTensorOf<[UI32]>);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def PartitionIdOp : DeviceIdOp<"partition_id">;
def ReplicaIdOp : DeviceIdOp<"replica_id">;

//===----------------------------------------------------------------------===//
// Asynchronous execution
//===----------------------------------------------------------------------===//

/// Starts the one collective or slice of its body.
def AsyncStartOp : StableHloOp<"async_start", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, IsolatedFromAbove, InfersResults]> {
  let arguments = (ins Variadic<Shlo_Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Shlo_FutureValue);
}

def AsyncDoneOp : StableHloOp<"async_done", [NoMemoryEffect, InfersResults]> {
  let arguments = (ins Shlo_FutureValue:$operand);
  let results = (outs Shlo_Tensor);
}

#endif
