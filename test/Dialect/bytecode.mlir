// Bytecode of our own writing reads back as the same program, locations included.
// RUN: partita-opt --emit-bytecode %s -o %t.mlirbc
// RUN: partita-opt --mlir-print-debuginfo %t.mlirbc -o %t.from-bytecode
// RUN: partita-opt --mlir-print-debuginfo %s -o %t.from-text
// RUN: diff %t.from-text %t.from-bytecode

func.func @main(%x: tensor<4x8xf32> loc("x"), %w: tensor<8x16xf32> loc("w")) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST]
    : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> loc("dot"("model.py":3:4))
  %1 = stablehlo.tanh %0 : tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
