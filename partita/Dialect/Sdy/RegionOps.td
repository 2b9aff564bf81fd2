//===- RegionOps.td - ops with a body: manual and named computations ------===//

#ifndef PARTITA_DIALECT_SDY_REGION_OPS
#define PARTITA_DIALECT_SDY_REGION_OPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "partita/Dialect/Sdy/OpBase.td"

def ReturnOp : SdyOp<"return", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

class BodyOp<string mnemonic, list<Trait> traits = []>
    : SdyOp<mnemonic, traits # [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, IsolatedFromAbove,
                                UsesMeshes]> {
  let regions = (region SizedRegion<1>:$body);
}

def ManualComputationOp : BodyOp<"manual_computation"> {
  let summary = "a body that sees local shapes along the manual axes";
  let arguments = (ins
    Variadic<AnyType>:$tensors, TensorShardingPerValueAttr:$in_shardings, TensorShardingPerValueAttr:$out_shardings,
    ManualAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<BodyWithArguments>($body) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isManual(::llvm::StringRef axis);
  }];
}

def NamedComputationOp : BodyOp<"named_computation", [
    RecursivelySpeculatable, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "a body with a name, as if it were called";
  let arguments = (ins
    StrAttr:$name, Variadic<AnyType>:$operands, OptionalAttr<TensorShardingPerValueAttr>:$in_shardings,
    OptionalAttr<TensorShardingPerValueAttr>:$out_shardings);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<ShardingList>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<ShardingList>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict `:` functional-type($operands, results)
  }];
}

#endif
