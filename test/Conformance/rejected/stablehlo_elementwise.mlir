// reject: cbrt_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.cbrt %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: cbrt_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.cbrt %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: cbrt_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.cbrt %f : tensor<4xi32>
  return
}

// -----

// reject: cosine_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.cosine %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: cosine_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.cosine %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: cosine_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.cosine %f : tensor<4xi32>
  return
}

// -----

// reject: exponential_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.exponential %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: exponential_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.exponential %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: exponential_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.exponential %f : tensor<4xi32>
  return
}

// -----

// reject: exponential_minus_one_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.exponential_minus_one %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: exponential_minus_one_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.exponential_minus_one %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: exponential_minus_one_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.exponential_minus_one %f : tensor<4xi32>
  return
}

// -----

// reject: log_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.log %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: log_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.log %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: log_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.log %f : tensor<4xi32>
  return
}

// -----

// reject: log_plus_one_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.log_plus_one %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: log_plus_one_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.log_plus_one %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: log_plus_one_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.log_plus_one %f : tensor<4xi32>
  return
}

// -----

// reject: logistic_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.logistic %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: logistic_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.logistic %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: logistic_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.logistic %f : tensor<4xi32>
  return
}

// -----

// reject: rsqrt_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.rsqrt %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: rsqrt_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.rsqrt %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: rsqrt_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.rsqrt %f : tensor<4xi32>
  return
}

// -----

// reject: sine_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.sine %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: sine_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.sine %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: sine_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.sine %f : tensor<4xi32>
  return
}

// -----

// reject: sqrt_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.sqrt %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: sqrt_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.sqrt %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: sqrt_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.sqrt %f : tensor<4xi32>
  return
}

// -----

// reject: tan_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.tan %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: tan_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tan %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: tan_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.tan %f : tensor<4xi32>
  return
}

// -----

// reject: tanh_result_shape (C1) shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.tanh %f : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: tanh_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// reject: tanh_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.tanh %f : tensor<4xi32>
  return
}

// -----

// reject: ceil_complex (I1) complex operand
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.ceil %f : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: ceil_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.ceil %f : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reject: floor_complex (I1) complex operand
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.floor %f : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: floor_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.floor %f : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reject: round_nearest_afz_complex (I1) complex operand
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.round_nearest_afz %f : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: round_nearest_afz_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.round_nearest_afz %f : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reject: round_nearest_even_complex (I1) complex operand
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.round_nearest_even %f : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: round_nearest_even_result_type (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.round_nearest_even %f : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reject: abs_unsigned (I1) unsigned operand
func.func @main(%f: tensor<4xui32>) {
  %0 = stablehlo.abs %f : tensor<4xui32>
  return
}

// -----

// reject: abs_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.abs %f : tensor<4xi1>
  return
}

// -----

// reject: abs_shape (C1) shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.abs %f : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// reject: abs_complex_result (C2) complex operand needs real result
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.abs %f : tensor<4xcomplex<f32>>
  return
}

// -----

// reject: abs_complex_width (C2) real type of other width
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.abs %f : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// reject: abs_int_type (C2) element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.abs %f : (tensor<4xi32>) -> tensor<4xi64>
  return
}

// -----

// reject: negate_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.negate %f : tensor<4xi1>
  return
}

// -----

// reject: negate_result (C1) element type differs
func.func @main(%f: tensor<4xi8>) {
  %0 = stablehlo.negate %f : (tensor<4xi8>) -> tensor<4xui8>
  return
}

// -----

// reject: sign_unsigned (I1) unsigned operand
func.func @main(%f: tensor<4xui32>) {
  %0 = stablehlo.sign %f : tensor<4xui32>
  return
}

// -----

// reject: sign_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.sign %f : tensor<4xi1>
  return
}

// -----

// reject: sign_result (C1) element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.sign %f : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// reject: count_leading_zeros_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.count_leading_zeros %f : tensor<4xf32>
  return
}

// -----

// reject: count_leading_zeros_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.count_leading_zeros %f : tensor<4xi1>
  return
}

// -----

