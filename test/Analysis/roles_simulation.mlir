// Two fields that a loop of steps moves, by differences of neighbours, and their sum behind the loop: nothing is trained,
// since nothing is fed and the sum is of the fields that the last step gave.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: state 1 x f32[12] arg0
// CHECK-DAG: state 1 x f32[12] arg1
module @m {
  func.func public @main(%arg0: tensor<12xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<12xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<12xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<12xf32>, tensor<12xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg_0, %iterArg_1) : (tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %3, %2#0, %2#1 : tensor<i32>, tensor<12xf32>, tensor<12xf32>
    }
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0#1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    return %0#1, %0#2, %1 : tensor<12xf32>, tensor<12xf32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<12xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<12xf32>
    %4 = stablehlo.subtract %arg1, %3 : tensor<12xf32>
    %5 = call @_roll_static_0(%4) : (tensor<12xf32>) -> tensor<12xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<12xf32>
    %9 = stablehlo.subtract %arg0, %8 : tensor<12xf32>
    return %9, %4 : tensor<12xf32>, tensor<12xf32>
  }
  func.func private @_roll_static(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.slice %arg0 [1:12] : (tensor<12xf32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<12xf32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    return %2 : tensor<12xf32>
  }
  func.func private @_roll_static_0(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.slice %arg0 [11:12] : (tensor<12xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:11] : (tensor<12xf32>) -> tensor<11xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    return %2 : tensor<12xf32>
  }
}
