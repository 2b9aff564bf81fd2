// The decomposition of a kernel stays a function; calls in it are inlined.
// RUN: partita-opt --partita-import %s | FileCheck %s

// CHECK: func.func {{(public )?}}@main
// CHECK: stablehlo.composite "partita.kernel.double"
// CHECK: func.func private @body
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func public @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.composite "partita.kernel.double" %x {composite_attributes = {rule = "([b,i])->([b,i])"}, decomposition = @body} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func private @body(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = call @inner(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func private @inner(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
