//===- CustomOps.td - custom calls, composites, tokens, host transfer -----===//

#ifndef PARTITA_DIALECT_STABLEHLO_CUSTOM_OPS
#define PARTITA_DIALECT_STABLEHLO_CUSTOM_OPS

include "partita/Dialect/StableHlo/OpBase.td"

//===----------------------------------------------------------------------===//
// Calls of what this dialect does not define
//===----------------------------------------------------------------------===//

/// The dims of one value from minor to major, a 1-d tensor of index.
def LayoutAttr : Attr<
    And<[IndexElementsAttr.predicate,
         CPred<"::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType().getRank() == 1">]>,
    "1-d tensor of index (layout)"> {
  let storageType = IndexElementsAttr.storageType;
  let returnType = IndexElementsAttr.returnType;
  let convertFromStorage = IndexElementsAttr.convertFromStorage;
}
def LayoutsAttr : TypedArrayAttrBase<LayoutAttr, "one layout per value">;
def CalledComputationsAttr : TypedArrayAttrBase<FlatSymbolRefAttr, "functions that a custom call may call">;

def CustomCallOp : StableHloOp<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins
    Variadic<Shlo_CustomCallValue>:$inputs,
    SymbolNameAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<
      CustomCallApiVersionAttr,
      "::partita::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<CalledComputationsAttr, "{}">:$called_computations,
    OptionalAttr<LayoutsAttr>:$operand_layouts,
    OptionalAttr<LayoutsAttr>:$result_layouts,
    DefaultValuedOptionalAttr<
      TypedArrayAttrBase<OutputOperandAliasAttr, "aliases of results and operands">, "{}">:$output_operand_aliases);
  let results = (outs Variadic<Shlo_CustomCallValue>);
  let hasVerifier = 1;
  let assemblyFormat = "$call_target_name `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}

def Shlo_CompositeValue : AnyTypeOf<[Shlo_TensorOrPerAxis, Shlo_TokenValue, Shlo_Tuple]>;

/// An op made of others, which the function `decomposition` holds.
def CompositeOp : StableHloOp<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins
    Variadic<Shlo_CompositeValue>:$inputs,
    StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<Shlo_CompositeValue>);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def CreateTokenOp : StableHloOp<"create_token", [Pure, InfersResults]> {
  let results = (outs Shlo_TokenValue:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def AfterAllOp : StableHloOp<"after_all", [Pure, InfersResults]> {
  let arguments = (ins Variadic<Shlo_TokenValue>:$inputs);
  let results = (outs Shlo_TokenValue:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<TokenTypes>(ref($inputs), type($inputs), type($result))";
}

//===----------------------------------------------------------------------===//
// Transfer from and to the host, and between devices by channel
//===----------------------------------------------------------------------===//

class TransferOp<string mnemonic, list<Trait> traits = []>
    : StableHloOp<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

def InfeedOp : TransferOp<"infeed"> {
  let arguments = (ins
    Shlo_TokenValue:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config, OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<Shlo_StaticTensorOrToken>);
  let hasVerifier = 1;
}

def OutfeedOp : TransferOp<"outfeed", [InfersResults]> {
  let arguments = (ins
    Variadic<Shlo_TensorOrPerAxis>:$inputs, Shlo_TokenValue:$token,
    DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs Shlo_TokenValue);
}

def SendOp : TransferOp<"send", [InfersResults]> {
  let arguments = (ins
    Variadic<Shlo_TensorOrPerAxis>:$inputs, Shlo_TokenValue:$token, ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Shlo_TokenValue);
  let hasVerifier = 1;
}

def RecvOp : TransferOp<"recv"> {
  let arguments = (ins
    Shlo_TokenValue:$token, ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<Shlo_StaticTensorOrToken>);
  let hasVerifier = 1;
}

#endif
