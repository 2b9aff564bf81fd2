// A value that a loop uses whole is gathered in each iteration: bound to the counter, so that nobody hoists the gather
// and keeps the whole alive.
// RUN: partita-opt --partita-test-partition="mesh=data=2 tiles=arg0:0:data,arg1:0:data" --mlir-print-debuginfo %s | FileCheck %s

// CHECK-LABEL: sdy.manual_computation
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NEXT: %[[HELD:.*]]:2 = stablehlo.optimization_barrier %[[W:.*]], %[[I:.*]] : tensor<4x8xf32>, tensor<i32>
// CHECK-NEXT: %[[WHOLE:.*]] = "stablehlo.all_gather"(%[[HELD]]#0)
// CHECK-SAME: (tensor<4x8xf32>) -> tensor<8x8xf32> loc(#[[LOC:.*]])
// CHECK-NEXT: stablehlo.dot_general %{{.*}}, %[[WHOLE]]
// CHECK: #[[LOC]] = loc("partita/use"(
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %weight = %w) : tensor<i32>, tensor<4x8xf32>, tensor<8x8xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %h, %weight, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %1, %weight : tensor<i32>, tensor<4x8xf32>, tensor<8x8xf32>
    }
  return %0#1 : tensor<4x8xf32>
}
