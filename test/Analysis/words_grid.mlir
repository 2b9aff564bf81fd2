// Differences of neighbours along two dims of a field: both are dims of space.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-DAG: space 9 
// CHECK-DAG: space 11 
// CHECK-NOT: batch
module @m {
  func.func public @main(%arg0: tensor<9x11xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<9x11xf32>) -> (tensor<9x11xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:9, 1:11] : (tensor<9x11xf32>) -> tensor<9x10xf32>
    %1 = stablehlo.slice %arg0 [0:9, 0:1] : (tensor<9x11xf32>) -> tensor<9x1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<9x10xf32>, tensor<9x1xf32>) -> tensor<9x11xf32>
    %3 = stablehlo.subtract %2, %arg0 : tensor<9x11xf32>
    %4 = stablehlo.slice %arg0 [1:9, 0:11] : (tensor<9x11xf32>) -> tensor<8x11xf32>
    %5 = stablehlo.slice %arg0 [0:1, 0:11] : (tensor<9x11xf32>) -> tensor<1x11xf32>
    %6 = stablehlo.concatenate %4, %5, dim = 0 : (tensor<8x11xf32>, tensor<1x11xf32>) -> tensor<9x11xf32>
    %7 = stablehlo.subtract %6, %arg0 : tensor<9x11xf32>
    %8 = stablehlo.add %3, %7 : tensor<9x11xf32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<9x11xf32>
    %10 = stablehlo.add %arg0, %9 : tensor<9x11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x11xf32>, tensor<f32>) -> tensor<f32>
    return %10, %11 : tensor<9x11xf32>, tensor<f32>
  }
}
