// reject: quantized_to_expressed (C1) quantized to expressed type
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.tanh %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4xf32>
  return
}

// -----

// reject: quantized_from_expressed (C1) expressed to quantized type
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.tanh %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_result_shape (C1) shape differs
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.tanh %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<5x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_result_expressed (C1) expressed type differs
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.tanh %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f16, 2.0:3>>
  return
}

// -----

// reject: quantized_integer_op (I1) quantized operand of an integer op
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.not %a : tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_per_axis_unary (I1) per-axis operand
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.tanh %a : tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_sub_channel (I1) sub-channel operand
func.func @main(%a: tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{2.0:3, 1.0}, {1.0, 1.0}}>>) {
  %0 = stablehlo.add %a, %a : tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{2.0:3, 1.0}, {1.0, 1.0}}>>
  return
}

// -----

// reject: quantized_convert (I1) convert of a quantized operand
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.convert %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4xf32>
  return
}

// -----

// reject: quantized_add_mixed (C2) one operand not quantized
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_add_storage (C3) storage types differ
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x!quant.uniform<i16:f32, 2.0:3>>) {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x!quant.uniform<i16:f32, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_add_expressed (C4) expressed types differ
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x!quant.uniform<i8:f16, 2.0:3>>) {
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x!quant.uniform<i8:f16, 2.0:3>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_add_axis (C5) per-axis operand, per-tensor result
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_add_axis_result (C5) per-axis result only
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_add_lhs_dimension (C6) quantization dimension of lhs
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_add_rhs_dimension (C7) quantization dimension of rhs
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.add %b, %a : (tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantize_shape (C1) shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.uniform_quantize %f : (tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantize_expressed (C2) expressed type
func.func @main(%f: tensor<4xf16>) {
  %0 = stablehlo.uniform_quantize %f : (tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quantize_result (O1) result is not quantized
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.uniform_quantize %f : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

// reject: quantize_integer (I1) integer operand
func.func @main(%f: tensor<4xi8>) {
  %0 = stablehlo.uniform_quantize %f : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: dequantize_shape (C1) shape differs
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<5xf32>
  return
}

// -----

// reject: dequantize_expressed (C2) result type
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4xf64>
  return
}

// -----

// reject: dequantize_float (I1) operand is not quantized
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.uniform_dequantize %a : tensor<4xf32>
  return
}

// -----

// reject: quantized_axis_range quantization dimension beyond the rank
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:2, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.add %a, %a : tensor<2x4x!quant.uniform<i8:f32:2, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_axis_size scale count and dimension size differ
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.add %a, %a : tensor<3x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_reshape_scale (C1) parameters change in reshape
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<8x!quant.uniform<i8:f32, 1.0:-1>>
  return
}

// -----

// reject: quantized_reshape_axis (C3) quantization dimension in reshape
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<4x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_transpose_axis (C4) quantization dimension in transpose
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_broadcast_axis (C6) quantization dimension in broadcast
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.1:-30, 0.5:0}>>
  return
}

// -----

// reject: quantized_dot_rhs (C14) rhs is not quantized
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2xf32>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_dot_result (C14) result is not quantized
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2xf32>
  return
}

// -----

// reject: quantized_dot_zero_point (C15) zero point of rhs
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_dot_axis (C16) quantized along the contracting dimension
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f32:0, {0.1, 0.5, 0.1, 0.1}>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32:0, {0.1, 0.5, 0.1, 0.1}>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_dot_storage (C17) storage types differ
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i4:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i4:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_dot_expressed (C18) expressed types differ
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f16, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f16, 0.5>>) -> tensor<3x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_dot_granularity (C19) per-axis result of a per-tensor rhs
func.func @main(%a: tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4x2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4x!quant.uniform<i8:f32, 2.0:3>>, tensor<4x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i32:f32:1, {0.1, 0.5}>>
  return
}

// -----

