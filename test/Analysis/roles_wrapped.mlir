// Names agree without what wraps arrays (`.value`, `[<flat index 0>]`), whatever version of JAX wrote the results'.
// Among two results of one name, the one that is computed from the argument is its next value.

// RUN: partita analyze %s | FileCheck %s

// CHECK-DAG: parameter 1 x f32[4,6] params\['w'\]\.value
// CHECK-DAG: optimizer_state 1 x f32[4,6] opt\.mu\['w'\]\[<flat index 0>\]
// CHECK-DAG: input 1 x f32[8,4] x
module @step {
  func.func public @main(%w: tensor<4x6xf32> loc("params['w'].value"), %mu: tensor<4x6xf32> loc("opt.mu['w'][<flat index 0>]"), %x: tensor<8x4xf32> loc("x")) -> (tensor<4x6xf32> {jax.result_info = "[0]['w']"}, tensor<4x6xf32> {jax.result_info = "[1]['w']"}, tensor<4x6xf32> {jax.result_info = "[2].mu['w'].raw_value"}, tensor<f32> {jax.result_info = "[3]"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %dy = stablehlo.add %y, %y : tensor<8x6xf32>
    %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %new_mu = stablehlo.add %mu, %dw : tensor<4x6xf32>
    %new_w = stablehlo.subtract %w, %new_mu : tensor<4x6xf32>
    return %dw, %new_w, %new_mu, %loss : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>
  }
}
