// Ops whose operands and result have one type print it once; different types print as a function type.
// RUN: partita-opt %s | FileCheck %s

// CHECK-LABEL: func.func @same
// CHECK: stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
func.func @same(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @bounded
// CHECK: stablehlo.add %arg0, %arg1 : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
func.func @bounded(%a: tensor<?xf32>, %b: tensor<3xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %b : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
