// reject: reshape_size (C2) element counts differ
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<2x5xf32>
  return
}

// -----

// reject: reshape_type (C1) element type differs
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<12xi32>
  return
}

// -----

// reject: reshape_dynamic_result (O1) result neither static nor bounded
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<?xf32>
  return
}

// -----

// reject: reshape_two_bounded (O1) two bounded dimensions
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<?x?xf32, #stablehlo.bounds<3, 4>>
  return
}

// -----

// reject: reshape_short_type parse: function type required
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.reshape %a : tensor<2x6xf32>
  return
}

// -----

// reject: transpose_type (C1) element type differs
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf64>
  return
}

// -----

// reject: transpose_repeat (C2) dimension used twice
func.func @main(%a: tensor<2x2xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reject: transpose_range (C2) dimension out of range
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 2] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  return
}

// -----

// reject: transpose_negative (C2) negative dimension
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, -2] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  return
}

// -----

// reject: transpose_count (C2) too few dimensions
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// reject: transpose_shape (C3) result shape
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// reject: transpose_no_dims parse: dims required
func.func @main(%a: tensor<2x6xf32>) {
  %0 = stablehlo.transpose %a : (tensor<2x6xf32>) -> tensor<6x2xf32>
  return
}

// -----

// reject: transpose_attribute_kind permutation of i32
func.func @main(%a: tensor<2x6xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i32: 1, 0>}> : (tensor<2x6xf32>) -> tensor<6x2xf32>
  return
}

// -----

// reject: transpose_dense_attribute permutation as elements
func.func @main(%a: tensor<2x6xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : (tensor<2x6xf32>) -> tensor<6x2xf32>
  return
}

// -----

// reject: broadcast_in_dim_type (C1) element type differs
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// reject: broadcast_in_dim_count (C2) dims size
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [0, 1] : (tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// reject: broadcast_in_dim_range (C3) dim out of range
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// reject: broadcast_in_dim_negative (C3) dim negative
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [-1] : (tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// reject: broadcast_in_dim_repeat (C4) dim repeated
func.func @main(%v: tensor<3x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [0, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// reject: broadcast_in_dim_size (C5) size neither 1 nor equal
func.func @main(%v: tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: broadcast_in_dim_dynamic_result (O1) unbounded result
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// reject: broadcast_in_dim_no_dims parse: dims required
func.func @main(%v: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %v : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: broadcast_in_dim_missing_attribute (I2) required attribute
func.func @main(%v: tensor<3xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%v) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: broadcast_negative negative size
func.func @main(%v: tensor<3xi32>) {
  %0 = stablehlo.broadcast %v, sizes = [-1] : (tensor<3xi32>) -> tensor<?x3xi32>
  return
}

// -----

// reject: broadcast_shape result shape
func.func @main(%v: tensor<3xi32>) {
  %0 = stablehlo.broadcast %v, sizes = [2] : (tensor<3xi32>) -> tensor<3x2xi32>
  return
}

// -----

// reject: broadcast_type element type differs
func.func @main(%v: tensor<3xi32>) {
  %0 = stablehlo.broadcast %v, sizes = [2] : (tensor<3xi32>) -> tensor<2x3xi64>
  return
}

// -----

// reject: iota_range (C1) dim out of range
func.func @main() {
  %0 = stablehlo.iota dim = 2 : tensor<2x3xf32>
  return
}

// -----

// reject: iota_negative (C1) dim negative
func.func @main() {
  %0 = stablehlo.iota dim = -1 : tensor<2x3xf32>
  return
}

// -----

// reject: iota_scalar (C1) scalar result
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}

// -----

// reject: iota_boolean (O1) boolean result
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<4xi1>
  return
}

// -----

// reject: iota_dynamic (O1) dynamic result
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<?xi32>
  return
}

// -----

// reject: iota_no_dim parse: dim required
func.func @main() {
  %0 = stablehlo.iota : tensor<4xi32>
  return
}

// -----

// reject: iota_attribute_type iota_dimension of i32
func.func @main() {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i32}> : () -> tensor<4xi32>
  return
}

// -----

// reject: iota_typed_dimension parse: dimension printed without type
func.func @main() {
  %0 = stablehlo.iota dim = 0 : i32 : tensor<4xi32>
  return
}

// -----

// reject: concatenate_types (C1) element types differ
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: concatenate_shapes (C2) other dimensions differ
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// reject: concatenate_ranks (C2) ranks differ
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

// reject: concatenate_no_inputs (C3) no inputs
func.func @main() {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

// reject: concatenate_range (C4) dim out of range
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a, dim = 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// reject: concatenate_negative (C4) dim negative
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a, dim = -1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// reject: concatenate_scalar (C4) scalars
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// reject: concatenate_result_type (C5) result element type
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xi32>
  return
}

// -----

// reject: concatenate_result_shape (C6) result shape
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

// reject: concatenate_no_comma parse: comma before dim
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.concatenate %a dim = 0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// reject: pad_value_type (C1) padding value type
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f64>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_result_type (C1) result type
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf64>
  return
}

// -----

// reject: pad_value_rank (I2) padding value is no scalar
func.func @main(%a: tensor<2x3xf32>, %z: tensor<1xf32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_low_count (C2) low size
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_high_count (C2) high size
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_interior_count (C2) interior size
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], interior = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_all_counts (C2) all sizes differ from the rank
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0], high = [0], interior = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_interior_negative (C3) interior negative
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], interior = [-1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  return
}

