// reject: chlo_digamma_complex complex operand
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo.digamma %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

// reject: chlo_erf_complex complex operand
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo.erf %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

// reject: chlo_erf_inv_complex complex operand
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo.erf_inv %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

// reject: chlo_erfc_complex complex operand
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo.erfc %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

// reject: chlo_lgamma_complex complex operand
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo.lgamma %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}

// -----

// reject: chlo_acos_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.acos %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_acos_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.acos %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_acosh_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.acosh %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_acosh_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.acosh %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_asin_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.asin %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_asin_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.asin %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_asinh_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.asinh %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_asinh_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.asinh %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_atan_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.atan %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_atan_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.atan %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_atanh_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.atanh %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_atanh_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.atanh %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_bessel_i1e_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.bessel_i1e %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_bessel_i1e_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.bessel_i1e %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_conj_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.conj %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_conj_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.conj %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_cosh_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.cosh %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_cosh_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.cosh %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_sinh_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.sinh %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_sinh_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.sinh %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_square_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.square %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_square_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.square %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_tan_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.tan %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_tan_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.tan %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_digamma_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.digamma %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_digamma_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.digamma %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_erf_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.erf %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_erf_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_erf_inv_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.erf_inv %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_erf_inv_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf_inv %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_erfc_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.erfc %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_erfc_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erfc %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_lgamma_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.lgamma %f : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_lgamma_result result type differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.lgamma %f : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// reject: chlo_unary_shape result shape differs
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

// reject: chlo_unary_short_type parse: result type required
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f : tensor<4xf32>
  return
}

// -----

// reject: chlo_unary_function_type parse: no function type
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_is_inf_result result is not boolean
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_inf %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_is_inf_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.is_inf %f : tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

// reject: chlo_is_inf_shape result shape
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_inf %f : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

// reject: chlo_is_neg_inf_result result is not boolean
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_neg_inf %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_is_neg_inf_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.is_neg_inf %f : tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

// reject: chlo_is_neg_inf_shape result shape
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_neg_inf %f : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

// reject: chlo_is_pos_inf_result result is not boolean
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_pos_inf %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_is_pos_inf_integer integer operand
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.is_pos_inf %f : tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

// reject: chlo_is_pos_inf_shape result shape
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_pos_inf %f : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

