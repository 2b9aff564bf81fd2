// accept: gather_rows
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %1 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = true}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %2 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = false}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %3 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 0>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x0xf32>
  %4 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<index_vector_dim = 1, start_index_map = [0], collapsed_slice_dims = [0], offset_dims = [1]>, slice_sizes = array<i64: 1, 4>} : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// accept: gather_index_vector_last
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5xui32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5xui32>) -> tensor<5x4xf32>
  return
}

// -----

// accept: gather_scalar_index
func.func @main(%a: tensor<10x4xf32>, %i: tensor<i64>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// accept: gather_windows
func.func @main(%a: tensor<10x4x6xf32>, %i: tensor<2x5x3xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [2, 0]>, slice_sizes = array<i64: 3, 1, 2>}> : (tensor<10x4x6xf32>, tensor<2x5x3xi32>) -> tensor<3x5x2x3xf32>
  return
}

// -----

// accept: gather_batching
func.func @main(%a: tensor<7x10x4xf32>, %i: tensor<5x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<7x10x4xf32>, tensor<5x7x1xi32>) -> tensor<5x7x4xf32>
  return
}

// -----

// accept: gather_batching_only
func.func @main(%a: tensor<7x10xf32>, %i: tensor<7x10x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1>}> : (tensor<7x10xf32>, tensor<7x10x2xi32>) -> tensor<7x10x2xf32>
  return
}

// -----

// accept: gather_dynamic
func.func @main(%a: tensor<?x4xf32>, %i: tensor<?x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  return
}

// -----

// accept: gather_types
func.func @main(%a: tensor<10xcomplex<f32>>, %i: tensor<5x1xi8>, %b: tensor<10xi1>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<10xcomplex<f32>>, tensor<5x1xi8>) -> tensor<5xcomplex<f32>>
  %1 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<10xi1>, tensor<5x1xi8>) -> tensor<5xi1>
  return
}

// -----

// accept: dynamic_gather_forms
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %s: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<5x?xf32>
  %1 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<5x4xf32>
  return
}

// -----

// accept: gather_two_batching
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>) -> tensor<7x7x4xf32>
  return
}

// -----

// accept: scatter_add
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %1 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = true, unique_indices = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %2 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, unique_indices = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_attribute_dictionary
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, scatter_dims_to_operand_dims = [0], inserted_window_dims = [0], update_window_dims = [1]>, unique_indices = true} : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_replace
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_partial_window
func.func @main(%a: tensor<10x4xf32>, %i: tensor<2xi32>, %u: tensor<3x2xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<2xi32>, tensor<3x2xf32>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_two_inputs
func.func @main(%a: tensor<10x4xf32>, %b: tensor<10x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>, %w: tensor<5x4xi32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %p: tensor<i32>, %y: tensor<f32>, %q: tensor<i32>):
    stablehlo.return %x, %q : tensor<f32>, tensor<i32>
  }) : (tensor<10x4xf32>, tensor<10x4xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<5x4xi32>) -> (tensor<10x4xf32>, tensor<10x4xi32>)
  return
}

// -----

// accept: scatter_promotion
// The region may compute in a wider type.
func.func @main(%a: tensor<10x4xf16>, %i: tensor<5x1xi32>, %u: tensor<5x4xf16>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf16>, tensor<5x1xi32>, tensor<5x4xf16>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_batching
func.func @main(%a: tensor<7x7x10x4xf32>, %i: tensor<7x7x1xi32>, %u: tensor<7x7x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x7x10x4xf32>, tensor<7x7x1xi32>, tensor<7x7x4xf32>) -> tensor<7x7x10x4xf32>
  return
}

// -----

// accept: scatter_dynamic
func.func @main(%a: tensor<?x4xf32>, %i: tensor<?x1xi32>, %u: tensor<?x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// accept: scatter_body_captures
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>, %k: tensor<f32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.multiply %y, %k : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_update_float_type
// Spec C6 asks for equal element types; floats of any width are taken.
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf64>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf64>) -> tensor<10x4xf32>
  return
}

// -----

// accept: scatter_body_narrow_float
// The float precision is ignored by the promotion rule.
func.func @main(%a: tensor<10x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    stablehlo.return %x : tensor<f16>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf16>
  return
}

// -----

// accept: scatter_body_widen_integer
func.func @main(%a: tensor<10x4xi32>, %i: tensor<5x1xi32>, %u: tensor<5x4xi32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    stablehlo.return %x : tensor<i64>
  }) : (tensor<10x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<10x4xi64>
  return
}

// -----

// accept: torch_index_select_forms
func.func @main(%a: tensor<5x1x5xf32>, %i: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xf32>, tensor<2xi32>) -> tensor<2x1x5xf32>
  return
}

// -----

// accept: torch_index_select_index_float
// The index type is not checked.
func.func @main(%a: tensor<5x1x5xf32>, %i: tensor<2xf32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1x5xf32>, tensor<2xf32>) -> tensor<2x1x5xf32>
  return
}
