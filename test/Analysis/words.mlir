// Words of dims: heads may be a dim of a weight, a table of positions has no vocabulary, and rows that are picked from a
// computed value (the masked tokens of a language model) are no edges of a graph.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-DAG: heads 4
// CHECK-DAG: vocabulary 50
// CHECK-DAG: embedding 6
// CHECK-DAG: batch 3
// CHECK-NOT: vocabulary 7
// CHECK-NOT: nodes
// CHECK-NOT: edges
module @model {
  func.func public @main(%table: tensor<50x6xf32> loc("table"), %positions: tensor<7x6xf32> loc("positions"), %wq: tensor<6x4x5xf32> loc("wq"), %ids: tensor<3x7xi32> loc("ids"), %masked: tensor<2xi32> loc("masked")) -> (tensor<3x4x7x7xf32>, tensor<3x2x6xf32>) {
    %index = stablehlo.reshape %ids : (tensor<3x7xi32>) -> tensor<3x7x1xi32>
    %rows = "stablehlo.gather"(%table, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 6>}> : (tensor<50x6xf32>, tensor<3x7x1xi32>) -> tensor<3x7x6xf32>
    %iota = stablehlo.iota dim = 0 : tensor<7x1xi32>
    %places = "stablehlo.gather"(%positions, %iota) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<7x6xf32>, tensor<7x1xi32>) -> tensor<7x6xf32>
    %wide = stablehlo.broadcast_in_dim %places, dims = [1, 2] : (tensor<7x6xf32>) -> tensor<3x7x6xf32>
    %x = stablehlo.add %rows, %wide : tensor<3x7x6xf32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<3x7x6xf32>, tensor<6x4x5xf32>) -> tensor<3x7x4x5xf32>
    %k = stablehlo.tanh %q : tensor<3x7x4x5xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<3x7x4x5xf32>, tensor<3x7x4x5xf32>) -> tensor<3x4x7x7xf32>
    %where = stablehlo.reshape %masked : (tensor<2xi32>) -> tensor<2x1xi32>
    %picked = "stablehlo.gather"(%x, %where) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1, 6>}> : (tensor<3x7x6xf32>, tensor<2x1xi32>) -> tensor<3x2x6xf32>
    return %scores, %picked : tensor<3x4x7x7xf32>, tensor<3x2x6xf32>
  }
}
