// Loops over mesh axes: text, nesting, generic form.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s

// CHECK-LABEL: func.func @nest
// GENERIC-LABEL: sym_name = "nest"
func.func @nest(%x: tensor<256x8xf32>, %w: tensor<8x16xf32>) -> tensor<256x16xf32> {
  // CHECK: %[[OUTER:.*]] = part.loop "B" size 4 [tile<0>] (%[[B:.*]]) {
  // CHECK-NEXT: %[[ROWS:.*]] = part.slice %arg0 dim 0 at %[[B]] : tensor<256x8xf32> -> tensor<64x8xf32>
  // CHECK-NEXT: %[[INNER:.*]] = part.loop "M" size 2 [sum] (%[[M:.*]]) {
  // CHECK-NEXT: part.slice %[[ROWS]] dim 1 at %[[M]] : tensor<64x8xf32> -> tensor<64x4xf32>
  // CHECK-NEXT: part.slice %arg1 dim 0 at %[[M]] : tensor<8x16xf32> -> tensor<4x16xf32>
  // CHECK-NEXT: stablehlo.dot_general
  // CHECK-NEXT: part.yield %{{.*}} : tensor<64x16xf32>
  // CHECK-NEXT: } : tensor<64x16xf32>
  // CHECK-NEXT: part.yield %[[INNER]] : tensor<64x16xf32>
  // CHECK-NEXT: } : tensor<256x16xf32>
  // GENERIC: "part.loop"() <{actions = [#part.tile<0>], axis = #sdy<axis_ref"B">, size = 4 : i64}> ({
  // GENERIC-NEXT: ^bb0(%{{.*}}: tensor<i64>):
  // GENERIC-NEXT: "part.slice"(%{{.*}}, %{{.*}}) <{dim = 0 : i64}> : (tensor<256x8xf32>, tensor<i64>) -> tensor<64x8xf32>
  // GENERIC: actions = [#part.sum]
  %0 = part.loop "B" size 4 [tile<0>] (%b) {
    %1 = part.slice %x dim 0 at %b : tensor<256x8xf32> -> tensor<64x8xf32>
    %2 = part.loop "M" size 2 [sum] (%m) {
      %3 = part.slice %1 dim 1 at %m : tensor<64x8xf32> -> tensor<64x4xf32>
      %4 = part.slice %w dim 0 at %m : tensor<8x16xf32> -> tensor<4x16xf32>
      %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<64x4xf32>, tensor<4x16xf32>) -> tensor<64x16xf32>
      part.yield %5 : tensor<64x16xf32>
    } : tensor<64x16xf32>
    part.yield %2 : tensor<64x16xf32>
  } : tensor<256x16xf32>
  return %0 : tensor<256x16xf32>
}

// Parts of one axis are axes; a dim of none is cut into pieces of none.
// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<8x0xi1>) -> (tensor<8x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>) {
  // CHECK: part.loop "model":(1)4 size 4 [tile<0>, sum<or>, any] (%{{.*}}) {
  // CHECK: part.loop "model":(4)2 size 2 [tile<1>, sum<or>, any] (%{{.*}}) {
  // CHECK: } : tensor<2x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
  // GENERIC: actions = [#part.tile<0>, #part.sum<or>, #part.any], axis = #sdy<axis_ref"model":(1)4>
  %0:3 = part.loop "model":(1)4 size 4 [tile<0>, sum<or>, any] (%p) {
    %1:3 = part.loop "model":(4)2 size 2 [tile<1>, sum<or>, any] (%q) {
      %2 = part.slice %x dim 0 at %p : tensor<8x0xi1> -> tensor<2x0xi1>
      %3 = part.slice %2 dim 1 at %q : tensor<2x0xi1> -> tensor<2x0xi1>
      part.yield %3, %x, %x : tensor<2x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
    } : tensor<2x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
    part.yield %1#0, %1#1, %1#2 : tensor<2x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
  } : tensor<8x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
  return %0#0, %0#1, %0#2 : tensor<8x0xi1>, tensor<8x0xi1>, tensor<8x0xi1>
}

// CHECK-LABEL: func.func @empty
func.func @empty() {
  // CHECK: part.loop "B" size 1 [] (%{{.*}}) {
  // CHECK-NEXT: part.yield
  // CHECK-NEXT: }
  part.loop "B" size 1 [] (%b) {
    part.yield
  }
  return
}

// Default spelled out; attributes of the loop; the position is a number.
// CHECK-LABEL: func.func @position
func.func @position() -> tensor<i64> {
  // CHECK: part.loop "B" size 3 [sum] (%[[B:.*]]) {
  // CHECK-NEXT: stablehlo.multiply %[[B]], %[[B]] : tensor<i64>
  // CHECK: } {note = "squares"} : tensor<i64>
  %0 = part.loop "B" size 3 [sum<add>] (%b) {
    %1 = stablehlo.multiply %b, %b : tensor<i64>
    part.yield %1 : tensor<i64>
  } {note = "squares"} : tensor<i64>
  return %0 : tensor<i64>
}
