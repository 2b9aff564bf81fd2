// Constants are named %c if they are integers and %cst otherwise.
// RUN: partita-opt %s | FileCheck %s

// CHECK: %c = stablehlo.constant dense<1> : tensor<i32>
// CHECK: %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
func.func @main() -> (tensor<i32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  return %0, %1 : tensor<i32>, tensor<f32>
}
