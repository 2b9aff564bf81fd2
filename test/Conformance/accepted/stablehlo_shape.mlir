// accept: reshape_forms
func.func @main(%a: tensor<2x6xf32>, %s: tensor<f32>, %d: tensor<?x6xf32>, %e: tensor<0x3xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<12xf32>
  %2 = stablehlo.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  %3 = "stablehlo.reshape"(%a) : (tensor<2x6xf32>) -> tensor<1x2x6xf32>
  %4 = stablehlo.reshape %d : (tensor<?x6xf32>) -> tensor<3x4xf32>
  %5 = stablehlo.reshape %e : (tensor<0x3xf32>) -> tensor<7x0xf32>
  return
}

// -----

// accept: reshape_bounded
func.func @main(%a: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) {
  %0 = stablehlo.reshape %a : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return
}

// -----

// accept: transpose_forms
func.func @main(%a: tensor<2x6x3xf32>, %s: tensor<i1>, %d: tensor<?x6xf32>) {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x6x3xf32>) -> tensor<3x2x6xf32>
  %1 = stablehlo.transpose %s, dims = [] : (tensor<i1>) -> tensor<i1>
  %2 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x6x3xf32>) -> tensor<6x2x3xf32>
  %3 = stablehlo.transpose %d, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<?x6xf32>) -> tensor<6x?xf32>
  %4 = "stablehlo.transpose"(%s) <{permutation = array<i64>}> : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// accept: transpose_bounded
func.func @main(%a: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  return
}

// -----

// accept: broadcast_in_dim_forms
func.func @main(%s: tensor<f32>, %v: tensor<3xf32>, %m: tensor<1x3xf32>, %d: tensor<?xf32>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast_in_dim %m, dims = [2, 0] : (tensor<1x3xf32>) -> tensor<3x4x5xf32>
  %3 = "stablehlo.broadcast_in_dim"(%v) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<?xf32>) -> tensor<3x2xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// accept: broadcast_in_dim_bounded
func.func @main(%s: tensor<f32>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// accept: broadcast_forms
func.func @main(%v: tensor<3xi32>) {
  %0 = stablehlo.broadcast %v, sizes = [1, 2] : (tensor<3xi32>) -> tensor<1x2x3xi32>
  %1 = stablehlo.broadcast %v, sizes = [] : (tensor<3xi32>) -> tensor<3xi32>
  %2 = "stablehlo.broadcast"(%v) <{broadcast_sizes = array<i64: 4>}> : (tensor<3xi32>) -> tensor<4x3xi32>
  return
}

// -----

// accept: iota_forms
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  %2 = stablehlo.iota dim = 1 {extra} : tensor<2x3xcomplex<f32>>
  %3 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xui8>
  %4 = stablehlo.iota dim = 0 : tensor<0xbf16>
  return
}

// -----

// accept: concatenate_forms
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %1 = stablehlo.concatenate %a, dim = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.concatenate %a, %a, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %3 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %4 = stablehlo.concatenate %a, %d, dim = 0 : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// accept: pad_forms
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>, %s: tensor<f32>, %d: tensor<?x3xf32>) {
  %0 = stablehlo.pad %a, %z, low = [0, 1], high = [2, 0], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  %1 = stablehlo.pad %a, %z, low = [-1, 0], high = [0, -1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x2xf32>
  %2 = stablehlo.pad %s, %z, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = "stablehlo.pad"(%a, %z) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 1, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
  %4 = stablehlo.pad %d, %z, low = [0, 1], high = [2, 0], interior = [1, 2] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x8xf32>
  return
}

// -----

// accept: slice_forms
func.func @main(%a: tensor<4x8xf32>, %s: tensor<i32>, %d: tensor<?x8xf32>) {
  %0 = stablehlo.slice %a [0:4, 2:6] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.slice %a [1:4:2, 0:8:3] : (tensor<4x8xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.slice %s [] : (tensor<i32>) -> tensor<i32>
  %3 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 4, 8>, start_indices = array<i64: 3, 8>, strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<1x0xf32>
  %4 = stablehlo.slice %d [0:2, 0:8] : (tensor<?x8xf32>) -> tensor<2x8xf32>
  %5 = stablehlo.slice %a [0:4:1, 0:8] {extra} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: reverse_forms
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<4x8xf32>
  %1 = stablehlo.reverse %a, dims = [1, 0] : tensor<4x8xf32>
  %2 = stablehlo.reverse %a, dims = [] : tensor<4x8xf32>
  %3 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: dynamic_slice_forms
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>, %u: tensor<ui64>, %s: tensor<f32>, %d: tensor<?x8xf32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %1 = stablehlo.dynamic_slice %a, %u, %u, sizes = [0, 1] : (tensor<4x8xf32>, tensor<ui64>, tensor<ui64>) -> tensor<0x1xf32>
  %3 = "stablehlo.dynamic_slice"(%a, %i, %i) <{slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  %4 = stablehlo.dynamic_slice %d, %i, %i, sizes = [9, 8] : (tensor<?x8xf32>, tensor<i32>, tensor<i32>) -> tensor<9x8xf32>
  return
}

// -----

// accept: dynamic_update_slice_forms
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>, %j: tensor<ui8>, %s: tensor<f32>, %d: tensor<?x8xf32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %1 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.dynamic_update_slice"(%a, %u, %j, %j) : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<ui8>, tensor<ui8>) -> tensor<4x8xf32>
  %3 = stablehlo.dynamic_update_slice %d, %u, %i, %i : (tensor<?x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<?x8xf32>
  return
}

// -----

// accept: bitcast_convert_forms
func.func @main(%a: tensor<4xf32>, %b: tensor<4x4xi8>, %c: tensor<2xcomplex<f32>>, %n: tensor<3xf64>, %d: tensor<?xf32>, %h: tensor<i4>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xui32>
  %1 = stablehlo.bitcast_convert %b : (tensor<4x4xi8>) -> tensor<4xf32>
  %2 = stablehlo.bitcast_convert %n : (tensor<3xf64>) -> tensor<3x2xi32>
  %3 = stablehlo.bitcast_convert %c : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %4 = "stablehlo.bitcast_convert"(%a) : (tensor<4xf32>) -> tensor<4x2xbf16>
  %5 = stablehlo.bitcast_convert %d : (tensor<?xf32>) -> tensor<?xi32>
  %6 = stablehlo.bitcast_convert %h : (tensor<i4>) -> tensor<2xi2>
  return
}
