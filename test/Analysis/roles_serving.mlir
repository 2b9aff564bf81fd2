// Serving: a cache is what a part is written into, names or not. Weights have no dim of the batch, biases and what
// comes back unchanged among them.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: state 1 x f32[3,16,6] arg0
// CHECK-DAG: parameter 1 x f32[50,6] arg1
// CHECK-DAG: parameter 1 x f32[6] arg2
// CHECK-DAG: parameter 1 x f32[6,6] arg3
// CHECK-DAG: input 1 x i32[3] arg4
// CHECK-DAG: input 1 x i32[] arg5
module @decode {
  func.func public @main(%cache: tensor<3x16x6xf32>, %table: tensor<50x6xf32>, %bias: tensor<6xf32>, %w: tensor<6x6xf32>, %ids: tensor<3xi32>, %at: tensor<i32>) -> (tensor<3x16x6xf32>, tensor<3x6xf32>, tensor<6x6xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    %index = stablehlo.reshape %ids : (tensor<3xi32>) -> tensor<3x1xi32>
    %rows = "stablehlo.gather"(%table, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<50x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
    %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<6xf32>) -> tensor<3x6xf32>
    %x = stablehlo.add %rows, %wide : tensor<3x6xf32>
    %k = stablehlo.dot_general %w, %x, contracting_dims = [0] x [1] : (tensor<6x6xf32>, tensor<3x6xf32>) -> tensor<6x3xf32>
    %kt = stablehlo.transpose %k, dims = [1, 0] : (tensor<6x3xf32>) -> tensor<3x6xf32>
    %piece = stablehlo.reshape %kt : (tensor<3x6xf32>) -> tensor<3x1x6xf32>
    %new = stablehlo.dynamic_update_slice %cache, %piece, %start, %at, %start : (tensor<3x16x6xf32>, tensor<3x1x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x6xf32>
    %y = stablehlo.reduce(%cache init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x16x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    %out = stablehlo.add %y, %kt : tensor<3x6xf32>
    return %new, %out, %w : tensor<3x16x6xf32>, tensor<3x6xf32>, tensor<6x6xf32>
  }
}
