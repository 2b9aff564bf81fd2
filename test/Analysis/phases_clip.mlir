// The norm that clips a gradient, its squares and what it scales belong to the update, though none of it reads optimizer
// state; so the reduction of the gradient is late, and runs beside the rest of the backward pass.

// RUN: partita plan %s --stop-after=flatten | FileCheck %s

// CHECK: "kind":"stablehlo.dot_general"{{.*}}"phase":"forward"
// CHECK: "kind":"stablehlo.add"{{.*}}"phase":"backward"
// CHECK: "kind":"stablehlo.dot_general"{{.*}}"phase":"backward"
// CHECK: "kind":"stablehlo.multiply"{{.*}}"phase":"update"
// CHECK: "kind":"stablehlo.reduce"{{.*}}"phase":"update"
// CHECK: "kind":"stablehlo.rsqrt"{{.*}}"phase":"update"
// CHECK: "kind":"stablehlo.multiply"{{.*}}"phase":"update"
module @step {
  func.func public @main(%w: tensor<4x6xf32> loc("state.w"), %mu: tensor<4x6xf32> loc("state.mu"), %x: tensor<8x4xf32> loc("x")) -> (tensor<4x6xf32> {jax.result_info = "result[0].w"}, tensor<4x6xf32> {jax.result_info = "result[0].mu"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %dy = stablehlo.add %y, %y : tensor<8x6xf32>
    %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %dw2 = stablehlo.multiply %dw, %dw : tensor<4x6xf32>
    %norm2 = stablehlo.reduce(%dw2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %scale = stablehlo.rsqrt %norm2 : tensor<f32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %clipped = stablehlo.multiply %dw, %scales : tensor<4x6xf32>
    %new_mu = stablehlo.add %mu, %clipped : tensor<4x6xf32>
    %new_w = stablehlo.subtract %w, %new_mu : tensor<4x6xf32>
    return %new_w, %new_mu, %loss : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>
  }
}
