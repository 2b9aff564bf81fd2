// A large window that is written at a known place is padded to the length of the whole, and selected.
// RUN: partita-opt --partita-import --split-input-file %s | FileCheck %s

// As JAX writes u.at[1:-1, 2:].set(v).
// CHECK-LABEL: @main(%arg0: tensor<16x24xf32>, %arg1: tensor<14x22xf32>
// CHECK-NOT: stablehlo.scatter
// CHECK-DAG: stablehlo.compare GE, %[[ROWS:.*]], %{{.*}}, SIGNED : (tensor<16x24xi64>
// CHECK-DAG: %[[ROWS]] = stablehlo.iota dim = 0
// CHECK: %[[PLACED:.*]] = stablehlo.pad %arg1, {{.*}}, low = [1, 2], high = [1, 0]
// CHECK: stablehlo.select %{{.*}}, %[[PLACED]], %arg0
func.func public @main(%u: tensor<16x24xf32>, %v: tensor<14x22xf32>) -> tensor<16x24xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %a = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = "stablehlo.scatter"(%u, %i, %v) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<16x24xf32>, tensor<2xi32>, tensor<14x22xf32>) -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}

// -----

// What is added is selected, too: elsewhere -0 stays -0.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>, %arg1: tensor<13x8xf32>
// CHECK: %[[PLACED:.*]] = stablehlo.pad %arg1, {{.*}}, low = [2, 0], high = [1, 0]
// CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %[[PLACED]]
// CHECK: stablehlo.select %{{.*}}, %[[SUM]], %arg0
// CHECK: stablehlo.slice %arg0 [2:15, 0:8]
func.func public @main(%u: tensor<16x8xf32>, %v: tensor<13x8xf32>) -> (tensor<16x8xf32>, tensor<13x8xf32>) {
  %i = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%u, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<13x8xf32>) -> tensor<16x8xf32>
  %1 = "stablehlo.gather"(%u, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 13, 8>}> : (tensor<16x8xf32>, tensor<1xi32>) -> tensor<13x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<13x8xf32>
}

// -----

// Single rows, halves, windows that reach beyond the end and other bodies stay.
// CHECK-LABEL: @main
// CHECK-COUNT-4: stablehlo.scatter
// CHECK-NOT: stablehlo.select
func.func public @main(%u: tensor<16x8xf32>, %r: tensor<1x8xf32>, %h: tensor<8x8xf32>, %v: tensor<13x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %i = stablehlo.constant dense<2> : tensor<1xi32>
  %j = stablehlo.constant dense<8> : tensor<1xi32>
  %k = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%u, %i, %r) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<1x8xf32>) -> tensor<16x8xf32>
  %1 = "stablehlo.scatter"(%u, %j, %h) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = "stablehlo.scatter"(%u, %k, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<13x8xf32>) -> tensor<16x8xf32>
  %3 = "stablehlo.scatter"(%u, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<13x8xf32>) -> tensor<16x8xf32>
  return %0, %1, %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}
