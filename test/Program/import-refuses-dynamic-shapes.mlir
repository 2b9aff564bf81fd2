// Dynamic shapes are read and printed, and refused by import with the op and its line.
// RUN: partita-opt %s | FileCheck %s --check-prefix=READ
// RUN: not partita-opt --partita-import %s 2>&1 | FileCheck %s --check-prefix=IMPORT

// READ: stablehlo.tanh %{{.*}} : tensor<?x4xf32>
// IMPORT: import-refuses-dynamic-shapes.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}dynamic shape
func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.tanh %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
