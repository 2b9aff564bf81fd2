// What the analysis finds, of a program and of its flat form, for people and as JSON.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=analyze | FileCheck %s
// RUN: partita plan %s --stop-after=flatten -o %t.json
// RUN: partita analyze %t.json | FileCheck %s
// RUN: partita analyze %t.json --json | FileCheck %s --check-prefix=JSON

// CHECK: ops: 4, folded to 4
// CHECK: input 1 x f32[32,64] x
// CHECK: parameter 1 x f32[64,256] w1
// CHECK: parameter 1 x f32[256,64] w2
// CHECK: hidden 256
// CHECK-NEXT: dim 1 of w1
// CHECK-NEXT: dim 0 of w2
// CHECK: batch 32
// CHECK-NEXT: dim 0 of x

// JSON: "partita_analysis": 1
// JSON: "folded_ops": 4
// JSON: "kind": "parameter"
// JSON-NEXT: "pattern": "w1"
// JSON: "word": "hidden"
module @mlp {
  func.func public @main(%arg0: tensor<32x64xf32> loc("x"), %arg1: tensor<64x256xf32> loc("w1"), %arg2: tensor<256x64xf32> loc("w2")) -> tensor<32x64xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %1 = stablehlo.tanh %0 : tensor<32x256xf32>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
    return %2 : tensor<32x64xf32>
  }
}
