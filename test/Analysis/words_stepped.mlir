// A loop over time steps through what is fed: that is a sequence, not layers.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-DAG: sequence 7 
// CHECK-DAG: batch 5 
// CHECK-NOT: layers
module @m {
  func.func public @main(%arg0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<5x7x4xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0, 2] : (tensor<5x7x4xf32>) -> tensor<7x5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x5x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x5x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:6 = stablehlo.while(%iterArg = %1, %iterArg_7 = %arg0, %iterArg_8 = %c, %iterArg_9 = %0, %iterArg_10 = %2, %iterArg_11 = %3) : tensor<7x5x4xf32>, tensor<4x6xf32>, tensor<i32>, tensor<5x6xf32>, tensor<7x5x6xf32>, tensor<7x5x6xf32>
    cond {
      %c_12 = stablehlo.constant dense<7> : tensor<i32>
      %16 = stablehlo.compare LT, %iterArg_8, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %16 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_8) : (tensor<7x5x4xf32>, tensor<i32>) -> tensor<5x4xf32>
      %17:3 = func.call @closed_call(%iterArg_7, %iterArg_9, %16) : (tensor<4x6xf32>, tensor<5x6xf32>, tensor<5x4xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>)
      %18 = func.call @dynamic_update_index_in_dim(%iterArg_10, %17#1, %iterArg_8) : (tensor<7x5x6xf32>, tensor<5x6xf32>, tensor<i32>) -> tensor<7x5x6xf32>
      %19 = func.call @dynamic_update_index_in_dim(%iterArg_11, %17#2, %iterArg_8) : (tensor<7x5x6xf32>, tensor<5x6xf32>, tensor<i32>) -> tensor<7x5x6xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %20 = stablehlo.add %iterArg_8, %c_12 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %20, %17#0, %18, %19 : tensor<7x5x4xf32>, tensor<4x6xf32>, tensor<i32>, tensor<5x6xf32>, tensor<7x5x6xf32>, tensor<7x5x6xf32>
    }
    %5 = stablehlo.multiply %4#3, %4#3 : tensor<5x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %8 = stablehlo.multiply %4#3, %7 : tensor<5x6xf32>
    %9 = stablehlo.multiply %7, %4#3 : tensor<5x6xf32>
    %10 = stablehlo.add %8, %9 : tensor<5x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %12:6 = stablehlo.while(%iterArg = %1, %iterArg_7 = %4#4, %iterArg_8 = %4#5, %iterArg_9 = %c_5, %iterArg_10 = %11, %iterArg_11 = %10) : tensor<7x5x4xf32>, tensor<7x5x6xf32>, tensor<7x5x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<5x6xf32>
    cond {
      %c_12 = stablehlo.constant dense<7> : tensor<i32>
      %16 = stablehlo.compare LT, %iterArg_9, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %c_12 = stablehlo.constant dense<7> : tensor<i32>
      %16 = stablehlo.subtract %c_12, %iterArg_9 : tensor<i32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.subtract %16, %c_13 : tensor<i32>
      %18 = func.call @dynamic_index_in_dim(%iterArg, %17) : (tensor<7x5x4xf32>, tensor<i32>) -> tensor<5x4xf32>
      %19 = func.call @dynamic_index_in_dim_0(%iterArg_7, %17) : (tensor<7x5x6xf32>, tensor<i32>) -> tensor<5x6xf32>
      %20 = func.call @dynamic_index_in_dim_0(%iterArg_8, %17) : (tensor<7x5x6xf32>, tensor<i32>) -> tensor<5x6xf32>
      %21:2 = func.call @closed_call_1(%iterArg_10, %iterArg_11, %18, %19, %20) : (tensor<4x6xf32>, tensor<5x6xf32>, tensor<5x4xf32>, tensor<5x6xf32>, tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<5x6xf32>)
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %22 = stablehlo.add %iterArg_9, %c_14 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %iterArg_8, %22, %21#0, %21#1 : tensor<7x5x4xf32>, tensor<7x5x6xf32>, tensor<7x5x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<5x6xf32>
    }
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.multiply %13, %12#4 : tensor<4x6xf32>
    %15 = stablehlo.subtract %arg0, %14 : tensor<4x6xf32>
    return %15, %6 : tensor<4x6xf32>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x5x4xf32>, %arg1: tensor<i32>) -> tensor<5x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 5, 4] : (tensor<7x5x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5x4xf32>) -> tensor<5x4xf32>
    return %1 : tensor<5x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x6xf32>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x4xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<5x6xf32>
    %2 = stablehlo.tanh %1 : tensor<5x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<5x6xf32>
    return %2, %2, %4 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x5x6xf32>, %arg1: tensor<5x6xf32>, %arg2: tensor<i32>) -> tensor<7x5x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x6xf32>) -> tensor<1x5x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<7x5x6xf32>, tensor<1x5x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x5x6xf32>
    return %1 : tensor<7x5x6xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<7x5x6xf32>, %arg1: tensor<i32>) -> tensor<5x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 5, 6] : (tensor<7x5x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x5x6xf32>) -> tensor<5x6xf32>
    return %1 : tensor<5x6xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<4x6xf32>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x4xf32>, %arg3: tensor<5x6xf32>, %arg4: tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<5x6xf32>) {
    %0 = stablehlo.multiply %arg1, %arg4 : tensor<5x6xf32>
    %1 = stablehlo.multiply %0, %arg3 : tensor<5x6xf32>
    %2 = stablehlo.add %0, %1 : tensor<5x6xf32>
    %3 = stablehlo.dot_general %2, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<4x6xf32>
    return %5, %2 : tensor<4x6xf32>, tensor<5x6xf32>
  }
}
