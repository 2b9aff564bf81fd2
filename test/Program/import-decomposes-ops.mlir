// Ops that XLA cannot compile in partitioned programs become StableHLO; what else they were given stays.
// RUN: partita-opt --partita-import --split-input-file %s | FileCheck %s

// CHECK-LABEL: @main(%arg0: tensor<4xi32>
// CHECK: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<4xi32>) -> tensor<4xi64>
// CHECK: %[[B:.*]] = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xi64>
// CHECK: %[[P:.*]] = stablehlo.multiply %[[A]], %[[B]] : tensor<4xi64>
// CHECK: %[[N:.*]] = stablehlo.constant dense<32> : tensor<4xi64>
// CHECK: %[[S:.*]] = stablehlo.shift_right_arithmetic %[[P]], %[[N]] : tensor<4xi64>
// CHECK: stablehlo.convert %[[S]] {some.name = 1 : i64} : (tensor<4xi64>) -> tensor<4xi32>
// CHECK-NOT: chlo
func.func public @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = chlo.mulhi %a, %b {some.name = 1 : i64} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: @main(%arg0: tensor<4xui4>
// CHECK: stablehlo.multiply {{.*}} : tensor<4xui8>
// CHECK: stablehlo.constant dense<4> : tensor<4xui8>
// CHECK: stablehlo.shift_right_logical
func.func public @main(%a: tensor<4xui4>) -> tensor<4xui4> {
  %0 = chlo.mulhi %a, %a : tensor<4xui4>, tensor<4xui4> -> tensor<4xui4>
  return %0 : tensor<4xui4>
}

// -----

// CHECK-LABEL: @main(%arg0: tensor<4xi64>
// CHECK-COUNT-4: stablehlo.multiply {{.*}} : tensor<4xi64>
// CHECK-NOT: chlo
func.func public @main(%a: tensor<4xi64>) -> tensor<4xi64> {
  %0 = chlo.mulhi %a, %a : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

// Dims that are not the last ones; those that are stay as they are.
// CHECK-LABEL: @main(%arg0: tensor<4x2xf32>
// CHECK: %[[C:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK: chlo.broadcast_add %arg0, %[[C]] : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
// CHECK: chlo.broadcast_add %arg0, %arg2 {broadcast_dimensions = array<i64: 1>}
func.func public @main(%a: tensor<4x2xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  %1 = chlo.broadcast_add %a, %c {broadcast_dimensions = array<i64: 1>} : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}
