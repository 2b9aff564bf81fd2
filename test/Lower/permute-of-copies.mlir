// Three copies of two pieces, of which a permute makes six pieces in the order of other axes: the static check, which
// `plan` runs, sees that a part of an axis may number the copies.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=6,b=2 --schedule %t/schedule.json -o %t/out > %t/report
// RUN: FileCheck %s < %t/out/local.mlir
// CHECK: stablehlo.collective_permute
//--- schedule.json
{"tactics": [
  {"name": "rows", "axis": "b", "tile": [["w", 0]]},
  {"name": "copies", "axis": "a", "tile": [["copies#0", 0]]}]}
//--- program.mlir
module @m {
  func.func public @main(%arg0: tensor<2xui8> loc("x"), %arg1: tensor<6x4xf32> loc("w")) -> (tensor<4xf32> {jax.result_info = "y"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<2xui8>) -> tensor<3x2xui8>
    %1 = stablehlo.convert %0 : (tensor<3x2xui8>) -> tensor<3x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x2xf32>) -> tensor<6xf32> loc("copies")
    %3 = stablehlo.dot %2, %arg1 : (tensor<6xf32>, tensor<6x4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
