// Queries, keys and values side by side, on 2 devices: a step that moves the weight by a multiple of its gradient.
// RUN: echo '{"tactics": [{"reorder": [["params/w", 1, 2]], "store": true}, {"axis": "m", "tile": [["params/w", 1]]}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh m=2 --stop-after=accumulate | FileCheck %s
// RUN: partita plan %s --schedule %t.json --mesh m=2 -o %t.out | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.out/plan.json
// RUN: FileCheck %s --check-prefix=LOCAL --input-file %t.out/local.mlir
// RUN: partita verify %s --schedule %t.json --mesh m=2 --exact | FileCheck %s --check-prefix=EXACT
// RUN: partita verify %s --plan %t.out/plan.json | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --local %t.out/local.mlir --exact | FileCheck %s --check-prefix=EXACT
// RUN: echo '{"tactics": [{"reorder": [["params/w", 1, 2]]}, {"axis": "m", "tile": [["params/w", 1]]}]}' > %t.border.json
// RUN: partita verify %s --schedule %t.border.json --mesh m=2 --exact | FileCheck %s --check-prefix=EXACT
// RUN: echo '{"tactics": [{"reorder": [["params/w", 0, 2]]}]}' > %t.wrong.json
// RUN: not partita plan %s --schedule %t.wrong.json --mesh m=2 2>&1 | FileCheck %s --check-prefix=REFUSED
// EXACT: equal (ring)
// EQUAL: equal (ring+wide)
// TEXT: fused weights stored in another order
// PLAN: "type":"tensor<4x2x6xf32>","order":[1,4,4,4]
// REFUSED: error: dim 0 of 'params['w']' has no parts side by side that 2 devices can share
// LOCAL-NOT: collective_permute
// LOCAL-NOT: all_gather
// The weight is stored as two groups of six columns; parts are slices of two of these, and their gradients are padded.
// CHECK: tensor<4x2x6xf32> {partita.order = array<i64: 1, 4, 4, 4>}
// CHECK: stablehlo.slice %{{.*}} [0:3, 0:2, 2:4] : (tensor<3x2x6xf32>) -> tensor<3x2x2xf32>
// CHECK: stablehlo.pad %{{.*}} low = [0, 0, 2], high = [0, 0, 2], interior = [0, 0, 0]
// CHECK: stablehlo.reshape {{.*}} -> tensor<4x2x6xf32>
module @step {
  func.func public @main(%w: tensor<4x12xf32> loc("params['w']"), %x: tensor<3x4xf32> loc("x")) -> (tensor<4x12xf32> {jax.result_info = "params['w']"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x12xf32>) -> tensor<3x12xf32>
    %q = stablehlo.slice %y [0:3, 0:4] : (tensor<3x12xf32>) -> tensor<3x4xf32>
    %k = stablehlo.slice %y [0:3, 4:8] : (tensor<3x12xf32>) -> tensor<3x4xf32>
    %v = stablehlo.slice %y [0:3, 8:12] : (tensor<3x12xf32>) -> tensor<3x4xf32>
    %kv = stablehlo.multiply %k, %v : tensor<3x4xf32>
    %qv = stablehlo.multiply %q, %v : tensor<3x4xf32>
    %qk = stablehlo.multiply %q, %k : tensor<3x4xf32>
    %dq = stablehlo.pad %kv, %zero, low = [0, 0], high = [0, 8], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x12xf32>
    %dk = stablehlo.pad %qv, %zero, low = [0, 4], high = [0, 4], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x12xf32>
    %dv = stablehlo.pad %qk, %zero, low = [0, 8], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x12xf32>
    %d0 = stablehlo.add %dq, %dk : tensor<3x12xf32>
    %d = stablehlo.add %d0, %dv : tensor<3x12xf32>
    %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x12xf32>) -> tensor<4x12xf32>
    %next = stablehlo.subtract %w, %g : tensor<4x12xf32>
    return %next : tensor<4x12xf32>
  }
}
