// Two weights of each member of an ensemble: a matrix for each, as experts have, but all parameters have that dim first.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-DAG: members 3 
// CHECK-DAG: batch 8 
// CHECK-NOT: experts
module @m {
  func.func public @main(%arg0: tensor<3x4x5xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x5x2xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8x4xf32>) -> (tensor<3x4x5xf32> {jax.result_info = "result[0]"}, tensor<3x5x2xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<3x4x5xf32>) -> tensor<8x3x5xf32>
    %1 = stablehlo.tanh %0 : tensor<8x3x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3x5xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x3x5xf32>
    %4 = stablehlo.dot_general %1, %arg1, batching_dims = [1] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x3x5xf32>, tensor<3x5x2xf32>) -> tensor<3x8x2xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<3x8x2xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x8x2xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<3x8x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<3x8x2xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1, 2] : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x8x2xf32>) -> tensor<3x8x2xf32>
    %12 = stablehlo.multiply %11, %7 : tensor<3x8x2xf32>
    %13 = stablehlo.dot_general %12, %1, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2xf32>, tensor<8x3x5xf32>) -> tensor<3x2x5xf32>
    %14 = stablehlo.transpose %13, dims = [0, 2, 1] : (tensor<3x2x5xf32>) -> tensor<3x5x2xf32>
    %15 = stablehlo.dot_general %12, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x8x2xf32>, tensor<3x5x2xf32>) -> tensor<3x8x5xf32>
    %16 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<8x3x5xf32>) -> tensor<3x8x5xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<3x8x5xf32>
    %18 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<8x3x5xf32>) -> tensor<3x8x5xf32>
    %19 = stablehlo.multiply %17, %18 : tensor<3x8x5xf32>
    %20 = stablehlo.add %17, %19 : tensor<3x8x5xf32>
    %21 = stablehlo.dot_general %20, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8x5xf32>, tensor<8x4xf32>) -> tensor<3x5x4xf32>
    %22 = stablehlo.transpose %21, dims = [0, 2, 1] : (tensor<3x5x4xf32>) -> tensor<3x4x5xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x4x5xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<3x4x5xf32>
    %25 = stablehlo.subtract %arg0, %24 : tensor<3x4x5xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x5x2xf32>
    %27 = stablehlo.multiply %26, %14 : tensor<3x5x2xf32>
    %28 = stablehlo.subtract %arg1, %27 : tensor<3x5x2xf32>
    return %25, %28, %8 : tensor<3x4x5xf32>, tensor<3x5x2xf32>, tensor<3xf32>
  }
}
