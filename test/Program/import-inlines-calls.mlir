// Calls are inlined, also through several levels; the callees are gone, locations are call sites.
// RUN: partita-opt --partita-import %s | FileCheck %s
// RUN: partita-opt --partita-import --mlir-print-debuginfo %s | FileCheck %s --check-prefix=LOC

// CHECK: func.func {{(public )?}}@main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: return
// CHECK-NOT: func.func
// LOC: loc(callsite(
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("call")
  return %0 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32> loc("tanh")
  return %0 : tensor<4xf32>
}
