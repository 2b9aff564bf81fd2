// What arguments and results are called, and which arguments are donated, survives import.
// RUN: partita-opt --partita-import --mlir-print-debuginfo %s | FileCheck %s

// CHECK: @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32} loc("state.params['w']")) -> (tensor<4xf32> {jax.result_info = "result[0]"})
func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32} loc("state.params['w']")) -> (tensor<4xf32> {jax.result_info = "result[0]"}) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
