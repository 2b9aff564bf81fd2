// Dead ops go; equal ops are not merged.
// RUN: partita-opt --partita-import %s | FileCheck %s

// CHECK: func.func {{(public )?}}@main
// CHECK-NEXT: %[[A:.*]] = stablehlo.tanh %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.tanh %arg0
// CHECK-NEXT: stablehlo.add %[[A]], %[[B]]
// CHECK-NEXT: return
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = stablehlo.negate %x : tensor<4xf32>
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.tanh %x : tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
