// reject: dynamic_iota_range (C1) dim out of range
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_iota_negative (C1) dim negative
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = -1 : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_iota_shape_rank (I1) shape of rank 2
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1x2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_iota_shape_type (I1) shape of floats
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %f, dim = 0 : (tensor<2xf32>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_iota_shape_dynamic (I1) shape of unknown size
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %q, dim = 0 : (tensor<?xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_iota_constant (C2) result contradicts a constant shape
func.func @main() {
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi64>) -> tensor<3x5xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_type (C1) element type
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf64>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_count (C2) dims size
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_range (C3) dim out of range
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 3] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_negative (C3) dim negative
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [-1, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_repeat (C4) dim repeated
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_size (C5) size neither 1 nor equal
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x5xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_known_twice (C8) dimension known twice
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_expanding_range (C9) known_expanding out of range
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] {known_expanding_dimensions = array<i64: 2>} : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_broadcast_in_dim_nonexpanding_range (C10) known_nonexpanding out of range
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] {known_nonexpanding_dimensions = array<i64: -1>} : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// reject: dynamic_reshape_type (C1) element type
func.func @main(%a: tensor<?xf32>, %s: tensor<2xi32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xi32>
  return
}

// -----

// reject: dynamic_reshape_size (C2) element counts differ
func.func @main(%a: tensor<12xf32>, %s: tensor<2xi32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<12xf32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}

// -----

// reject: dynamic_reshape_rank (C4) output_shape size
func.func @main(%a: tensor<?xf32>, %s: tensor<2xi32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// reject: dynamic_reshape_shape_type (I2) shape of floats
func.func @main(%a: tensor<?xf32>, %s: tensor<2xf32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xf32>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_reshape_constant result contradicts a constant shape
func.func @main(%a: tensor<?xf32>) {
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<?xf32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}

// -----

// reject: dynamic_pad_value_type (C1) padding value type
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %w, %p, %p, %p : (tensor<?x4xf32>, tensor<f64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_pad_result_type (C1) result type
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<?x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
  return
}

// -----

// reject: dynamic_pad_value_rank (I2) padding value is no scalar
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<?x4xf32>, tensor<1xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_pad_count (C2) padding sizes
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %z, %q, %q, %q : (tensor<?x4xf32>, tensor<f32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_pad_rank (C4) result rank
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<?x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// reject: dynamic_pad_high_count (C2) one padding size differs
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %w: tensor<f64>, %v: tensor<1xf32>, %p: tensor<2xi64>, %q: tensor<3xi64>, %i: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %q, %p : (tensor<?x4xf32>, tensor<f32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_pad_interior_negative (C3) constant interior negative
func.func @main(%a: tensor<2x4xf32>, %z: tensor<f32>) {
  %c = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %n = stablehlo.constant dense<[-1, 0]> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %a, %z, %c, %c, %n : (tensor<2x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: dynamic_pad_constant (C4) result contradicts constants
func.func @main(%a: tensor<2x4xf32>, %z: tensor<f32>) {
  %c = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %n = stablehlo.constant dense<[-1, 0]> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %a, %z, %c, %c, %c : (tensor<2x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x8xf32>
  return
}

// -----

// reject: real_dynamic_slice_type element type
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %f: tensor<2xf32>) {
  %0 = stablehlo.real_dynamic_slice %a, %i, %i, %i : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
  return
}

// -----

// reject: real_dynamic_slice_start start size
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %f: tensor<2xf32>) {
  %0 = stablehlo.real_dynamic_slice %a, %j, %i, %i : (tensor<?x4xf32>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: real_dynamic_slice_limit limit size
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %f: tensor<2xf32>) {
  %0 = stablehlo.real_dynamic_slice %a, %i, %j, %i : (tensor<?x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: real_dynamic_slice_strides strides size
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %f: tensor<2xf32>) {
  %0 = stablehlo.real_dynamic_slice %a, %i, %i, %j : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: real_dynamic_slice_index_type float indices
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %f: tensor<2xf32>) {
  %0 = stablehlo.real_dynamic_slice %a, %f, %f, %f : (tensor<?x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x?xf32>
  return
}

// -----

// reject: get_dimension_size_range (C1) dim out of range
func.func @main(%a: tensor<?x4xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 2 : (tensor<?x4xf32>) -> tensor<i32>
  return
}

// -----

// reject: get_dimension_size_negative (C1) dim negative
func.func @main(%a: tensor<?x4xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = -1 : (tensor<?x4xf32>) -> tensor<i32>
  return
}

// -----

// reject: get_dimension_size_type (O1) result of i64
func.func @main(%a: tensor<?x4xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32>) -> tensor<i64>
  return
}

// -----

// reject: set_dimension_size_range dim out of range
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>, %l: tensor<i64>, %v: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 2 : (tensor<4x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// reject: set_dimension_size_negative dim negative
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>, %l: tensor<i64>, %v: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = -1 : (tensor<4x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// reject: set_dimension_size_type size of i64
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>, %l: tensor<i64>, %v: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %l, dim = 0 : (tensor<4x4xf32>, tensor<i64>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// reject: set_dimension_size_rank size is no scalar
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>, %l: tensor<i64>, %v: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %v, dim = 0 : (tensor<4x4xf32>, tensor<1xi32>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// reject: set_dimension_size_element element type
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>, %l: tensor<i64>, %v: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x4xf32>, tensor<i32>) -> tensor<?x4xf64, #stablehlo.bounds<4, ?>>
  return
}

// -----

// reject: bounds_static bound on a static dimension
func.func private @f(tensor<4xf32, #stablehlo.bounds<8>>)

// -----

// reject: bounds_count bound count
func.func private @f(tensor<?x?xf32, #stablehlo.bounds<8>>)

// -----

// reject: bounds_syntax parse: list of bounds
func.func private @f(tensor<?xf32, #stablehlo.bounds[8]>)

// -----

// reject: type_extensions_syntax parse: bounds field
func.func private @f(tensor<?xf32, #stablehlo.type_extensions<bound = [8]>>)
