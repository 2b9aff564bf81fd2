// A scan of two layers, y = tanh(x w), and its gradient. The stack of tanh is recomputed: the backward loop computes it
// from the inputs of the layers, which get a stack of their own.

// RUN: partita plan %s --recompute 'layer/tanh' --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --recompute '.*' --exact --mesh x=1 | FileCheck %s --check-prefix=EQUAL
// RUN: not partita plan %s --recompute 'layer/tan' --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: partita analyze %s | FileCheck %s --check-prefix=LIST

// And back again: what the backward loop computes a second time is kept.
// RUN: partita plan %s --recompute '.*' --stop-after=accumulate --locations -o %t.mlir
// RUN: partita analyze %t.mlir | FileCheck %s --check-prefix=LISTED
// RUN: partita plan %t.mlir --keep 'layer/.*' --stop-after=accumulate | FileCheck %s --check-prefix=KEPT
// RUN: partita verify %t.mlir --keep '.*' --exact --mesh x=1 | FileCheck %s --check-prefix=EQUAL

// LISTED: recomputed {{ *}}2 x {{ *}}64 B {{ *}}288 flops{{ *}}layer/tanh
// KEPT-COUNT-2: stablehlo.dot_general
// KEPT-NOT: stablehlo.dot_general

// EQUAL: equal (ring)

// WRONG: error: the pattern 'layer/tan' matches no value that the backward pass needs
// WRONG-NEXT: remedy: did you mean 'layer/tanh'?

// LIST: values of the forward pass that the backward pass needs:
// LIST-NEXT: kept {{ *}}2 x {{ *}}64 B {{ *}}288 flops{{ *}}layer/tanh

// The forward loop stacks its input instead of its result.
// CHECK: stablehlo.while
// CHECK: %[[Y:.*]] = stablehlo.tanh
// CHECK: %[[X:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
// CHECK: stablehlo.dynamic_update_slice %{{.*}}, %[[X]]
// CHECK: stablehlo.return

// The backward loop reads it, and computes behind a barrier.
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice {{.*}} sizes = [1, 4, 4]
// CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %[[B]]#0
// CHECK: %[[AGAIN:.*]] = stablehlo.tanh %[[DOT]]
// CHECK: stablehlo.multiply %[[AGAIN]], %[[AGAIN]]

func.func @main(%w: tensor<2x4x4xf32>, %x: tensor<4x4xf32>) -> (tensor<2x4x4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x4x4xf32>
  %f:4 = stablehlo.while(%i = %zero, %h = %x, %ws = %w, %ys = %zeros) : tensor<i32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %less = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.dynamic_slice %ws, %i, %c0, %c0, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %wi = stablehlo.reshape %s : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %d = stablehlo.dot_general %h, %wi, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("jit(step)/jvp(layer)/dot_general")
    %y = stablehlo.tanh %d : tensor<4x4xf32> loc("jit(step)/jvp(layer)/tanh")
    %y1 = stablehlo.reshape %y : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %u = stablehlo.dynamic_update_slice %ys, %y1, %i, %c0, %c0 : (tensor<2x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %y, %ws, %u : tensor<i32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
  %b:5 = stablehlo.while(%i = %zero, %g = %f#1, %ws = %w, %ys = %f#3, %gs = %zeros) : tensor<i32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %less = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %k = stablehlo.subtract %c1, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %ws, %k, %c0, %c0, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %wi = stablehlo.reshape %s : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %t = stablehlo.dynamic_slice %ys, %k, %c0, %c0, sizes = [1, 4, 4] : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %y = stablehlo.reshape %t : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %y2 = stablehlo.multiply %y, %y : tensor<4x4xf32>
    %gd = stablehlo.multiply %g, %y2 : tensor<4x4xf32>
    %gx = stablehlo.dot_general %gd, %wi, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %g1 = stablehlo.reshape %gd : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %u = stablehlo.dynamic_update_slice %gs, %g1, %k, %c0, %c0 : (tensor<2x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %gx, %ws, %ys, %u : tensor<i32>, tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
  return %b#4, %b#1 : tensor<2x4x4xf32>, tensor<4x4xf32>
}
