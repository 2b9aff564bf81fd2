// A program that pads its arguments first and cuts its results last keeps their roles, phases and words: the vocabulary
// of 7 tokens is computed as 8. What adds up the gradient of the table is no graph network.

// RUN: partita analyze %s | FileCheck %s
// RUN: partita plan %s --stop-after=flatten | FileCheck %s --check-prefix=PHASES

// CHECK-DAG: parameter 1 x f32[7,6] state\.params\['table'\]
// CHECK-DAG: optimizer_state 1 x f32[7,6] state\.mu\['table'\]
// CHECK-DAG: input 1 x i32[8] tokens
// CHECK-NOT: edges
// CHECK-NOT: nodes

// PHASES: "kind":"stablehlo.gather"{{.*}}"phase":"forward"
// PHASES: "kind":"stablehlo.scatter"{{.*}}"phase":"backward"
// PHASES: "kind":"stablehlo.slice"{{.*}}"phase":"update"
module @step {
  func.func public @main(%table: tensor<7x6xf32> loc("state.params['table']"), %mu: tensor<7x6xf32> loc("state.mu['table']"), %tokens: tensor<8xi32> loc("tokens")) -> (tensor<7x6xf32> {jax.result_info = "result[0].params['table']"}, tensor<7x6xf32> {jax.result_info = "result[0].mu['table']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<8x6xf32>
    %rows = stablehlo.pad %table, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %old_mu = stablehlo.pad %mu, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %indices = stablehlo.reshape %tokens : (tensor<8xi32>) -> tensor<8x1xi32>
    %x = "stablehlo.gather"(%rows, %indices) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<8x1xi32>) -> tensor<8x6xf32>
    %y = stablehlo.tanh %x : tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    %dx = stablehlo.add %y, %y : tensor<8x6xf32>
    %gradient = "stablehlo.scatter"(%zeros, %indices, %dx) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<8x6xf32>, tensor<8x1xi32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    %new_mu = stablehlo.add %old_mu, %gradient : tensor<8x6xf32>
    %new_rows = stablehlo.subtract %rows, %new_mu : tensor<8x6xf32>
    %new_table = stablehlo.slice %new_rows [0:7, 0:6] : (tensor<8x6xf32>) -> tensor<7x6xf32>
    %cut_mu = stablehlo.slice %new_mu [0:7, 0:6] : (tensor<8x6xf32>) -> tensor<7x6xf32>
    return %new_table, %cut_mu, %loss : tensor<7x6xf32>, tensor<7x6xf32>, tensor<f32>
  }
}
