// Straight code: a training step of three products, of which the first hidden value is recomputed. Before that, the
// loss and the gradient of the last weight are done: both pass the barrier, and are reduced over devices behind it.

// RUN: echo '{"tactics": [{"preset": "fsdp", "axis": "data"}]}' > %t.json
// RUN: partita plan %s --mesh data=2 --schedule %t.json --recompute hidden --stop-after=lower | FileCheck %s
// RUN: partita verify %s --mesh data=2 --schedule %t.json --recompute hidden --exact | FileCheck %s --check-prefix=EQUAL

// CHECK: %[[LOSS:.*]] = stablehlo.reduce(
// CHECK-NOT: reduce_scatter
// CHECK: %[[GRADIENT:.*]] = stablehlo.dot_general {{.*}} -> tensor<32x16xf32>
// CHECK-NOT: reduce_scatter
// CHECK: %[[DONE:.*]]:[[COUNT:.*]] = stablehlo.optimization_barrier {{.*}}%[[LOSS]], %[[GRADIENT]] :
// CHECK: "stablehlo.all_reduce"(%[[DONE]]#
// CHECK: "stablehlo.reduce_scatter"(%[[DONE]]#
// CHECK: stablehlo.tanh
// EQUAL: equal (ring)

func.func @main(%w1: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %w2: tensor<32x32xf32> {tf.aliasing_output = 1 : i32},
                %w3: tensor<32x16xf32> {tf.aliasing_output = 2 : i32}, %x: tensor<8x16xf32>)
    -> (tensor<16x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x32xf32>
  %a1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %h1 = stablehlo.tanh %a1 : tensor<8x32xf32> loc("hidden")
  %h2 = stablehlo.dot_general %h1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %y = stablehlo.dot_general %h2, %w3, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %square = stablehlo.multiply %y, %y : tensor<8x16xf32>
  %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %dy = stablehlo.add %y, %y : tensor<8x16xf32>
  %dh2 = stablehlo.dot_general %dy, %w3, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %dw3 = stablehlo.dot_general %h2, %dy, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  %dw2 = stablehlo.dot_general %h1, %dh2, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<32x32xf32>
  %dh1 = stablehlo.dot_general %dh2, %w2, contracting_dims = [1] x [1] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %h1h1 = stablehlo.multiply %h1, %h1 : tensor<8x32xf32>
  %slope = stablehlo.subtract %one, %h1h1 : tensor<8x32xf32>
  %da1 = stablehlo.multiply %dh1, %slope : tensor<8x32xf32>
  %dw1 = stablehlo.dot_general %x, %da1, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %new1 = stablehlo.subtract %w1, %dw1 : tensor<16x32xf32>
  %new2 = stablehlo.subtract %w2, %dw2 : tensor<32x32xf32>
  %new3 = stablehlo.subtract %w3, %dw3 : tensor<32x16xf32>
  return %new1, %new2, %new3, %loss : tensor<16x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<f32>
}
