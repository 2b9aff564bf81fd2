// One step of a linear model: the microbatch is every second row, gradients are added up, the update runs behind the
// loop, and predictions are collected row by row.
// RUN: partita plan %s --accumulate 2 --stop-after=accumulate | FileCheck %s
// RUN: echo '{"tactics": [{"temporal": {"micro": 2}, "tile": [["batch.*", 0]]}, {"axis": "data", "tile": [["batch/.*", 0]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh data=2 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal (ring+wide)
// CHECK: %[[VIEW:.*]] = stablehlo.reshape %arg1 : (tensor<8x4xf32>) -> tensor<4x2x4xf32>
// CHECK: stablehlo.while(%[[M:.*]] = {{.*}}, %[[ROWS:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}) : tensor<i64>, tensor<4x2xf32>, tensor<4xf32>
// CHECK: dense<2> : tensor<i64>
// CHECK: stablehlo.dynamic_slice %[[VIEW]], %{{.*}}, %[[M]], %{{.*}}, sizes = [4, 1, 4]
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.dynamic_update_slice %[[ROWS]]
// CHECK: stablehlo.add %[[SUM]]
// CHECK: stablehlo.return
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.subtract %arg0
module @step {
  func.func public @main(%w: tensor<4xf32> loc("params"), %x: tensor<8x4xf32> loc("batch.x"), %y: tensor<8xf32> loc("batch.y")) -> (tensor<4xf32> {jax.result_info = "params"}, tensor<8xf32>) {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %e = stablehlo.subtract %p, %y : tensor<8xf32>
    %g = stablehlo.dot_general %e, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %rate = stablehlo.constant dense<0.01> : tensor<4xf32>
    %s = stablehlo.multiply %rate, %g : tensor<4xf32>
    %n = stablehlo.subtract %w, %s : tensor<4xf32>
    return %n, %p : tensor<4xf32>, tensor<8xf32>
  }
}
