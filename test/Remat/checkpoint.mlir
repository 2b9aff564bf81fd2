// Straight code that recomputes a value behind a barrier of its own, as jax.checkpoint writes it. The loss and the
// gradient of the last weight are done before it: both pass the barrier, and are reduced over devices behind it. The
// gradient that is doubled on its way to its update passes as the product gives it. Both pass the next barrier as well, by
// which they are reduced. A barrier of gradients alone begins no cone, and stays.

// RUN: echo '{"tactics": [{"preset": "fsdp", "axis": "data"}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --stop-after=accumulate | FileCheck %s --check-prefix=FENCED
// RUN: partita plan %s --mesh data=2 --schedule %t.json --stop-after=lower | FileCheck %s
// RUN: partita verify %s --mesh data=2 --schedule %t.json --exact | FileCheck %s --check-prefix=EQUAL

// FENCED: %[[LOSS:.*]] = stablehlo.reduce(
// FENCED: %[[GRADIENT:.*]] = stablehlo.dot_general {{.*}} -> tensor<32x16xf32>
// FENCED-NOT: stablehlo.multiply
// FENCED: %[[DONE:.*]]:5 = stablehlo.optimization_barrier %arg0, %arg3, {{.*}}, %[[LOSS]], %[[GRADIENT]] :
// FENCED-NEXT: stablehlo.dot_general %[[DONE]]#1, %[[DONE]]#0
// FENCED: %[[SECOND:.*]] = stablehlo.dot_general {{.*}} -> tensor<32x32xf32>
// FENCED: %[[AGAIN:.*]]:5 = stablehlo.optimization_barrier %arg3, {{.*}}, %[[DONE]]#3, %[[DONE]]#4, %[[SECOND]] :
// FENCED-NEXT: stablehlo.multiply %[[AGAIN]]#3
// FENCED: stablehlo.optimization_barrier %{{[0-9]+}}, %[[AGAIN]]#4 : tensor<16x32xf32>, tensor<32x32xf32>
// FENCED: return {{.*}}, %[[AGAIN]]#2

// CHECK-NOT: reduce_scatter
// CHECK: %[[DONE:.*]]:5 = stablehlo.optimization_barrier
// CHECK: %[[LOSS:.*]] = "stablehlo.all_reduce"(%[[DONE]]#3)
// CHECK: %[[REDUCED:.*]] = "stablehlo.reduce_scatter"(%[[DONE]]#4)
// CHECK: stablehlo.tanh
// CHECK: stablehlo.optimization_barrier {{.*}}, %[[LOSS]], %[[REDUCED]], %{{[0-9]+}} :
// EQUAL: equal (ring)

func.func @main(%w1: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %w2: tensor<32x32xf32> {tf.aliasing_output = 1 : i32},
                %w3: tensor<32x16xf32> {tf.aliasing_output = 2 : i32}, %x: tensor<8x16xf32>)
    -> (tensor<16x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<8x32xf32>
  %two = stablehlo.constant dense<2.0> : tensor<32x16xf32>
  %a1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %h1 = stablehlo.tanh %a1 : tensor<8x32xf32>
  %h2 = stablehlo.dot_general %h1, %w2, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %y = stablehlo.dot_general %h2, %w3, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %square = stablehlo.multiply %y, %y : tensor<8x16xf32>
  %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %dy = stablehlo.add %y, %y : tensor<8x16xf32>
  %dw3 = stablehlo.dot_general %h2, %dy, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  %dw3x2 = stablehlo.multiply %dw3, %two : tensor<32x16xf32>
  %dh2 = stablehlo.dot_general %dy, %w3, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %cone:3 = stablehlo.optimization_barrier %w1, %x, %dh2 : tensor<16x32xf32>, tensor<8x16xf32>, tensor<8x32xf32>
  %again = stablehlo.dot_general %cone#1, %cone#0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %h1again = stablehlo.tanh %again : tensor<8x32xf32>
  %dw2 = stablehlo.dot_general %h1again, %cone#2, contracting_dims = [0] x [0] : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<32x32xf32>
  %dh1 = stablehlo.dot_general %cone#2, %w2, contracting_dims = [1] x [1] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %h1h1 = stablehlo.multiply %h1again, %h1again : tensor<8x32xf32>
  %slope = stablehlo.subtract %one, %h1h1 : tensor<8x32xf32>
  %da1 = stablehlo.multiply %dh1, %slope : tensor<8x32xf32>
  %next:2 = stablehlo.optimization_barrier %x, %da1 : tensor<8x16xf32>, tensor<8x32xf32>
  %dw1 = stablehlo.dot_general %next#0, %next#1, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %both:2 = stablehlo.optimization_barrier %dw1, %dw2 : tensor<16x32xf32>, tensor<32x32xf32>
  %new1 = stablehlo.subtract %w1, %both#0 : tensor<16x32xf32>
  %new2 = stablehlo.subtract %w2, %both#1 : tensor<32x32xf32>
  %new3 = stablehlo.subtract %w3, %dw3x2 : tensor<32x16xf32>
  return %new1, %new2, %new3, %loss : tensor<16x32xf32>, tensor<32x32xf32>, tensor<32x16xf32>, tensor<f32>
}
