// Two layers as JAX lowers them: the inner jit is a call, and a value is computed that nothing uses.
module @jit_mlp {
  func.func public @main(%arg0: tensor<32x64xf32> loc("x"), %arg1: tensor<64x256xf32> loc("params['w1']"), %arg2: tensor<256x64xf32> loc("params['w2']")) -> (tensor<32x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %1 = call @relu(%0) : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %2 = stablehlo.tanh %0 : tensor<32x256xf32>
    %3 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
    return %3 : tensor<32x64xf32>
  }
  func.func private @relu(%arg0: tensor<32x256xf32>) -> tensor<32x256xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x256xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x256xf32>
    return %1 : tensor<32x256xf32>
  }
}
