// reject: gather_rank (C1) offset + collapsed != rank
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_index_vector_dim (C2) index_vector_dim out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_index_vector_negative (C2) index_vector_dim negative
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_start_index_map_size (C3) start_index_map size
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_offset_sorted (C4) offset_dims not sorted
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4, 6>}> : (tensor<10x4x6xf32>, tensor<5x1xi32>) -> tensor<5x4x6xf32>
  return
}

// -----

// reject: gather_offset_repeat (C4) offset_dims repeated
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4, 6>}> : (tensor<10x4x6xf32>, tensor<5x1xi32>) -> tensor<5x4x6xf32>
  return
}

// -----

// reject: gather_offset_range (C5) offset_dims out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_offset_negative (C5) offset_dims negative
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [-1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_collapsed_repeat (C6) collapsed_slice_dims repeated
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<10x4x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// reject: gather_collapsed_sorted (C7) collapsed_slice_dims not sorted
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<10x4x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
  return
}

// -----

// reject: gather_collapsed_range (C8) collapsed_slice_dims out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_collapsed_size (C9) collapsed slice size 2
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_batching_collapsed_repeat (C6) collapsed dimension is batching
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_batching_sorted (C10) operand_batching_dims not sorted
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_batching_range (C11) operand_batching_dims out of range
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 4], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_batching_size (C12) batching slice size 2
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_indices_batching_repeat (C13) start_indices_batching_dims repeated
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_indices_batching_range (C14) start_indices_batching_dims out of range
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 3], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_indices_batching_vector (C15) start_indices_batching_dims has index_vector_dim
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 2], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_batching_counts (C16) batching sizes differ
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_batching_dims_sizes (C17) batching dimension sizes differ
func.func @main(%a: tensor<7x6x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x6x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_map_batching (C18) start_index_map has batching dimension
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// reject: gather_map_repeat (C18) start_index_map repeated
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_map_range (C19) start_index_map out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_slice_sizes_count (C20) slice_sizes size
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_slice_size_large (C21) slice size beyond operand
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x5xf32>
  return
}

// -----

// reject: gather_slice_size_negative (C21) slice size negative
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, -1>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_shape (C22) result shape
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: gather_rank_result (C22) result rank
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<20xf32>
  return
}

// -----

// reject: gather_type (C23) element type
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf64>
  return
}

// -----

// reject: gather_index_float (I2) float indices
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xf32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_numbers_missing (I3) required attribute
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_sizes_missing (I10) required attribute
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_numbers_unknown parse: field
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offsets = [1]>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_numbers_twice parse: field given twice
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_numbers_vector_list parse: index_vector_dim is an integer
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = [1]>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: gather_sorted_kind indices_are_sorted is boolean
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = 1 : i32}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: dynamic_gather_rank (C1) offset + collapsed != rank
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %s: tensor<2xi64>, %t: tensor<3xi64>, %u: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<5x?xf32>
  return
}

// -----

// reject: dynamic_gather_sizes_count (C11) slice_sizes size
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %s: tensor<2xi64>, %t: tensor<3xi64>, %u: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %t) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<3xi64>) -> tensor<5x?xf32>
  return
}

// -----

// reject: dynamic_gather_sizes_rank (I3) slice_sizes rank
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %s: tensor<2xi64>, %t: tensor<3xi64>, %u: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %u) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<1x2xi64>) -> tensor<5x?xf32>
  return
}

// -----

// reject: dynamic_gather_shape (C13) batch dimension size
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %s: tensor<2xi64>, %t: tensor<3xi64>, %u: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<6x4xf32>
  return
}

// -----

// reject: scatter_input_shapes (C1) input shapes differ
func.func @main(%a: tensor<10x4xf32>, %b: tensor<11x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>, %w: tensor<5x4xi32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    stablehlo.return %x, %q : tensor<f32>, tensor<i32>
  }) : (tensor<10x4xf32>, tensor<11x4xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<5x4xi32>) -> (tensor<10x4xf32>, tensor<11x4xi32>)
  return
}

// -----

