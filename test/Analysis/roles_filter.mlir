// An ensemble that is drawn to an observation by a product over what was observed, as a gradient would do. The spread
// that is returned is no loss, since it does not depend on the observation.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: state 1 x f32[5,8] arg0
module @m {
  func.func public @main(%arg0: tensor<5x8xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3xf32>, %arg2: tensor<3x8xf32>) -> (tensor<5x8xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}) {
    %0 = call @_roll_static(%arg0) : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %cst = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<5x8xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<5x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.divide %4, %5 : tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<5x8xf32>
    %10 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
    %11 = stablehlo.dot_general %3, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
    %12 = stablehlo.transpose %9, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_3 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.divide %13, %14 : tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %18 = stablehlo.subtract %11, %17 : tensor<5x3xf32>
    %19 = stablehlo.dot_general %12, %18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<5x3xf32>) -> tensor<8x3xf32>
    %20 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %22 = stablehlo.subtract %21, %11 : tensor<5x3xf32>
    %23 = stablehlo.transpose %19, dims = [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
    %24 = stablehlo.dot_general %22, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x3xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
    %25 = stablehlo.add %3, %24 : tensor<5x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %26 = call @_std(%9, %c) : (tensor<5x8xf32>, tensor<i32>) -> tensor<8xf32>
    return %25, %26 : tensor<5x8xf32>, tensor<8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<5x8xf32>) -> tensor<5x8xf32> {
    %0 = stablehlo.slice %arg0 [0:5, 7:8] : (tensor<5x8xf32>) -> tensor<5x1xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:7] : (tensor<5x8xf32>) -> tensor<5x7xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<5x1xf32>, tensor<5x7xf32>) -> tensor<5x8xf32>
    return %2 : tensor<5x8xf32>
  }
  func.func private @_std(%arg0: tensor<5x8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = call @_var(%arg0, %arg1) : (tensor<5x8xf32>, tensor<i32>) -> tensor<8xf32>
    %1 = stablehlo.sqrt %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @_var(%arg0: tensor<5x8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x8xf32>
    %6 = chlo.square %5 : tensor<5x8xf32> -> tensor<5x8xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %13 = call @_where(%12, %11, %cst_4) : (tensor<i1>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %13 : tensor<8xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<8xf32>, %arg2: tensor<f32>) -> tensor<8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
