// A program that brings its arguments into another order first, and its results back last, keeps their roles and phases:
// each of two devices has a piece of both parts of the weight, 6 rows and 4.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=flatten | FileCheck %s --check-prefix=PHASES

// CHECK-DAG: parameter 1 x f32[10,6] state\.params\['qk'\]
// CHECK-DAG: optimizer_state 1 x f32[10,6] state\.mu\['qk'\]
// CHECK-DAG: input 1 x f32[8,6] x

// The weight's order belongs to the forward pass, that of the moments and the way back to the update. Of the products, the
// gradient alone is backward.
// PHASES-COUNT-2: "kind":"stablehlo.slice"{{.*}}"phase":"forward"
// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"forward"
// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"backward"
// PHASES-NOT: "kind":"stablehlo.{{slice|reshape|concatenate}}"{{.*}}"phase":"{{forward|backward}}"
module @step {
  func.func public @main(%qk: tensor<10x6xf32> loc("state.params['qk']"), %mu: tensor<10x6xf32> loc("state.mu['qk']"), %x: tensor<8x6xf32> loc("x")) -> (tensor<10x6xf32> {jax.result_info = "result[0].params['qk']"}, tensor<10x6xf32> {jax.result_info = "result[0].mu['qk']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %q = stablehlo.slice %qk [0:6, 0:6] : (tensor<10x6xf32>) -> tensor<6x6xf32>
    %k = stablehlo.slice %qk [6:10, 0:6] : (tensor<10x6xf32>) -> tensor<4x6xf32>
    %q_pieces = stablehlo.reshape %q : (tensor<6x6xf32>) -> tensor<2x3x6xf32>
    %k_pieces = stablehlo.reshape %k : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
    %pieces = stablehlo.concatenate %q_pieces, %k_pieces, dim = 1 : (tensor<2x3x6xf32>, tensor<2x2x6xf32>) -> tensor<2x5x6xf32>
    %w = stablehlo.reshape %pieces : (tensor<2x5x6xf32>) -> tensor<10x6xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x6xf32>, tensor<10x6xf32>) -> tensor<8x10xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x10xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %dy = stablehlo.add %y, %y : tensor<8x10xf32>
    %gradient = stablehlo.dot_general %dy, %x, contracting_dims = [0] x [0] : (tensor<8x10xf32>, tensor<8x6xf32>) -> tensor<10x6xf32>
    %mu_q = stablehlo.slice %mu [0:6, 0:6] : (tensor<10x6xf32>) -> tensor<6x6xf32>
    %mu_k = stablehlo.slice %mu [6:10, 0:6] : (tensor<10x6xf32>) -> tensor<4x6xf32>
    %mu_q_pieces = stablehlo.reshape %mu_q : (tensor<6x6xf32>) -> tensor<2x3x6xf32>
    %mu_k_pieces = stablehlo.reshape %mu_k : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
    %mu_pieces = stablehlo.concatenate %mu_q_pieces, %mu_k_pieces, dim = 1 : (tensor<2x3x6xf32>, tensor<2x2x6xf32>) -> tensor<2x5x6xf32>
    %old_mu = stablehlo.reshape %mu_pieces : (tensor<2x5x6xf32>) -> tensor<10x6xf32>
    %new_mu = stablehlo.add %old_mu, %gradient : tensor<10x6xf32>
    %new_w = stablehlo.subtract %w, %new_mu : tensor<10x6xf32>
    %w_groups = stablehlo.reshape %new_w : (tensor<10x6xf32>) -> tensor<2x5x6xf32>
    %w_q = stablehlo.slice %w_groups [0:2, 0:3, 0:6] : (tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
    %w_k = stablehlo.slice %w_groups [0:2, 3:5, 0:6] : (tensor<2x5x6xf32>) -> tensor<2x2x6xf32>
    %w_q_rows = stablehlo.reshape %w_q : (tensor<2x3x6xf32>) -> tensor<6x6xf32>
    %w_k_rows = stablehlo.reshape %w_k : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
    %new_qk = stablehlo.concatenate %w_q_rows, %w_k_rows, dim = 0 : (tensor<6x6xf32>, tensor<4x6xf32>) -> tensor<10x6xf32>
    %mu_groups = stablehlo.reshape %new_mu : (tensor<10x6xf32>) -> tensor<2x5x6xf32>
    %m_q = stablehlo.slice %mu_groups [0:2, 0:3, 0:6] : (tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
    %m_k = stablehlo.slice %mu_groups [0:2, 3:5, 0:6] : (tensor<2x5x6xf32>) -> tensor<2x2x6xf32>
    %m_q_rows = stablehlo.reshape %m_q : (tensor<2x3x6xf32>) -> tensor<6x6xf32>
    %m_k_rows = stablehlo.reshape %m_k : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
    %back_mu = stablehlo.concatenate %m_q_rows, %m_k_rows, dim = 0 : (tensor<6x6xf32>, tensor<4x6xf32>) -> tensor<10x6xf32>
    return %new_qk, %back_mu, %loss : tensor<10x6xf32>, tensor<10x6xf32>, tensor<f32>
  }
}
