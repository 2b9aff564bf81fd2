// Names are swapped or missing, and the gradient contains the parameter's own elements (a penalty): both moments depend
// on the parameter, too, but their own old values are nearer. The weight that is multiplied is a cast of the one that is
// updated: nothing is computed from its old value. No loss is returned.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=flatten | FileCheck %s --check-prefix=PHASES

// CHECK-DAG: parameter 1 x bf16[4,6] arg0
// CHECK-DAG: optimizer_state 1 x f32[4,6] arg1
// CHECK-DAG: optimizer_state 1 x f32[4,6] arg2
// CHECK-DAG: optimizer_state 1 x f32[4,6] arg3
// CHECK-DAG: input 1 x bf16[8,4] arg4

// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"forward"
// PHASES: "kind":"stablehlo.dot_general"{{.*}}"phase":"backward"
// PHASES: "ties": [
// PHASES-NEXT: [0,18],
// PHASES-NEXT: [1,20],
// PHASES-NEXT: [2,19],
// PHASES-NEXT: [3,17]],
module @step {
  func.func public @main(%p: tensor<4x6xbf16>, %w: tensor<4x6xf32>, %mu: tensor<4x6xf32>, %nu: tensor<4x6xf32>, %x: tensor<8x4xbf16>) -> (tensor<4x6xf32>, tensor<4x6xbf16>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xbf16>
    %dy = stablehlo.add %y, %y : tensor<8x6xbf16>
    %dp = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x4xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
    %dw = stablehlo.convert %dp : (tensor<4x6xbf16>) -> tensor<4x6xf32>
    %decay = stablehlo.multiply %w, %w : tensor<4x6xf32>
    %g = stablehlo.add %dw, %decay : tensor<4x6xf32>
    %new_mu = stablehlo.add %mu, %g : tensor<4x6xf32>
    %g2 = stablehlo.multiply %g, %g : tensor<4x6xf32>
    %new_nu = stablehlo.add %nu, %g2 : tensor<4x6xf32>
    %ratio = stablehlo.divide %new_mu, %new_nu : tensor<4x6xf32>
    %new_w = stablehlo.subtract %w, %ratio : tensor<4x6xf32>
    %new_p = stablehlo.convert %new_w : (tensor<4x6xf32>) -> tensor<4x6xbf16>
    return %new_nu, %new_p, %new_mu, %new_w : tensor<4x6xf32>, tensor<4x6xbf16>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
