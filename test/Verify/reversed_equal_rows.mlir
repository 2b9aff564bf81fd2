// Devices swap rows that are all equal. Which axis is the major one of the dim cannot be told by the permute: both
// orders give the same pairs.
// RUN: echo '{"tactics": [{"axis": "c", "tile": [["plain", 0]]}, {"axis": "b", "tile": [["reversed", 0]]}]}' > %t.json
// RUN: partita verify %s --mesh b=2,c=2 --schedule %t.json --relation | FileCheck %s
// RUN: partita verify %s --mesh b=2,c=2 --schedule %t.json | FileCheck %s
// CHECK: equal
module {
  func.func @main(%x: tensor<9xf32>) -> (tensor<8xf32> {jax.result_info = "reversed"}, tensor<8xf32> {jax.result_info = "plain"}) {
    %ones = stablehlo.constant dense<1.0> : tensor<9x8xf32>
    %sums = stablehlo.dot_general %x, %ones, contracting_dims = [0] x [0] : (tensor<9xf32>, tensor<9x8xf32>) -> tensor<8xf32>
    %back = stablehlo.reverse %sums, dims = [0] : tensor<8xf32>
    return %back, %sums : tensor<8xf32>, tensor<8xf32>
  }
}