// reject: chlo_asin_acos_kernel_real real operand
func.func @main(%c: tensor<2xf32>) {
  %0 = chlo._asin_acos_kernel %c : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// reject: chlo_next_after_integer integer operands
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.next_after %f, %f : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_next_after_types element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = chlo.next_after %f, %g : tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_next_after_shapes shapes differ
func.func @main(%f: tensor<4xf32>, %g: tensor<5xf32>) {
  %0 = chlo.next_after %f, %g : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_next_after_one_type parse: two operand types
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.next_after %f, %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_polygamma_integer integer operands
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.polygamma %f, %f : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_polygamma_types element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = chlo.polygamma %f, %g : tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_polygamma_shapes shapes differ
func.func @main(%f: tensor<4xf32>, %g: tensor<5xf32>) {
  %0 = chlo.polygamma %f, %g : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_polygamma_one_type parse: two operand types
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.polygamma %f, %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_zeta_integer integer operands
func.func @main(%f: tensor<4xi32>) {
  %0 = chlo.zeta %f, %f : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_zeta_types element types differ
func.func @main(%f: tensor<4xf32>, %g: tensor<4xf64>) {
  %0 = chlo.zeta %f, %g : tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_zeta_shapes shapes differ
func.func @main(%f: tensor<4xf32>, %g: tensor<5xf32>) {
  %0 = chlo.zeta %f, %g : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_zeta_one_type parse: two operand types
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.zeta %f, %f : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_mulhi_float float operands
func.func @main(%i: tensor<4xf32>) {
  %0 = chlo.mulhi %i, %i : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_mulhi_types element types differ
func.func @main(%i: tensor<4xi32>, %j: tensor<4xi64>) {
  %0 = chlo.mulhi %i, %j : tensor<4xi32>, tensor<4xi64> -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_add_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_add_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_divide_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_divide %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_divide_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_divide %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_maximum_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_maximum %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_maximum_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_maximum %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_minimum_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_minimum %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_minimum_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_minimum %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_multiply_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_multiply %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_multiply_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_multiply %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_power_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_power %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_power_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_power %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_remainder_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_remainder %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_remainder_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_remainder %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_subtract_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_subtract_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_atan2_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_atan2 %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_atan2_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_atan2 %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_next_after_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_next_after %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_next_after_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_next_after %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_polygamma_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_polygamma %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_polygamma_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_polygamma %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_zeta_types element types differ
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  %0 = chlo.broadcast_zeta %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_zeta_result result shape
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_zeta %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_shift_left_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_shift_left %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_shift_left_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_left %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_shift_right_arithmetic_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_shift_right_arithmetic_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_shift_right_logical_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_shift_right_logical %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_shift_right_logical_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_shift_right_logical %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_and_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_and %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_and_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_and %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_or_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_or %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_or_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_or %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_xor_types element types differ
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  %0 = chlo.broadcast_xor %a, %b : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_xor_result result shape
func.func @main(%a: tensor<4x3xi32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_xor %a, %b : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// reject: chlo_broadcast_zeta_integer integer operands
func.func @main(%a: tensor<4xi32>) {
  %0 = chlo.broadcast_zeta %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_broadcast_and_float float operands
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_and %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_or_float float operands
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_or %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_xor_float float operands
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_xor %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_add_short_type parse: function type required
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_add %a, %a : tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_add_dimensions_kind broadcast_dimensions as elements
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_add %a, %a {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_complex_result real result
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_complex %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_complex_operand complex operand
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %0 = chlo.broadcast_complex %a, %a : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// reject: chlo_broadcast_compare_missing required attribute
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_compare %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: chlo_broadcast_compare_other_dialect direction of stablehlo
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_compare %a, %a {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: chlo_broadcast_compare_direction parse: direction
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction XX>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: chlo_broadcast_compare_type parse: comparison type
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_compare %a, %a {compare_type = #chlo<comparison_type XX>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// reject: chlo_broadcast_compare_result result is not boolean
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_broadcast_select_types branch element types differ
func.func @main(%p: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xi32>) {
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_select_pred pred is not boolean
func.func @main(%p: tensor<3xi32>, %a: tensor<3xf32>) {
  %0 = chlo.broadcast_select %p, %a, %a : (tensor<3xi32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reject: chlo_broadcast_select_result result shape
func.func @main(%p: tensor<i1>, %a: tensor<3xf32>) {
  %0 = chlo.broadcast_select %p, %a, %a : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_constant_result result type
func.func @main() {
  %0 = "chlo.constant"() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<3xi8>
  return
}

// -----

// reject: chlo_constant_missing value required
func.func @main() {
  %0 = "chlo.constant"() : () -> tensor<3xi8>
  return
}

// -----

// reject: chlo_constant_like_type value and result element types differ
func.func @main(%a: tensor<4xi32>) {
  %0 = "chlo.constant_like"(%a) <{value = 3.200000e+00 : f32}> : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_constant_like_shape result shape
func.func @main(%a: tensor<4xi32>) {
  %0 = "chlo.constant_like"(%a) <{value = 3 : i32}> : (tensor<4xi32>) -> tensor<5xi32>
  return
}

// -----

// reject: chlo_constant_like_missing value required
func.func @main(%a: tensor<4xi32>) {
  %0 = "chlo.constant_like"(%a) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_constant_like_untyped value without a type
func.func @main(%a: tensor<4xi32>) {
  %0 = "chlo.constant_like"(%a) <{value = "x"}> : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// reject: chlo_top_k_large k beyond the last dimension
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a, k = 9) : tensor<4x8xf32> -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return
}

// -----

// reject: chlo_top_k_scalar rank 0
func.func @main(%a: tensor<f32>) {
  %0:2 = chlo.top_k(%a, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

// reject: chlo_top_k_shape values shape
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<3x8xf32>, tensor<4x3xi32>)
  return
}

// -----

// reject: chlo_top_k_indices indices type
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return
}

// -----

// reject: chlo_top_k_negative k negative
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a, k = -1) : tensor<4x8xf32> -> (tensor<4x1xf32>, tensor<4x1xi32>)
  return
}

// -----

// reject: chlo_top_k_missing parse: k required
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return
}

// -----

// reject: chlo_top_k_is_stable parse: no is_stable in this version
func.func @main(%a: tensor<4x8xf32>) {
  %0:2 = chlo.top_k(%a, k = 3, is_stable = true) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return
}

// -----

// reject: chlo_ragged_dot_no_ragged one ragged dimension needed
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_two_ragged one ragged dimension only
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_ragged_range ragged dimension out of range
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_no_group one group dimension needed
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_group_range group dimension out of range
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [3]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_group_contracting group dimension is contracting
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_group_size group dimension size
func.func @main(%a: tensor<11x5xf32>, %b: tensor<4x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<4x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_group_when_contracting no group dimension in contracting mode
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_sizes_rank group_sizes rank
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<2x3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<2x3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_sizes_shape group_sizes prefix
func.func @main(%a: tensor<2x11x5xf32>, %b: tensor<3x2x5x7xf32>, %g: tensor<4x3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<4x3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_contracting_size contracting sizes differ
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x6x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x6x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_result result shape
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_precision_count three precisions
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#chlo<precision HIGH>, #chlo<precision HIGH>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_precision_dialect precision of stablehlo
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_sizes_type float group_sizes
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xf32>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xf32>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_missing required attribute
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_numbers_field parse: field
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_dims = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_ragged_dot_numbers_twice parse: field given twice
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_ragged_dimensions = [1], lhs_ragged_dimensions = [1]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// reject: chlo_attribute_precision parse: precision
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f {v = #chlo<precision LOW>} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_attribute_unknown parse: unknown attribute
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.erf %f {v = #chlo.nothing<1>} : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// reject: chlo_op_unknown unknown op
func.func @main(%f: tensor<4xf32>) {
  %0 = "chlo.nothing"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: chlo_scan_dimension dimension out of range
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=2 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_dimension_negative dimension negative
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=-1 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_nothing neither inputs nor outputs
func.func @main(%i: tensor<8xf32>) {
  %0 = chlo.scan() inits (%i) dimension=0 {
  ^bb0(%c: tensor<8xf32>):
    stablehlo.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// reject: chlo_scan_sizes scan dimension sizes differ
func.func @main(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a, %b) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>, %c: tensor<8xf32>):
    stablehlo.return %x, %c : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_size_attribute scan_dim_size differs
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_arguments body argument count
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>):
    stablehlo.return %x, %x : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_argument_shape body argument shape
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<4x8xf32>, %c: tensor<8xf32>):
    stablehlo.return %c, %c : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_argument_type body argument type
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xi32>, %c: tensor<8xf32>):
    stablehlo.return %c, %c : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_output_type output type
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_carry_type carry type
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<9xf32>)
  return
}

// -----

// reject: chlo_scan_no_carry_result parse: fewer results than carries
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

// reject: chlo_scan_no_inits parse: inits required
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: chlo_scan_type_count parse: operand types
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}
