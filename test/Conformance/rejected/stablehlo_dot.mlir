// reject: dot_general_batching_count (C1) batching sizes differ
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_contracting_count (C2) contracting sizes differ
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_lhs_repeat (C3) lhs dimension used twice
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

// reject: dot_general_lhs_repeat_contracting (C3) lhs contracting dimension used twice
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 0] x [0, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

// reject: dot_general_rhs_repeat (C4) rhs dimension used twice
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

// reject: dot_general_lhs_batching_range (C5) lhs batching out of range
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [3] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_lhs_contracting_range (C6) lhs contracting out of range
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [-1] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_rhs_batching_range (C7) rhs batching out of range
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [-1], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_rhs_contracting_range (C8) rhs contracting out of range
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [3] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_batching_sizes (C9) batching dimension sizes differ
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<3x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<3x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_contracting_sizes (C10) contracting dimension sizes differ
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x7x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x7x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_precision_count (C11) three precisions
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH, HIGH] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_result_shape (C12) result shape
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x5x4xf32>
  return
}

// -----

// reject: dot_general_result_rank (C12) result rank
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

// reject: dot_general_algorithm_precision (C21) algorithm with precision HIGH
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_lhs_count (C22) lhs_component_count = 0
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_rhs_count (C23) rhs_component_count = 0
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_primitive_count (C24) num_primitive_operations = 0
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_unknown_combination no such algorithm: f16 with 3 operations
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_integer_type lhs_precision_type is no float
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = i32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_accumulation_type accumulation_type is no float
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = i32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_missing_field parse: field missing
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_before_precision parse: precision follows algorithm
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_no_contracting parse: contracting_dims required
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_contracting_first parse: batching_dims after contracting_dims
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [1], batching_dims = [0] x [0] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_missing_x parse: x expected
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_unknown_precision parse: precision
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [LOW, LOW] : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_short_type parse: function type required
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [1] : tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_dimension_numbers_missing (I3) required attribute
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_numbers_unknown_field parse: field
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batch = [0]>}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_numbers_repeated_field parse: field given twice
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], lhs_batching_dimensions = [0]>}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_numbers_not_list parse: list expected
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = 0>}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_numbers_unclosed parse: > expected
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0]}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_numbers_other_attribute attribute of another kind
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.gather<offset_dims = [0], index_vector_dim = 1>}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_general_precision_attribute precision_config element kind
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = ["HIGH", "HIGH"]}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_rank rank neither 1 nor 2
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<8x5xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x4x8xf32>, tensor<8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_contracting contracting sizes differ
func.func @main(%a: tensor<4x8xf32>, %b: tensor<7x5xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: dot_result result shape
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: dot_precision_count three precisions
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) {
  %0 = stablehlo.dot %a, %b, precision = [HIGH, HIGH, HIGH] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: einsum_config_missing required attribute
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) {
  %0 = "stablehlo.einsum"(%a, %b) : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: einsum_config_kind config is a string
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = 3 : i32}> : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: unary_einsum_config_missing parse: config required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.unary_einsum %a : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: dot_algorithm_imprecise imprecise accumulation is for f8 only
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_component_two no algorithm has two components
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 2, rhs_component_count = 2, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_f8_accumulation f8 accumulates in f32
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E5M2, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_mixed lhs and rhs types differ
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = f16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

// reject: dot_algorithm_boolean parse: boolean expected
func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = 1> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  return
}
