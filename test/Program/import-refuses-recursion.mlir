// A function that calls itself cannot be inlined.
// RUN: not partita-opt --partita-import %s 2>&1 | FileCheck %s

// CHECK: import-refuses-recursion.mlir:{{[0-9]+}}:{{[0-9]+}}: error: functions call themselves: @again -> @again
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