// -----

// reject: pad_shape (C4) result shape
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: pad_negative_size (C4) negative result size
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}

// -----

// reject: pad_order parse: low, high, interior in order
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  %0 = stablehlo.pad %a, %z, high = [0, 0], low = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// reject: slice_type (C1) element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return
}

// -----

// reject: slice_count (C2) too few ranges
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_strides_count (C2) strides size
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_limit_count (C2) limits size
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 4, 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_start_negative (C3) negative start
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [-1:4, 0:8] : (tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// reject: slice_start_after_limit (C3) start after limit
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [3:2, 0:8] : (tensor<4x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

// reject: slice_limit_range (C3) limit beyond dimension
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:5, 0:8] : (tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// reject: slice_stride_zero (C4) stride 0
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4:0, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_stride_negative (C4) stride negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4:-1, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_shape (C5) result shape
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4:3, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

// reject: slice_missing_limit parse: limit required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:4, 0:] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: slice_no_ranges parse: ranges required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: reverse_type (C1) result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// reject: reverse_repeat (C2) dimension repeated
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<4x8xf32>
  return
}

// -----

// reject: reverse_range (C3) dimension out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.reverse %a, dims = [2] : tensor<4x8xf32>
  return
}

// -----

// reject: reverse_negative (C3) dimension negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.reverse %a, dims = [-1] : tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_slice_type (C1) element type
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf64>
  return
}

// -----

// reject: dynamic_slice_indices_count (C2) one start index
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_sizes_count (C2) one size
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_both_counts (C2) counts equal but not the rank
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4x8xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

// reject: dynamic_slice_index_types (C3) start index types differ
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i64>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_size_range (C4) size beyond dimension
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [5, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<5x8xf32>
  return
}

// -----

// reject: dynamic_slice_size_negative (C4) negative size
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [-1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_shape (C5) result shape
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x7xf32>
  return
}

// -----

// reject: dynamic_slice_index_rank (I2) start index is no scalar
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %v, %v, sizes = [2, 8] : (tensor<4x8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_index_float (I2) float start index
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %f, %f, sizes = [2, 8] : (tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_slice_no_sizes parse: sizes required
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %f: tensor<f32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_result (C1) result type
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_type (C2) update element type
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %x, %i, %i : (tensor<4x8xf32>, tensor<2x8xf64>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_rank (C3) update rank
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %r, %i, %i : (tensor<4x8xf32>, tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_count (C4) index count
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_index_types (C5) index types differ
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_size (C6) update larger than operand
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %w, %i, %i : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: dynamic_update_slice_index_rank (I3) start index is no scalar
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<i64>, %w: tensor<5x8xf32>, %x: tensor<2x8xf64>, %r: tensor<8xf32>, %v: tensor<1xi32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %v, %v : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: bitcast_convert_same_width (C1) shape differs at equal width
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

// reject: bitcast_convert_narrow_rank (C1) narrowing without new dimension
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<8xi16>
  return
}

// -----

// reject: bitcast_convert_narrow_size (C1) last dimension
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xi16>
  return
}

// -----

// reject: bitcast_convert_widen_size (C1) last dimension of operand
func.func @main(%a: tensor<4x3xi8>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4x3xi8>) -> tensor<4xi32>
  return
}

// -----

// reject: bitcast_convert_widen_prefix (C1) leading dimensions
func.func @main(%a: tensor<4x4xi8>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4x4xi8>) -> tensor<5xi32>
  return
}

// -----

// reject: bitcast_convert_complex (C2) complex to real
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// reject: bitcast_convert_to_complex (C2) real to complex
func.func @main(%a: tensor<4xf64>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// reject: bitcast_convert_dynamic_narrow (C1) rank with dynamic sizes
func.func @main(%a: tensor<?xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<?xf32>) -> tensor<?xi8>
  return
}
