// accept: dynamic_iota_forms
func.func @main(%s: tensor<2xi64>, %x: tensor<2xindex>) {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_iota %x, dim = 1 : (tensor<2xindex>) -> tensor<?x4xi32>
  %2 = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 1 : i64}> : (tensor<2xi64>) -> tensor<3x4xi8>
  return
}

// -----

// accept: dynamic_iota_rank_unchecked
// Spec C2; the rank is compared only when the shape is a constant.
func.func @main(%s: tensor<2xi64>, %m: tensor<1x2xi64>, %f: tensor<2xf32>, %q: tensor<?xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// accept: dynamic_broadcast_in_dim_forms
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>, %x: tensor<3xindex>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %a, %x, dims = [0, 2] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<2x3x4xf32>
  %2 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) <{broadcast_dimensions = array<i64: 1, 2>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>}> : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  return
}

// -----

// accept: dynamic_broadcast_in_dim_rank_unchecked
// Spec C7; the size of output_dimensions is not compared with the rank.
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x?x4xf32>
  return
}

// -----

// accept: dynamic_reshape_forms
func.func @main(%a: tensor<?x4xf32>, %s: tensor<3xi32>, %x: tensor<1xindex>, %b: tensor<2x6xf32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x2x?xf32>
  %1 = stablehlo.dynamic_reshape %a, %x : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  %2 = "stablehlo.dynamic_reshape"(%b, %x) : (tensor<2x6xf32>, tensor<1xindex>) -> tensor<12xf32>
  return
}

// -----

// accept: dynamic_pad_forms
func.func @main(%a: tensor<?x4xf32>, %z: tensor<f32>, %p: tensor<2xi64>, %x: tensor<2xindex>) {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<?x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "stablehlo.dynamic_pad"(%a, %z, %x, %x, %x) : (tensor<?x4xf32>, tensor<f32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<5x?xf32>
  return
}

// -----

// accept: real_dynamic_slice_forms
func.func @main(%a: tensor<?x4xf32>, %i: tensor<2xi64>, %x: tensor<2xindex>) {
  %0 = stablehlo.real_dynamic_slice %a, %i, %i, %i : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "stablehlo.real_dynamic_slice"(%a, %x, %x, %x) : (tensor<?x4xf32>, tensor<2xindex>, tensor<2xindex>, tensor<2xindex>) -> tensor<?x4xf32>
  return
}

// -----

// accept: get_dimension_size_forms
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?xi1, #stablehlo.bounds<8>>) {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %1 = "stablehlo.get_dimension_size"(%a) <{dimension = 1 : i64}> : (tensor<?x4xf32>) -> tensor<i32>
  %2 = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xi1, #stablehlo.bounds<8>>) -> tensor<i32>
  return
}

// -----

// accept: set_dimension_size_forms
func.func @main(%a: tensor<4x4xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  %1 = "stablehlo.set_dimension_size"(%a, %n) <{dimension = 1 : i64}> : (tensor<4x4xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 4>>
  %c = stablehlo.constant dense<4> : tensor<i32>
  %2 = stablehlo.set_dimension_size %a, %c, dim = 0 : (tensor<4x4xf32>, tensor<i32>) -> tensor<4x4xf32>
  return
}

// -----

// accept: bounds_types
// The long form prints as `#stablehlo.bounds`.
func.func private @f(tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x?xi1, #stablehlo.bounds<2, 3>>, tensor<?xf32, #stablehlo.bounds<?>>, tensor<2x3xf32, #stablehlo.bounds<?, ?>>)
func.func private @g(tensor<?x4xf32, #stablehlo.type_extensions<bounds = [8, ?]>>)

// -----

// accept: bounds_operations
func.func @main(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %b: tensor<?x4xf32, #stablehlo.bounds<6, ?>>) {
  %0 = stablehlo.add %a, %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<14, ?>>
  %2 = stablehlo.tanh %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return
}

// -----

// accept: bounds_negative_unchecked
// Negative bounds are taken.
func.func private @f(tensor<?xf32, #stablehlo.bounds<-3>>)
