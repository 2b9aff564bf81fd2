// Rows that attend to each other are no batch, though they are the first dim of what is fed.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-NOT: batch
// CHECK-NOT: sequence
module @m {
  func.func public @main(%arg0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<9x4xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x4xf32>, tensor<4x6xf32>) -> tensor<9x6xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<9x6xf32>) -> tensor<6x9xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x6xf32>, tensor<6x9xf32>) -> tensor<9x9xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %5 = stablehlo.maximum %4, %3 : tensor<9xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x9xf32>
    %8 = stablehlo.subtract %2, %7 : tensor<9x9xf32>
    %9 = stablehlo.exponential %8 : tensor<9x9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x9xf32>
    %13 = stablehlo.divide %9, %12 : tensor<9x9xf32>
    %14 = stablehlo.multiply %11, %11 : tensor<9x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %16 = stablehlo.divide %15, %14 : tensor<9x1xf32>
    %17 = stablehlo.dot_general %13, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x9xf32>, tensor<9x6xf32>) -> tensor<9x6xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<9x6xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9x6xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<9x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9x6xf32>
    %23 = stablehlo.multiply %22, %20 : tensor<9x6xf32>
    %24 = stablehlo.dot_general %23, %13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x6xf32>, tensor<9x9xf32>) -> tensor<6x9xf32>
    %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<6x9xf32>) -> tensor<9x6xf32>
    %26 = stablehlo.dot_general %23, %0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<9x6xf32>, tensor<9x6xf32>) -> tensor<9x9xf32>
    %27 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x9xf32>
    %28 = stablehlo.multiply %26, %27 : tensor<9x9xf32>
    %29 = stablehlo.multiply %28, %9 : tensor<9x9xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
    %31 = stablehlo.reshape %30 : (tensor<9xf32>) -> tensor<9x1xf32>
    %32 = stablehlo.negate %31 : tensor<9x1xf32>
    %33 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x9xf32>
    %34 = stablehlo.divide %26, %33 : tensor<9x9xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%32 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<9x1xf32>, tensor<f32>) -> tensor<9xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
    %37 = stablehlo.add %34, %36 : tensor<9x9xf32>
    %38 = stablehlo.multiply %37, %9 : tensor<9x9xf32>
    %39 = stablehlo.dot_general %38, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x9xf32>, tensor<9x6xf32>) -> tensor<9x6xf32>
    %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<9x6xf32>) -> tensor<6x9xf32>
    %41 = stablehlo.dot_general %38, %1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<9x9xf32>, tensor<6x9xf32>) -> tensor<9x6xf32>
    %42 = stablehlo.add %25, %41 : tensor<9x6xf32>
    %43 = stablehlo.transpose %40, dims = [1, 0] : (tensor<6x9xf32>) -> tensor<9x6xf32>
    %44 = stablehlo.add %42, %43 : tensor<9x6xf32>
    %45 = stablehlo.dot_general %44, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x6xf32>, tensor<9x4xf32>) -> tensor<6x4xf32>
    %46 = stablehlo.transpose %45, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<4x6xf32>
    %49 = stablehlo.subtract %arg0, %48 : tensor<4x6xf32>
    return %49, %21 : tensor<4x6xf32>, tensor<f32>
  }
}
