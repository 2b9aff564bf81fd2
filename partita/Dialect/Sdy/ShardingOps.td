//===- ShardingOps.td - meshes, constraints, groups and edges -------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDING_OPS
#define PARTITA_DIALECT_SDY_SHARDING_OPS

include "partita/Dialect/Sdy/OpBase.td"

def MeshOp : SdyOp<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "names a mesh";
  let arguments = (ins SymbolNameAttr:$sym_name, MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

/// The input with another sharding, which the user asked for or propagation chose.
class ShardedCopyOp<string mnemonic, list<Trait> traits = []>
    : SdyOp<mnemonic, traits # [SameOperandsAndResultType, InferTypeOpInterface, UsesMeshes]> {
  let arguments = (ins AnyType:$input, TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}

/// Not pure: without uses it still says how to shard the input.
def ShardingConstraintOp : ShardedCopyOp<"sharding_constraint">;
def ReshardOp : ShardedCopyOp<"reshard", [Pure]>;

def ShardingGroupOp : SdyOp<"sharding_group", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "all inputs of one group id get the same sharding";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def PropagationBarrierOp : SdyOp<"propagation_barrier", [
    Pure, SameOperandsAndResultType, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "lets shardings pass in at most one direction";
  let arguments = (ins AnyRankedTensor:$input, PropagationDirectionAttr:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)";
  let hasVerifier = 1;
}

/// Neither ConstantLike nor foldable, so that each use can have its own sharding.
def ConstantOp : SdyOp<"constant", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given);
  }];
}

/// Takes the owner of an edge, one of the values that a region op ties together, and holds the sharding of all of them.
/// Not pure: the owner may have had no uses.
def DataFlowEdgeOp : SdyOp<"data_flow_edge", [SameOperandsAndResultType, UsesMeshes]> {
  let arguments = (ins AnyShaped:$input, OptionalAttr<TensorShardingAttr>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
}

/// The same for a function's argument, or for the result of a call.
def FuncDataFlowEdgeOp : SdyOp<"func_data_flow_edge", [SameOperandsAndResultType, UsesMeshes]> {
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

#endif
