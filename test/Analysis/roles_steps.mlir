// A loop that runs several steps carries moments into the next loss; the roles are those of one step. No result is a
// scalar, and none has a name.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: optimizer_state 1 x f32[4,6] arg0
// CHECK-DAG: parameter 1 x f32[4,6] arg1
// CHECK-DAG: input 1 x f32[8,4] arg2
module @steps {
  func.func public @main(%mu: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}, %w: tensor<4x6xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %losses = stablehlo.constant dense<0.0> : tensor<3xf32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last:4 = stablehlo.while(%i = %start, %m = %mu, %p = %w, %l = %losses) : tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<3xf32>
    cond {
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
      %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
      %dy = stablehlo.add %y, %y : tensor<8x6xf32>
      %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
      %new_m = stablehlo.add %m, %dw : tensor<4x6xf32>
      %new_p = stablehlo.subtract %p, %new_m : tensor<4x6xf32>
      %piece = stablehlo.reshape %loss : (tensor<f32>) -> tensor<1xf32>
      %new_l = stablehlo.dynamic_update_slice %l, %piece, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %new_m, %new_p, %new_l : tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<3xf32>
    }
    return %last#1, %last#2, %last#3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<3xf32>
  }
}
