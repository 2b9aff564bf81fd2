// What layers compute from a sum over the batch, such as the gradient of a weight that is added to a frozen one: a
// product of the sum, padded with zeros, is the sum of products. A product of two sums is none, and neither is the
// sum padded with other numbers.
// RUN: echo '{"tactics": [{"name": "A", "temporal": {"micro": 4}, "tile": [["batch", 0]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh data=2 --exact | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh data=2 --relation | FileCheck %s
// RUN: sed -e 's/%gram, %w, \(.*\), tensor<4x2xf32>) -> tensor<4x2xf32>/%gram, %gram, \1, tensor<4x4xf32>) -> tensor<4x4xf32>/' -e '/stablehlo.pad/s/0, 3/0, 1/' -e '/stablehlo.pad/s/4x2/4x4/' %s > %t.both.mlir
// RUN: not partita verify %t.both.mlir --schedule %t.json --mesh data=2 --exact 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/%fill = stablehlo.constant dense<0.0>/%fill = stablehlo.constant dense<1.0>/' %s > %t.ones.mlir
// RUN: not partita verify %t.ones.mlir --schedule %t.json --mesh data=2 --exact 2>&1 | FileCheck %s --check-prefix=ONES
// CHECK: equal
// BOTH: error: no microbatches: 'stablehlo.dot_general' needs a sum over the whole batch inside of a loop
// ONES: error: no microbatches: 'stablehlo.pad' needs a sum over the whole batch inside of a loop
module @linear {
  func.func public @main(%x: tensor<8x4xf32> loc("batch"), %w: tensor<4x2xf32> loc("b")) -> tensor<3x4x6xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %stack = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> tensor<3x4x6xf32>
    %0:3 = stablehlo.while(%i = %zero, %h = %x, %s = %stack) : tensor<i32>, tensor<8x4xf32>, tensor<3x4x6xf32>
    cond {
      %end = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %start = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %fill = stablehlo.constant dense<0.0> : tensor<f32>
      %gram = stablehlo.dot_general %h, %h, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %product = stablehlo.dot_general %gram, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
      %padded = stablehlo.pad %product, %fill, low = [0, 1], high = [0, 3], interior = [0, 0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x6xf32>
      %slice = stablehlo.reshape %padded : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
      %written = stablehlo.dynamic_update_slice %s, %slice, %i, %start, %start : (tensor<3x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x6xf32>
      %next = stablehlo.tanh %h : tensor<8x4xf32>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %next, %written : tensor<i32>, tensor<8x4xf32>, tensor<3x4x6xf32>
    }
    return %0#2 : tensor<3x4x6xf32>
  }
}
