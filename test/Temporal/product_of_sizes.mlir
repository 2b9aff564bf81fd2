// A product of sizes: the rewrite knows them, so that it is no work of the batch, though an array has the size.
// RUN: echo '{"tactics": [{"name": "a", "temporal": {"micro": 2}, "tile": [["batch", 0]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal (ring)
module {
  func.func @main(%batch: tensor<4x4xf32> loc("batch")) -> (tensor<4x4xf32> {jax.result_info = "rows"}, tensor<i32> {jax.result_info = "size"}) {
    %size = stablehlo.get_dimension_size %batch, dim = 1 : (tensor<4x4xf32>) -> tensor<i32>
    %square = stablehlo.dot_general %size, %size, contracting_dims = [] x [] : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %rows = stablehlo.negate %batch : tensor<4x4xf32>
    return %rows, %square : tensor<4x4xf32>, tensor<i32>
  }
}
