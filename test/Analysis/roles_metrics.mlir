// What a trainer returns beside the loss changes no role: norms of the gradient, of the new parameter, a learning rate.
// Statistics that the forward pass averages are state, counts and keys are counters.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=flatten | FileCheck %s --check-prefix=PHASES

// CHECK-DAG: parameter 1 x f32[4,6] state\.params\['w'\]
// CHECK-DAG: optimizer_state 1 x f32[4,6] state\.mu\['w'\]
// CHECK-DAG: state 1 x f32[6] state\.mean
// CHECK-DAG: counter 1 x i32[] state\.step
// CHECK-DAG: counter 1 x ui32[2] state\.key
// CHECK-DAG: input 1 x f32[8,4] x

// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"forward"
// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"backward"
// PHASES: "kind":"stablehlo.reduce"{{.*}}"phase":"update"
// PHASES: "kind":"stablehlo.reduce"{{.*}}"phase":"update"
module @step {
  func.func public @main(%w: tensor<4x6xf32> loc("state.params['w']"), %mu: tensor<4x6xf32> loc("state.mu['w']"), %mean: tensor<6xf32> loc("state.mean"), %step: tensor<i32> loc("state.step"), %key: tensor<2xui32> loc("state.key"), %x: tensor<8x4xf32> loc("x")) -> (tensor<4x6xf32> {jax.result_info = "result[0].params['w']"}, tensor<4x6xf32> {jax.result_info = "result[0].mu['w']"}, tensor<6xf32> {jax.result_info = "result[0].mean"}, tensor<i32> {jax.result_info = "result[0].step"}, tensor<2xui32> {jax.result_info = "result[0].key"}, tensor<f32> {jax.result_info = "result[1]['loss']"}, tensor<f32> {jax.result_info = "result[1]['grad_norm']"}, tensor<f32> {jax.result_info = "result[1]['param_norm']"}, tensor<f32> {jax.result_info = "result[1]['rate']"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
    %new_mean = stablehlo.add %mean, %sum : tensor<6xf32>
    %dy = stablehlo.add %y, %y : tensor<8x6xf32>
    %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %new_mu = stablehlo.add %mu, %dw : tensor<4x6xf32>
    %new_w = stablehlo.subtract %w, %new_mu : tensor<4x6xf32>
    %new_step = stablehlo.add %step, %one : tensor<i32>
    %new_key = stablehlo.add %key, %key : tensor<2xui32>
    %dw2 = stablehlo.multiply %dw, %dw : tensor<4x6xf32>
    %grad_norm = stablehlo.reduce(%dw2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %w2 = stablehlo.multiply %new_w, %new_w : tensor<4x6xf32>
    %param_norm = stablehlo.reduce(%w2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %rate = stablehlo.convert %step : (tensor<i32>) -> tensor<f32>
    return %new_w, %new_mu, %new_mean, %new_step, %new_key, %loss, %grad_norm, %param_norm, %rate : tensor<4x6xf32>, tensor<4x6xf32>, tensor<6xf32>, tensor<i32>, tensor<2xui32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