// reject: count_leading_zeros_result (C1) element type differs
func.func @main(%f: tensor<4xi64>) {
  %0 = stablehlo.count_leading_zeros %f : (tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: popcnt_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.popcnt %f : tensor<4xf32>
  return
}

// -----

// reject: popcnt_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.popcnt %f : tensor<4xi1>
  return
}

// -----

// reject: popcnt_result (C1) element type differs
func.func @main(%f: tensor<4xi64>) {
  %0 = stablehlo.popcnt %f : (tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: not_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.not %f : tensor<4xf32>
  return
}

// -----

// reject: not_result (C1) element type differs
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.not %f : (tensor<4xi1>) -> tensor<4xi8>
  return
}

// -----

// reject: real_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.real %f : tensor<4xi32>
  return
}

// -----

// reject: real_shape (C1) shape differs
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %f : (tensor<4xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

// reject: real_width (C2) real type of other width
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %f : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// reject: imag_integer (I1) integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.imag %f : tensor<4xi32>
  return
}

// -----

// reject: imag_shape (C1) shape differs
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.imag %f : (tensor<4xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

// reject: imag_width (C2) real type of other width
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.imag %f : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// reject: is_finite_complex (I1) complex operand
func.func @main(%f: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.is_finite %f : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

// reject: is_finite_result (O1) result is not boolean
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.is_finite %f : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: is_finite_shape (C1) shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.is_finite %f : (tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

// reject: convert_shape (C1) shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<2x2xf64>
  return
}

// -----

// reject: convert_index (O1) index result
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.convert %f : (tensor<4xi32>) -> tensor<4xindex>
  return
}

// -----

// reject: add_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.add %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: add_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.add %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: add_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.add %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: subtract_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.subtract %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: subtract_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.subtract %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: subtract_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.subtract %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: multiply_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.multiply %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: multiply_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.multiply %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: multiply_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.multiply %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: divide_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.divide %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: divide_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.divide %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: divide_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.divide %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: maximum_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.maximum %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: maximum_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.maximum %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: maximum_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.maximum %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: minimum_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.minimum %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: minimum_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.minimum %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: minimum_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.minimum %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: power_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.power %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: power_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.power %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: power_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.power %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: remainder_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.remainder %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: remainder_operand_shapes (C1) operand shapes differ, no broadcasting
func.func @main(%f: tensor<4xf32>, %g: tensor<1xf32>) {
  %0 = stablehlo.remainder %f, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: remainder_result_type (C1) result element type differs
func.func @main(%f: tensor<4xi32>) {
  %0 = stablehlo.remainder %f, %f : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: subtract_boolean (I1) boolean operand
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.subtract %b, %b : tensor<2xi1>
  return
}

// -----

// reject: divide_boolean (I1) boolean operand
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.divide %b, %b : tensor<2xi1>
  return
}

// -----

// reject: power_boolean (I1) boolean operand
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.power %b, %b : tensor<2xi1>
  return
}

// -----

// reject: remainder_boolean (I1) boolean operand
func.func @main(%b: tensor<2xi1>) {
  %0 = stablehlo.remainder %b, %b : tensor<2xi1>
  return
}

// -----

// reject: atan2_integer (I1) integer operand
func.func @main(%b: tensor<2xi32>) {
  %0 = stablehlo.atan2 %b, %b : tensor<2xi32>
  return
}

// -----

// reject: atan2_shapes (C1) operand shapes differ
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.atan2 %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// reject: and_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.and %f, %f : tensor<4xf32>
  return
}

// -----

// reject: and_operands (C1) operand types differ
func.func @main(%f: tensor<4xi1>, %g: tensor<4xi8>) {
  %0 = stablehlo.and %f, %g : (tensor<4xi1>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// reject: and_result (C1) result shape differs
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.and %f, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<2xi1>
  return
}

// -----

// reject: or_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.or %f, %f : tensor<4xf32>
  return
}

// -----

// reject: or_operands (C1) operand types differ
func.func @main(%f: tensor<4xi1>, %g: tensor<4xi8>) {
  %0 = stablehlo.or %f, %g : (tensor<4xi1>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// reject: or_result (C1) result shape differs
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.or %f, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<2xi1>
  return
}

// -----

// reject: xor_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.xor %f, %f : tensor<4xf32>
  return
}

