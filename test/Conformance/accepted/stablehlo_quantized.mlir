// accept: quantized_types
// The quant dialect is not in the default context of the judge; it was loaded for these programs.
func.func private @per_tensor(tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<!quant.uniform<u8:f32, 0.5:128>>, tensor<4x!quant.uniform<i4:f32, 1.0>>, tensor<4x!quant.uniform<i8<-127:127>:f32, 1.0>>, tensor<4x!quant.uniform<i16:f16, 1.0>>, tensor<4x!quant.uniform<i32:bf16, 1.0e-3>>, tensor<4x!quant.uniform<i2:f32, 1.0>>)
func.func private @per_axis(tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5}>>, tensor<4x2x!quant.uniform<u8:f32:1, {0.1, 0.5}>>)
func.func private @sub_channel(tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{2.0:3, 1.0}, {1.0, 1.0}}>>)

// -----

// accept: quantized_unary
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.abs %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %1 = stablehlo.cbrt %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %2 = stablehlo.ceil %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %3 = stablehlo.cosine %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %4 = stablehlo.exponential %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %5 = stablehlo.exponential_minus_one %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %6 = stablehlo.floor %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %7 = stablehlo.log %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %8 = stablehlo.log_plus_one %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %9 = stablehlo.logistic %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %10 = stablehlo.negate %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %11 = stablehlo.round_nearest_afz %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %12 = stablehlo.round_nearest_even %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %13 = stablehlo.rsqrt %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %14 = stablehlo.sign %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %15 = stablehlo.sine %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %16 = stablehlo.sqrt %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %17 = stablehlo.tan %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %18 = stablehlo.tanh %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_unary_other_parameters
// Scale and zero point may change.
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.tanh %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0:-1>>
  %1 = stablehlo.abs %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0:-1>>
  %2 = stablehlo.negate %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0:-1>>
  %3 = stablehlo.ceil %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 1.0:-1>>
  return
}

// -----

// accept: quantized_binary
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.add %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %1 = stablehlo.atan2 %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %2 = stablehlo.divide %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %3 = stablehlo.maximum %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %4 = stablehlo.minimum %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %5 = stablehlo.multiply %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %6 = stablehlo.power %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %7 = stablehlo.remainder %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  %8 = stablehlo.subtract %a, %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_add
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_add_per_axis
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, %b: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.add %a, %a : tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  %1 = stablehlo.add %a, %b : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  return
}

// -----

// accept: quantized_conversions
func.func @main(%f: tensor<2x4xf32>, %a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, %p: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.uniform_quantize %f : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>
  %1 = stablehlo.uniform_quantize %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 1.0:-1>>
  %2 = stablehlo.uniform_quantize %f : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  %3 = stablehlo.uniform_dequantize %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4xf32>
  %4 = stablehlo.uniform_dequantize %p : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x4xf32>
  %5 = "stablehlo.uniform_quantize"(%f) : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>
  %6 = "stablehlo.uniform_dequantize"(%a) : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4xf32>
  return
}

// -----

// accept: quantized_shape_ops
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, %p: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, %z: tensor<!quant.uniform<i8:f32, 2.0:3>>, %i: tensor<i32>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<8x!quant.uniform<i8:f32, 2.0:3>>
  %1 = stablehlo.transpose %p, dims = [1, 0] : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  %2 = stablehlo.broadcast_in_dim %p, dims = [1, 2] : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<3x2x4x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  %3 = stablehlo.reshape %p : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  %4 = stablehlo.slice %a [0:1, 0:4] : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<1x4x!quant.uniform<i8:f32, 2.0:3>>
  %5 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x4x!quant.uniform<i8:f32, 2.0:3>>
  %6 = stablehlo.pad %a, %z, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<!quant.uniform<i8:f32, 2.0:3>>) -> tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>
  %7 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 1] : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<i32>, tensor<i32>) -> tensor<1x1x!quant.uniform<i8:f32, 2.0:3>>
  %8 = stablehlo.bitcast_convert %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4xi8>
  %9 = stablehlo.compare EQ, %a, %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4xi1>
  %10 = stablehlo.reverse %a, dims = [0] : tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>
  %11 = stablehlo.clamp %z, %a, %z : (tensor<!quant.uniform<i8:f32, 2.0:3>>, tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_constant
// A constant holds the storage values; it prints in generic form.
func.func @main() {
  %0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0:3>>
  %1 = "stablehlo.constant"() <{value = dense<3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_dot
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f32, 0.5>>, %p: tensor<4x2x!quant.uniform<i8:f32:1, {0.1, 0.5}>>, %f: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  %1 = stablehlo.dot_general %a, %p, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32:1, {0.1, 0.5}>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  %2 = stablehlo.dot_general %f, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2xf32>
  return
}

// -----

// accept: quantized_convolution
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// accept: quantized_convolution_per_axis
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32:3, {0.1, 0.5}>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32:3, {0.1, 0.5}>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32:3, {0.1, 0.5}>>
  return
}

// -----

// accept: quantized_convolution_hybrid
func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<1x6x6x2xf32>
  return
}

// -----

// accept: quantized_reduce
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, %z: tensor<!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// accept: quantized_add_rhs_range
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<u8:f32, 1.0>>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<u8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// accept: quantized_add_per_axis_lhs
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}
