// A reshape that the program has twice, and another one that gives a piece of the same shape. Lowering emits each of them at
// its own location; which of them the second is, its location tells.
// RUN: echo '{"tactics": [{"axis": "b", "tile": [["x", 1]]}]}' > %t.json
// RUN: partita verify %s --mesh b=2 --schedule %t.json --relation | FileCheck %s
// RUN: partita verify %s --mesh b=2 --schedule %t.json | FileCheck %s
// CHECK: equal
module {
  func.func @main(%x: tensor<4x4xf32> loc("x")) -> (tensor<4x4xf32>, tensor<4x1x4xf32>) {
    %0 = stablehlo.tanh %x : tensor<4x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x4xf32>) -> tensor<4x2x2xf32> loc("first")
    %2 = stablehlo.slice %1 [0:4, 0:2, 1:2] : (tensor<4x2x2xf32>) -> tensor<4x2x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x2x1xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.reshape %0 : (tensor<4x4xf32>) -> tensor<4x2x2xf32> loc("second")
    %5 = stablehlo.slice %4 [0:4, 0:2, 0:1] : (tensor<4x2x2xf32>) -> tensor<4x2x1xf32>
    %6 = stablehlo.reshape %5 : (tensor<4x2x1xf32>) -> tensor<4x2xf32>
    %7 = stablehlo.concatenate %3, %6, dim = 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
    %8 = stablehlo.reshape %0 : (tensor<4x4xf32>) -> tensor<4x1x4xf32> loc("third")
    return %7, %8 : tensor<4x4xf32>, tensor<4x1x4xf32>
  }
}
