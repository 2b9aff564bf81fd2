// Rows that are all equal are gathered in pieces: whatever the order of the pieces, they are the gathered rows.
// RUN: partita verify %s --local %S/Inputs/uniform_pieces.mlir --relation | FileCheck %s
// RUN: partita verify %s --local %S/Inputs/uniform_pieces.mlir | FileCheck %s
// CHECK: equal
module {
  func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<6x12xf32>) -> (tensor<8x6xf32> {jax.result_info = "out.y0"}, tensor<8x6xf32> {jax.result_info = "out.y4"}) {
    %c = stablehlo.constant dense<0> : tensor<1x8x6xui8>
    %0 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<1x8x6xui8>) -> tensor<8x6xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x12xf32>) -> tensor<8x12xf32>
    %2 = stablehlo.slice %1 [0:8, 6:12] : (tensor<8x12xf32>) -> tensor<8x6xf32>
    return %2, %0 : tensor<8x6xf32>, tensor<8x6xf32>
  }
}
