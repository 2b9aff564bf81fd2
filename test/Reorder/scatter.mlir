// The columns of a product of two parts are put into another order, but not where indices count them.
// RUN: echo '{"tactics": [{"reorder": [["w", 1, 2]]}, {"axis": "m", "tile": [["w", 1]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh m=2 --exact | FileCheck %s
// CHECK: equal (ring)
module @scatter {
  func.func public @main(%x: tensor<4x8xf32> loc("x"), %w: tensor<8x8xf32> loc("w"), %i: tensor<3x1xi32> loc("i"), %u: tensor<4x3xf32> loc("u")) -> (tensor<4x8xf32>, tensor<4x4xf32>) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %a = stablehlo.slice %y [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %b = stablehlo.slice %y [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %s = stablehlo.multiply %a, %b : tensor<4x4xf32>
    %z = "stablehlo.scatter"(%y, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<3x1xi32>, tensor<4x3xf32>) -> tensor<4x8xf32>
    return %z, %s : tensor<4x8xf32>, tensor<4x4xf32>
  }
}
