// Without names, flow says which result is an argument's next value: the moment depends on itself alone, so the new
// parameter, which depends on both, is the parameter's. The gradient, which has the same type, is no state. A frozen
// weight has no dim of the batch.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=flatten | FileCheck %s --check-prefix=TIES

// CHECK-DAG: optimizer_state 1 x f32[4,6] arg0
// CHECK-DAG: parameter 1 x f32[4,6] arg1
// CHECK-DAG: parameter 1 x f32[5,4] arg2
// CHECK-DAG: input 1 x f32[8,5] arg3

// TIES: "ties": [
// TIES-NEXT: [0,16],
// TIES-NEXT: [1,15]],
module @step {
  func.func public @main(%mu: tensor<4x6xf32>, %w: tensor<4x6xf32>, %frozen: tensor<5x4xf32>, %x: tensor<8x5xf32>) -> (tensor<4x6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h = stablehlo.dot_general %x, %frozen, contracting_dims = [1] x [0] : (tensor<8x5xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %dy = stablehlo.add %y, %y : tensor<8x6xf32>
    %dw = stablehlo.dot_general %h, %dy, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %new_mu = stablehlo.add %mu, %dw : tensor<4x6xf32>
    %new_w = stablehlo.subtract %w, %new_mu : tensor<4x6xf32>
    return %dw, %loss, %new_w, %new_mu : tensor<4x6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