// -----

// reject: xor_operands (C1) operand types differ
func.func @main(%f: tensor<4xi1>, %g: tensor<4xi8>) {
  %0 = stablehlo.xor %f, %g : (tensor<4xi1>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// reject: xor_result (C1) result shape differs
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.xor %f, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<2xi1>
  return
}

// -----

// reject: shift_left_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.shift_left %f, %f : tensor<4xf32>
  return
}

// -----

// reject: shift_left_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.shift_left %f, %f : tensor<4xi1>
  return
}

// -----

// reject: shift_left_operands (C1) operand types differ
func.func @main(%f: tensor<4xi32>, %g: tensor<4xui32>) {
  %0 = stablehlo.shift_left %f, %g : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// reject: shift_right_arithmetic_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.shift_right_arithmetic %f, %f : tensor<4xf32>
  return
}

// -----

// reject: shift_right_arithmetic_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.shift_right_arithmetic %f, %f : tensor<4xi1>
  return
}

// -----

// reject: shift_right_arithmetic_operands (C1) operand types differ
func.func @main(%f: tensor<4xi32>, %g: tensor<4xui32>) {
  %0 = stablehlo.shift_right_arithmetic %f, %g : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// reject: shift_right_logical_float (I1) float operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.shift_right_logical %f, %f : tensor<4xf32>
  return
}

// -----

// reject: shift_right_logical_boolean (I1) boolean operand
func.func @main(%f: tensor<4xi1>) {
  %0 = stablehlo.shift_right_logical %f, %f : tensor<4xi1>
  return
}

// -----

// reject: shift_right_logical_operands (C1) operand types differ
func.func @main(%f: tensor<4xi32>, %g: tensor<4xui32>) {
  %0 = stablehlo.shift_right_logical %f, %g : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// reject: complex_operands (C1) operand types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.complex %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// reject: complex_shape (C2) result shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.complex %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// reject: complex_width (C3) result element type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.complex %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}

// -----

// reject: complex_half (I1) f16 operand
func.func @main(%f: tensor<4xf16>) {
  %0 = stablehlo.complex %f, %f : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xcomplex<f16>>
  return
}

// -----

// reject: complex_short_type parse: short type must be complex
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.complex %f, %f : tensor<4xf32>
  return
}

// -----

// reject: compare_operand_types (C1) operand element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.compare EQ, %f, %g : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_operand_shapes (C2) operand shapes differ
func.func @main(%f: tensor<4xf32>, %g: tensor<3xf32>) {
  %0 = stablehlo.compare EQ, %f, %g : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_result_shape (C2) result shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare EQ, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<3xi1>
  return
}

// -----

// reject: compare_result_type (O1) result is not boolean
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare EQ, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// reject: compare_direction_unknown parse: direction
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare XX, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_direction_lower_case parse: direction is case sensitive
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare eq, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_type_unknown parse: comparison type
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare EQ, %f, %f, DOUBLE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_direction_missing (I3) required attribute
func.func @main(%f: tensor<4xf32>) {
  %0 = "stablehlo.compare"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: compare_short_type parse: functional type required
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.compare EQ, %f, %f : tensor<4xf32>
  return
}

// -----

