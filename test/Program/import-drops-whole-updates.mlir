// An update as large as what it updates is its update: its start indices are clamped to 0.
// RUN: partita-opt --partita-import --split-input-file %s | FileCheck %s

// CHECK-LABEL: @main(%arg0: tensor<4x8xf32>
// CHECK-NOT: dynamic_update_slice
// CHECK: stablehlo.exponential %arg0
func.func public @main(%x: tensor<4x8xf32>, %i: tensor<i32>) -> tensor<4x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %0 = stablehlo.dynamic_update_slice %z, %x, %i, %i : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %1 = stablehlo.exponential %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A part of it stays an update.
// CHECK-LABEL: @main(%arg0: tensor<4x8xf32>
// CHECK: stablehlo.dynamic_update_slice %arg0, %arg1
func.func public @main(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>, %i: tensor<i32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<4x8xf32>, tensor<4x7xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
