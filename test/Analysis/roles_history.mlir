// A history that is shifted by one, without names: its next value is the old one without its first row, and a new row.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: parameter 1 x f32[4,6] arg0
// CHECK-DAG: state 1 x f32[7] arg1
// CHECK-DAG: input 1 x f32[8,4] arg2
module @m {
  func.func public @main(%arg0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<7xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8x4xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %7 = stablehlo.multiply %5, %6 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.multiply %cst_3, %6 : tensor<f32>
    %cst_4 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %9 = stablehlo.divide %8, %cst_4 : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %11 = stablehlo.multiply %10, %3 : tensor<8x6xf32>
    %12 = stablehlo.dot_general %11, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<4x6xf32>
    %16 = stablehlo.subtract %arg0, %15 : tensor<4x6xf32>
    %17 = stablehlo.slice %arg1 [1:7] : (tensor<7xf32>) -> tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%arg2 init: %cst_6) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %20 = stablehlo.concatenate %17, %19, dim = 0 : (tensor<6xf32>, tensor<1xf32>) -> tensor<7xf32>
    return %16, %20, %7 : tensor<4x6xf32>, tensor<7xf32>, tensor<f32>
  }
}