// reject: scatter_rank (C2) window + inserted != rank
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_update_shapes (C3) update shapes differ
func.func @main(%a: tensor<10x4xf32>, %b: tensor<10x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>, %w: tensor<5x3xi32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    stablehlo.return %x, %q : tensor<f32>, tensor<i32>
  }) : (tensor<10x4xf32>, tensor<10x4xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<5x3xi32>) -> (tensor<10x4xf32>, tensor<10x4xi32>)
  return
}

// -----

// reject: scatter_update_window_size (C4) window larger than input
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x5xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_update_scatter_size (C4) scatter dimension of updates
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<6x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<6x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_update_rank (C4) rank of updates
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4x1xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4x1xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_no_inputs (C5) no inputs
func.func @main(%i: tensor<5x1xi32>) {
  "stablehlo.scatter"(%i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    stablehlo.return
  }) : (tensor<5x1xi32>) -> ()
  return
}

// -----

// reject: scatter_operand_count (C5) updates missing
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.scatter"(%a, %i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_window_sorted (C7) update_window_dims not sorted
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4x6xf32>, tensor<5x1xi32>, tensor<5x4x6xf32>) -> tensor<10x4x6xf32>
  return
}

// -----

// reject: scatter_window_repeat (C7) update_window_dims repeated
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4x6xf32>, tensor<5x1xi32>, tensor<5x4x6xf32>) -> tensor<10x4x6xf32>
  return
}

// -----

// reject: scatter_window_range (C8) update_window_dims out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_inserted_repeat (C9) inserted_window_dims repeated
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x4x6xf32>
  return
}

// -----

// reject: scatter_inserted_batching (C9) inserted dimension is batching
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_inserted_sorted (C10) inserted_window_dims not sorted
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<10x4x6xf32>
  return
}

// -----

// reject: scatter_inserted_range (C11) inserted_window_dims out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_batching_sorted (C12) input_batching_dims not sorted
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_batching_range (C13) input_batching_dims out of range
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 4], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_indices_batching_repeat (C14) scatter_indices_batching_dims repeated
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_indices_batching_range (C15) scatter_indices_batching_dims out of range
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 3], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_indices_batching_vector (C16) has index_vector_dim
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 2], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_batching_counts (C17) batching sizes differ
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_batching_sizes (C18) batching dimension sizes differ
func.func @main(%a: tensor<7x6x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x6x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x6x10x4xf32>
  return
}

// -----

// reject: scatter_map_size (C19) scatter_dims_to_operand_dims size
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_map_size_implicit (C19) scatter_dims_to_operand_dims size, implicit index dimension
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_map_repeat (C20) scatter_dims_to_operand_dims repeated
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x2xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x2xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_map_batching (C20) scatter_dims_to_operand_dims has batching dimension
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// reject: scatter_map_range (C21) scatter_dims_to_operand_dims out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_index_vector_dim (C22) index_vector_dim out of range
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_body_arguments (C23) region arguments
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_body_results (C23) region results
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_body_type (C23) region element type
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_body_narrow_integer (C23) region narrows an integer
func.func @main(%a: tensor<10x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xi32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i16>, %y: tensor<i16>):
    stablehlo.return %x : tensor<i16>
  }) : (tensor<10x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<10x4xi16>
  return
}

// -----

// reject: scatter_update_type (C6) update element kind
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xi32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_body_rank (C23) region argument of rank 1
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<1xf32>, %y: tensor<1xf32>):
    stablehlo.return %x : tensor<1xf32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_result_shape (C24) result shape
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<4x10xf32>
  return
}

// -----

// reject: scatter_result_type (C25) result element type
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf64>
  return
}

// -----

// reject: scatter_result_count (C25) two results for one input
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> (tensor<10x4xf32>, tensor<10x4xf32>)
  return
}

// -----

// reject: scatter_numbers_missing required attribute
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_no_region region missing
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_empty_region empty region
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({}) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_index_float (I2) float indices
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xf32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_numbers_unknown parse: field
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<window_dims = [1]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: scatter_numbers_twice parse: field given twice
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// reject: torch_index_select_missing required attribute dim
func.func @main(%a: tensor<5x1x5xf32>, %i: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64}> : (tensor<5x1x5xf32>, tensor<2xi32>) -> tensor<2x1x5xf32>
  return
}
