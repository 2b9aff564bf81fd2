// Rolls and borders that slices make are shifts of a whole dim: pads that cut off as many rows as they add.
// RUN: partita-opt --partita-import --split-input-file %s | FileCheck %s

// As JAX writes a roll by one.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>
// CHECK-NOT: stablehlo.slice
// CHECK: %[[FIRST:.*]] = stablehlo.pad %arg0, {{.*}}, low = [-15, 0], high = [15, 0]
// CHECK: %[[REST:.*]] = stablehlo.pad %arg0, {{.*}}, low = [1, 0], high = [-1, 0]
// CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 0
// CHECK: %[[BEFORE:.*]] = stablehlo.compare LT, %[[IOTA]]
// CHECK: stablehlo.select %[[BEFORE]], %[[FIRST]], %[[REST]]
// CHECK-NOT: stablehlo.concatenate
func.func public @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a = stablehlo.slice %x [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %b = stablehlo.slice %x [0:15, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Its gradient.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>
// CHECK-NOT: stablehlo.slice
// CHECK-DAG: stablehlo.pad %arg0, {{.*}}, low = [-1, 0], high = [1, 0]
// CHECK-DAG: stablehlo.pad %arg0, {{.*}}, low = [15, 0], high = [-15, 0]
// CHECK: stablehlo.add
func.func public @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.slice %x [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %b = stablehlo.slice %x [1:16, 0:8] : (tensor<16x8xf32>) -> tensor<15x8xf32>
  %p = stablehlo.pad %b, %z, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<15x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %q = stablehlo.pad %a, %z, low = [15, 0], high = [0, 0], interior = [0, 0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %0 = stablehlo.add %p, %q : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// A mirrored border, and one of a row of its own; what is in its place already is not moved.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>, %arg1: tensor<1x8xf32>
// CHECK-NOT: stablehlo.slice
// CHECK: %[[MIRRORED:.*]] = stablehlo.pad %arg0, {{.*}}, low = [-1, 0], high = [1, 0]
// CHECK: %[[PLACED:.*]] = stablehlo.select %{{.*}}, %[[MIRRORED]], %arg0
// CHECK: %[[ROW:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 1]
// CHECK: stablehlo.select %{{.*}}, %[[PLACED]], %[[ROW]]
func.func public @main(%x: tensor<16x8xf32>, %row: tensor<1x8xf32>) -> tensor<16x8xf32> {
  %a = stablehlo.slice %x [1:2, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %b = stablehlo.slice %x [1:15, 0:8] : (tensor<16x8xf32>) -> tensor<14x8xf32>
  %0 = stablehlo.concatenate %a, %b, %row, dim = 0 : (tensor<1x8xf32>, tensor<14x8xf32>, tensor<1x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Rows that the slice cuts off do not come back where the pad adds rows at the same end.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>, %arg1: tensor<f32>
// CHECK-NOT: stablehlo.slice
// CHECK: %[[FILL:.*]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK: %[[MOVED:.*]] = stablehlo.pad %arg0, {{.*}}, low = [1, 0], high = [-1, 0]
// CHECK: stablehlo.select %{{.*}}, %[[FILL]], %[[MOVED]]
func.func public @main(%x: tensor<16x8xf32>, %z: tensor<f32>) -> tensor<16x8xf32> {
  %a = stablehlo.slice %x [2:15, 0:8] : (tensor<16x8xf32>) -> tensor<13x8xf32>
  %0 = stablehlo.pad %a, %z, low = [3, 0], high = [0, 0], interior = [0, 0] : (tensor<13x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Halves that change places, values of another length, rows with a stride and several small slices stay.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>, %arg1: tensor<20x8xf32>
// CHECK-COUNT-4: stablehlo.concatenate
// CHECK-NOT: stablehlo.pad
func.func public @main(%x: tensor<16x8xf32>, %y: tensor<20x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %a = stablehlo.slice %x [8:16, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.slice %x [0:8, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %c = stablehlo.slice %y [0:1, 0:8] : (tensor<20x8xf32>) -> tensor<1x8xf32>
  %d = stablehlo.slice %y [0:15, 0:8] : (tensor<20x8xf32>) -> tensor<15x8xf32>
  %1 = stablehlo.concatenate %c, %d, dim = 0 : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
  %e = stablehlo.slice %x [0:16:2, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %f = stablehlo.slice %x [1:9, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.concatenate %e, %f, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %g = stablehlo.slice %x [0:5, 0:8] : (tensor<16x8xf32>) -> tensor<5x8xf32>
  %h = stablehlo.slice %x [3:8, 0:8] : (tensor<16x8xf32>) -> tensor<5x8xf32>
  %i = stablehlo.slice %x [9:15, 0:8] : (tensor<16x8xf32>) -> tensor<6x8xf32>
  %3 = stablehlo.concatenate %g, %h, %i, dim = 0 : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<6x8xf32>) -> tensor<16x8xf32>
  return %0, %1, %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// What reads a border that jnp.pad wrote, as many rows as there were: periodic, mirrored and repeated.
// CHECK-LABEL: @main(%arg0: tensor<16x8xf32>
// CHECK-NOT: {{stablehlo.(slice|concatenate)}}
// CHECK: stablehlo.pad %arg0, {{.*}}, low = [-15, 0], high = [15, 0]
// CHECK: stablehlo.pad %arg0, {{.*}}, low = [1, 0], high = [-1, 0]
// CHECK: stablehlo.select
// CHECK: stablehlo.pad %arg0, {{.*}}, low = [-1, 0], high = [1, 0]
// CHECK: stablehlo.pad %arg0, {{.*}}, low = [1, 0], high = [-1, 0]
// CHECK: stablehlo.select
func.func public @main(%x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %a = stablehlo.slice %x [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %b = stablehlo.slice %x [0:1, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %p = stablehlo.concatenate %a, %x, %b, dim = 0 : (tensor<1x8xf32>, tensor<16x8xf32>, tensor<1x8xf32>) -> tensor<18x8xf32>
  %0 = stablehlo.slice %p [0:16, 0:8] : (tensor<18x8xf32>) -> tensor<16x8xf32>
  %c = stablehlo.slice %x [1:2, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %d = stablehlo.reverse %c, dims = [0] : tensor<1x8xf32>
  %q = stablehlo.concatenate %d, %x, dim = 0 : (tensor<1x8xf32>, tensor<16x8xf32>) -> tensor<17x8xf32>
  %1 = stablehlo.slice %q [0:16, 0:8] : (tensor<17x8xf32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
