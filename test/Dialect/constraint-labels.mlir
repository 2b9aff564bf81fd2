// A rejected program says which constraint of the specification it breaks, at the op's place.
// RUN: not partita-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: constraint-labels.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: (C10) contracting dimension sizes
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// CHECK: constraint-labels.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: 'stablehlo.add' op (C1)
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