// reject: quantized_dot_hybrid (C20) lhs is not the expressed type
func.func @main(%a: tensor<3x4xf16>, %b: tensor<4x2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf16>, tensor<4x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2xf16>
  return
}

// -----

// reject: quantized_convolution_rhs (C28) rhs is not quantized
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2xf32>) -> tensor<1x6x6x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_convolution_axis (C29) quantization dimension of rhs
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32:2, {0.1, 0.5, 0.1}>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32:2, {0.1, 0.5, 0.1}>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_convolution_result_axis (C30) quantization dimension of result
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32:3, {0.1, 0.5}>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32:3, {0.1, 0.5}>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32:0, {0.1}>>
  return
}

// -----

// reject: quantized_convolution_storage (C31) storage types differ
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i4:f32, 0.5>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i4:f32, 0.5>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32, 4.0>>
  return
}

// -----

// reject: quantized_convolution_expressed (C32) expressed types differ
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<1x6x6x2x!quant.uniform<i32:f16, 0.5>>
  return
}

// -----

// reject: quantized_convolution_granularity (C33) per-axis result of a per-tensor rhs
func.func @main(%x: tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3x!quant.uniform<i8:f32, 2.0:3>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<1x6x6x2x!quant.uniform<i32:f32:3, {0.1, 0.5}>>
  return
}

// -----

// reject: quantized_convolution_hybrid_type (C34) lhs is not the expressed type
func.func @main(%x: tensor<1x8x8x3xf16>, %k: tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf16>, tensor<3x3x3x2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<1x6x6x2xf16>
  return
}

// -----

// reject: quantized_constant_type (C1) storage type of the value
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<3> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0:3>>
  return
}

// -----

// reject: quant_scale_negative parse: negative scale
func.func private @f(tensor<4x!quant.uniform<i8:f32, -1.0>>)

// -----

// reject: quant_storage_range parse: storage range
func.func private @f(tensor<4x!quant.uniform<i8<-300:127>:f32, 1.0>>)

// -----

// reject: quant_storage_float parse: storage type
func.func private @f(tensor<4x!quant.uniform<f32:f32, 1.0>>)

// -----

// reject: quant_storage_i64 (I1) storage of 64 bits
func.func @main(%a: tensor<4x!quant.uniform<i64:f32, 1.0>>) {
  %0 = stablehlo.add %a, %a : tensor<4x!quant.uniform<i64:f32, 1.0>>
  return
}

// -----

// reject: quantized_reshape_storage (C1) storage type in reshape
func.func @main(%a: tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) {
  %0 = stablehlo.reshape %a : (tensor<2x4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<8x!quant.uniform<i16:f32, 2.0:3>>
  return
}

// -----

// reject: quantized_add_signedness result of other signedness
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<u8:f32, 1.0>>
  return
}

// -----

// reject: quantized_add_range result of another range
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8<-5:5>:f32, 1.0>>
  return
}

// -----

// reject: quantized_add_per_axis_rhs result inferred from a left operand per tensor
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  return
}

// -----

// reject: quantized_signed_storage storage with an explicit sign
func.func @main(%a: tensor<2x2x!quant.uniform<si8:f32, 1.0>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x2x!quant.uniform<si8:f32, 1.0>>) -> tensor<2x2xf32>
  return
}

// -----

// reject: quantized_signed_storage_per_axis storage with an explicit sign
func.func @main(%a: tensor<2x2x!quant.uniform<si8:f32:0, {1.0,2.0}>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x2x!quant.uniform<si8:f32:0, {1.0,2.0}>>) -> tensor<2x2xf32>
  return
}

// -----

// reject: quantized_signed_storage_add storage with an explicit sign
func.func @main(%a: tensor<2x2x!quant.uniform<si8:f32, 1.0>>) {
  %0 = stablehlo.add %a, %a : tensor<2x2x!quant.uniform<si8:f32, 1.0>>
  return
}
