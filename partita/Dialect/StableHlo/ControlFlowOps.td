//===- ControlFlowOps.td - loops, branches, tuples ------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS
#define PARTITA_DIALECT_STABLEHLO_CONTROLFLOW_OPS

include "partita/Dialect/StableHlo/OpBase.td"

/// Ends every region of this dialect.
def ReturnOp : StableHloOp<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<Shlo_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Not speculatable: the loop need not end.
def WhileOp : StableHloOp<"while", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, InfersResults,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<Shlo_Value>:$operand);
  let results = (outs Variadic<Shlo_Value>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

class BranchOp<string mnemonic, Type selectorType, string selector, dag branches>
    : StableHloOp<mnemonic, [
        RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlockImplicitTerminator<"ReturnOp">, InfersResults]> {
  let arguments = !dag(ins, [selectorType], [selector]);
  let results = (outs Variadic<Shlo_TensorOrToken>);
  let regions = branches;
}

def IfOp : BranchOp<"if", Shlo_PredTensor, "pred",
                    (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch)>;
def CaseOp : BranchOp<"case", RankedTensorOf<[I32]>, "index", (region VariadicRegion<SizedRegion<1>>:$branches)>;

def Shlo_BarrierValue : AnyTypeOf<[Shlo_Tensor, Shlo_TokenValue]>;

/// Ops that compute its operands run before ops that use its results.
def OptimizationBarrierOp : StableHloOp<"optimization_barrier", [Pure, InfersResults]> {
  let arguments = (ins Variadic<Shlo_BarrierValue>:$operand);
  let results = (outs Variadic<Shlo_BarrierValue>:$result);
  // Prints `()` without operands: otherwise the parser would take the next line for operands.
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
  let extraClassDeclaration = [{
    /// (C1) demands equal types, not compatible ones.
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange given) {
      return inferred == given;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

def TupleOp : StableHloOp<"tuple", [Pure, InfersResults]> {
  let arguments = (ins Variadic<Shlo_ValueOrTuple>:$val);
  let results = (outs Shlo_Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}

def GetTupleElementOp : StableHloOp<"get_tuple_element", [Pure, InfersResults]> {
  let arguments = (ins Shlo_Tuple:$operand, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs Shlo_ValueOrTuple);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

#endif
