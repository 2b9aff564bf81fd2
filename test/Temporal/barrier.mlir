// A mean over the tokens that are not padding: their number is needed before the first gradient. A short loop counts
// them, the second one does the work. The largest error needs no loop of its own.
// RUN: partita plan %s --accumulate 4 --stop-after=accumulate | FileCheck %s
// RUN: echo '{"tactics": [{"temporal": {"micro": 4}}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh data=1 | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %t.json --mesh data=1 | FileCheck %s --check-prefix=TEXT
// EQUAL: equal (ring+wide)
// TEXT: strategy: nothing is split; 4 microbatches
// TEXT-NEXT: program: microbatches: a loop of {{.*}} ops runs 4 times and adds up 3 values (24 B before it is split)
// TEXT-NEXT: before it, {{.*}} ops in 1 loop compute what microbatches need of the whole batch
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.return
// CHECK: stablehlo.divide
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.maximum
// CHECK: stablehlo.select
module @masked {
  func.func public @main(%w: tensor<4xf32> loc("params"), %x: tensor<8x4xf32> loc("batch.x"), %y: tensor<8xf32> loc("batch.y")) -> (tensor<4xf32> {jax.result_info = "params"}, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %pad = stablehlo.constant dense<0.0> : tensor<8xf32>
    %valid = stablehlo.compare NE, %y, %pad : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %mask = stablehlo.convert %valid : (tensor<8xi1>) -> tensor<8xf32>
    %count = stablehlo.reduce(%mask init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %share = stablehlo.divide %one, %count : tensor<f32>
    %shares = stablehlo.broadcast_in_dim %share, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %e = stablehlo.subtract %p, %y : tensor<8xf32>
    %worst = stablehlo.reduce(%e init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %m = stablehlo.multiply %e, %mask : tensor<8xf32>
    %d = stablehlo.multiply %m, %shares : tensor<8xf32>
    %g = stablehlo.dot_general %d, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %n = stablehlo.subtract %w, %g : tensor<4xf32>
    return %n, %worst : tensor<4xf32>, tensor<f32>
  }
}