// reject: clamp_min_shape (C1) min neither scalar nor same shape
func.func @main(%m: tensor<1x3xf32>, %f: tensor<4x3xf32>) {
  %0 = stablehlo.clamp %m, %f, %f : (tensor<1x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// reject: clamp_max_shape (C2) max neither scalar nor same shape
func.func @main(%m: tensor<3xf32>, %f: tensor<4x3xf32>) {
  %0 = stablehlo.clamp %f, %f, %m : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// reject: clamp_element_types (C3) min element type differs
func.func @main(%m: tensor<f64>, %f: tensor<4x3xf32>) {
  %0 = stablehlo.clamp %m, %f, %f : (tensor<f64>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// reject: clamp_result (C4) result shape differs
func.func @main(%f: tensor<4x3xf32>) {
  %0 = stablehlo.clamp %f, %f, %f : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// reject: clamp_type_count parse: three operands need three types
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.clamp %f, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: clamp_result_count parse: one result type expected
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.clamp %f, %f, %f : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// reject: select_pred_shape (C1) pred shape
func.func @main(%p: tensor<3xi1>, %f: tensor<4x3xf32>) {
  %0 = stablehlo.select %p, %f, %f : tensor<3xi1>, tensor<4x3xf32>
  return
}

// -----

// reject: select_pred_type (I1) pred not boolean
func.func @main(%p: tensor<4xi32>, %f: tensor<4xf32>) {
  %0 = stablehlo.select %p, %f, %f : tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// reject: select_branch_types (C2) branch element types differ
func.func @main(%p: tensor<4xi1>, %f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = stablehlo.select %p, %f, %g : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: select_branch_shapes (C2) branch shapes differ
func.func @main(%p: tensor<i1>, %f: tensor<4xf32>, %g: tensor<5xf32>) {
  %0 = stablehlo.select %p, %f, %g : (tensor<i1>, tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: select_result (C2) result shape differs
func.func @main(%p: tensor<i1>, %f: tensor<4xf32>) {
  %0 = stablehlo.select %p, %f, %f : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// reject: select_one_type parse: two types or a function type
func.func @main(%p: tensor<i1>, %f: tensor<4xf32>) {
  %0 = stablehlo.select %p, %f, %f : tensor<4xf32>
  return
}

// -----

// reject: select_three_types parse: two types or a function type
func.func @main(%p: tensor<i1>, %f: tensor<4xf32>) {
  %0 = stablehlo.select %p, %f, %f : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// reject: unary_type_count parse: one operand needs one type
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: unary_two_operands parse: unary op with two operands
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f, %f : tensor<4xf32>
  return
}

// -----

// reject: binary_one_operand parse: binary op with one operand
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.add %f : tensor<4xf32>
  return
}

// -----

// reject: binary_generic_operand_count generic form with one operand
func.func @main(%f: tensor<4xf32>) {
  %0 = "stablehlo.add"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: binary_missing_type parse: missing type
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.add %f, %f
  return
}

// -----

// reject: binary_operand_type_mismatch use of value with another type
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.add %f, %f : tensor<4xf64>
  return
}

// -----

// reject: binary_scalar_type (I1) scalar, not tensor
func.func @main(%f: f32) {
  %0 = stablehlo.add %f, %f : f32
  return
}

// -----

// reject: binary_vector_type (I1) vector, not tensor
func.func @main(%f: vector<4xf32>) {
  %0 = stablehlo.add %f, %f : vector<4xf32>
  return
}

// -----

// reject: binary_unranked (I1) unranked tensor
func.func @main(%f: tensor<*xf32>) {
  %0 = stablehlo.add %f, %f : tensor<*xf32>
  return
}

// -----

// reject: binary_bad_width (I1) i3 is no element type
func.func @main(%f: tensor<4xi3>) {
  %0 = stablehlo.add %f, %f : tensor<4xi3>
  return
}

// -----

// reject: binary_f80 (I1) f80 is no element type
func.func @main(%f: tensor<4xf80>) {
  %0 = stablehlo.add %f, %f : tensor<4xf80>
  return
}

// -----

// reject: binary_signed (I1) explicitly signed integer
func.func @main(%f: tensor<4xsi32>) {
  %0 = stablehlo.add %f, %f : tensor<4xsi32>
  return
}

// -----

// reject: result_accuracy_negative_ulps ulps < 0
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_negative_atol atol < 0
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_negative_rtol rtol < 0
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<rtol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_default_with_tolerance tolerance with mode DEFAULT
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_highest_with_ulps ulps with mode HIGHEST
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_unknown_mode parse: mode
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<LOWEST>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_unknown_field parse: field
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<etol = 1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_no_mode parse: mode required
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.0>} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_wrong_attribute attribute of another kind
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = 1 : i32} : tensor<4xf32>
  return
}

// -----

// reject: result_accuracy_mode_alone mode attribute is not the accuracy attribute
func.func @main(%f: tensor<4xf32>) {
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy_mode<HIGHEST>} : tensor<4xf32>
  return
}
