// Places of agents move by what a network says, in a loop; then the network learns from what was seen, in another one.
// No gradient changes the places. Nothing is fed, so they have the batch.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: parameter 1 x f32[4,6] arg0
// CHECK-DAG: state 1 x f32[8,4] arg1
// CHECK-DAG: counter 1 x i32[] arg2
// CHECK: batch 8
module @m {
  func.func public @main(%arg0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<i32> {tf.aliasing_output = 2 : i32}) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_5 = %c, %iterArg_6 = %arg1, %iterArg_7 = %0) : tensor<4x6xf32>, tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32>
    cond {
      %c_8 = stablehlo.constant dense<3> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9:2 = func.call @closed_call(%iterArg, %iterArg_6) : (tensor<4x6xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
      %10 = func.call @dynamic_update_index_in_dim(%iterArg_7, %9#1, %iterArg_5) : (tensor<3x8x4xf32>, tensor<8x4xf32>, tensor<i32>) -> tensor<3x8x4xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %11, %9#0, %10 : tensor<4x6xf32>, tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32>
    }
    %2 = stablehlo.reshape %1#3 : (tensor<3x8x4xf32>) -> tensor<24x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<24x4xf32>) -> tensor<2x12x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5:4 = stablehlo.while(%iterArg = %3, %iterArg_5 = %c_1, %iterArg_6 = %arg0, %iterArg_7 = %4) : tensor<2x12x4xf32>, tensor<i32>, tensor<4x6xf32>, tensor<2xf32>
    cond {
      %c_8 = stablehlo.constant dense<2> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_5) : (tensor<2x12x4xf32>, tensor<i32>) -> tensor<12x4xf32>
      %10:2 = func.call @closed_call_0(%iterArg_6, %9) : (tensor<4x6xf32>, tensor<12x4xf32>) -> (tensor<4x6xf32>, tensor<f32>)
      %11 = func.call @dynamic_update_index_in_dim_1(%iterArg_7, %10#1, %iterArg_5) : (tensor<2xf32>, tensor<f32>, tensor<i32>) -> tensor<2xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %12, %10#0, %11 : tensor<2x12x4xf32>, tensor<i32>, tensor<4x6xf32>, tensor<2xf32>
    }
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5#3 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.divide %6, %cst_3 : tensor<f32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.add %arg2, %c_4 : tensor<i32>
    return %5#2, %1#2, %8, %7 : tensor<4x6xf32>, tensor<8x4xf32>, tensor<i32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<4x6xf32>, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.tanh %0 : tensor<8x6xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<8x6xf32>
    %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.add %arg1, %5 : tensor<8x4xf32>
    return %6, %arg1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x8x4xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> tensor<3x8x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x4xf32>
    return %1 : tensor<3x8x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x12x4xf32>, %arg1: tensor<i32>) -> tensor<12x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 12, 4] : (tensor<2x12x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x12x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x12x4xf32>) -> tensor<12x4xf32>
    return %1 : tensor<12x4xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<4x6xf32>, %arg1: tensor<12x4xf32>) -> (tensor<4x6xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x4xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<12x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<12x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %6 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %8 = stablehlo.multiply %7, %3 : tensor<12x6xf32>
    %9 = stablehlo.dot_general %8, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x6xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<4x6xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<4x6xf32>
    return %13, %5 : tensor<4x6xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<2xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<2xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
