// Columns of a solution are equal where those of the right side are, which the check does not know: along which axes
// they are cut may be any. A permute puts them in another order, and then parts of an axis are gathered which that
// order puts beside what may be any.
// RUN: echo '{"tactics": [{"axis": "b", "assign": [["back#0", 0]]}, {"axis": "b", "tile": [["flat#0", 0]]}, {"axis": "a", "tile": [["whole", 1]]}]}' > %t.json
// RUN: partita verify %s --mesh a=6,b=2 --schedule %t.json --relation | FileCheck %s
// RUN: partita verify %s --mesh a=6,b=2 --schedule %t.json | FileCheck %s
// CHECK: equal
module {
  func.func @main(%m: tensor<1x1xf32> loc("m"), %i: tensor<i32> loc("i"), %j: tensor<i32> loc("j")) -> (tensor<16xf32> {jax.result_info = "longer"}, tensor<1x12xf32> {jax.result_info = "whole"}) {
    %four = stablehlo.constant dense<4.0> : tensor<1x12xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %solution = "stablehlo.triangular_solve"(%m, %four) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<1x1xf32>, tensor<1x12xf32>) -> tensor<1x12xf32>
    %back = stablehlo.reverse %solution, dims = [1] : tensor<1x12xf32> loc("back")
    %longer = stablehlo.pad %back, %zero, low = [0, 0], high = [0, 4], interior = [0, 0] : (tensor<1x12xf32>, tensor<f32>) -> tensor<1x16xf32>
    %slice = stablehlo.dynamic_slice %longer, %i, %j, sizes = [1, 16] : (tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %flat = stablehlo.reshape %slice : (tensor<1x16xf32>) -> tensor<16xf32> loc("flat")
    return %flat, %back : tensor<16xf32>, tensor<1x12xf32>
  }
}
