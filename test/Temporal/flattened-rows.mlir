// Rows of the batch are flattened with their tokens, and counted there: token t of microbatch m is not where a piece of
// consecutive rows would have it.
// RUN: echo '{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh data=1 | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %t.json --mesh data=1 --stop-after=accumulate | FileCheck %s
// EQUAL: equal (ring+wide)
// CHECK: stablehlo.while
// CHECK: stablehlo.iota dim = 0 : tensor<6xi64>
// CHECK: stablehlo.divide
// CHECK: stablehlo.remainder
module @tokens {
  func.func public @main(%x: tensor<4x3xf32> loc("x"), %w: tensor<f32> loc("w")) -> (tensor<12xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %flat = stablehlo.reshape %x : (tensor<4x3xf32>) -> tensor<12xf32>
    %numbers = stablehlo.iota dim = 0 : tensor<12xf32>
    %scale = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %scaled = stablehlo.multiply %flat, %scale : tensor<12xf32>
    %sum = stablehlo.add %scaled, %numbers : tensor<12xf32>
    %all = stablehlo.reduce(%sum init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    return %sum, %all : tensor<12xf32>, tensor<f32>
  }
}
