//===- LoopOps.td - functional loops over mesh axes -----------------------===//
//
// x @ w with the rows of x over axis B and the contraction over axis M:
//
//   %0 = part.loop "B" size 4 [tile<0>] (%b) {
//     %1 = part.slice %x dim 0 at %b : tensor<256x8xf32> -> tensor<64x8xf32>
//     %2 = part.loop "M" size 2 [sum] (%m) {
//       %3 = part.slice %1 dim 1 at %m : tensor<64x8xf32> -> tensor<64x4xf32>
//       %4 = part.slice %w dim 0 at %m : tensor<8x16xf32> -> tensor<4x16xf32>
//       %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : ...
//       part.yield %5 : tensor<64x16xf32>
//     } : tensor<64x16xf32>
//     part.yield %2 : tensor<64x16xf32>
//   } : tensor<256x16xf32>
//
// Values outside a loop are whole along its axis. Running the positions one after
// the other on one device computes what the partitioned program computes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_LOOP_OPS
#define PARTITA_DIALECT_PART_LOOP_OPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "partita/Dialect/Part/Attrs.td"
include "partita/Dialect/Sdy/Attrs.td"

class PartOp<string mnemonic, list<Trait> traits = []> : Op<Part_Dialect, mnemonic, traits>;

/// The number of a position along an axis.
def Part_Position : 0DTensorOf<[I64]>,
                    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

def Part_Actions : TypedArrayAttrBase<
    AnyAttrOf<[Part_TileAttr, Part_SumAttr, Part_AnyAttr], "tile, sum or any">, "list of tile, sum or any">;

/// Ends a loop's body and gives the pieces of its results at this position.
def YieldOp : PartOp<"yield", [Pure, ReturnLike, Terminator, HasParent<"LoopOp">]> {
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$pieces);
  let assemblyFormat = "attr-dict ($pieces^ `:` type($pieces))?";
}

def LoopOp : PartOp<"loop", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "computes a piece of each result at each position of a mesh axis";
  let description = [{
    The body's argument is the position, from 0 to `size` - 1. The axis, or any part of it, stands once in a nest.
    `actions` has one entry for each result: `tile<d>` puts the pieces one after the other along dim d, `sum` combines
    them, `any` says that they are all the same.
  }];
  let arguments = (ins AxisRefAttr:$axis, ConfinedAttr<I64Attr, [IntPositive]>:$size, Part_Actions:$actions);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Axis>($axis) `size` $size custom<Actions>($actions) custom<LoopBody>($body) attr-dict
    (`:` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// A loop with a position and an empty body.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::partita::sdy::AxisRefAttr":$axis, "int64_t":$size,
                   "::llvm::ArrayRef<::mlir::Attribute>":$actions)>];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getPosition() { return getBody().getArgument(0); }
  }];
}

def SliceOp : PartOp<"slice", [Pure]> {
  let summary = "the piece of a value at a position of an enclosing loop";
  let arguments = (ins AnyStaticShapeTensor:$whole, ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
                       Part_Position:$position);
  let results = (outs AnyStaticShapeTensor:$piece);
  let assemblyFormat = "$whole `dim` $dim `at` $position attr-dict `:` type($whole) `->` type($piece)";
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// `position` is a loop's, whose size divides the dim.
    OpBuilder<(ins "::mlir::Value":$whole, "int64_t":$dim, "::mlir::BlockArgument":$position)>];
  let extraClassDeclaration = [{
    /// The loop that gives the position; null in a program that does not verify.
    LoopOp findLoop();
  }];
}

#endif
