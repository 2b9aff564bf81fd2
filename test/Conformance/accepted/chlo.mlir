// accept: chlo_acos
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.acos %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.acos %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.acos"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.acos %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.acos %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_acosh
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.acosh %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.acosh %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.acosh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.acosh %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.acosh %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_asin
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.asin %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.asin %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.asin"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.asin %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.asin %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_asinh
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.asinh %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.asinh %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.asinh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.asinh %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.asinh %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_atan
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.atan %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.atan %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.atan"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.atan %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.atan %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_atanh
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.atanh %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.atanh %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.atanh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.atanh %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.atanh %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_bessel_i1e
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.bessel_i1e %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.bessel_i1e %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.bessel_i1e"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.bessel_i1e %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.bessel_i1e %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_conj
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.conj %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.conj %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.conj"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.conj %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.conj %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_cosh
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.cosh %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.cosh %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.cosh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.cosh %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.cosh %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_sinh
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.sinh %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.sinh %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.sinh"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.sinh %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.sinh %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_square
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.square %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.square %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.square"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.square %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.square %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_tan
func.func @main(%f: tensor<4xf32>, %c: tensor<2xcomplex<f32>>, %u: tensor<*xf32>, %d: tensor<?xbf16>) {
  %0 = chlo.tan %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.tan %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = "chlo.tan"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.tan %u : tensor<*xf32> -> tensor<*xf32>
  %4 = chlo.tan %d {extra} : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// -----

// accept: chlo_digamma
func.func @main(%f: tensor<4xf32>, %h: tensor<f16>, %e: tensor<3xf8E5M2>) {
  %0 = chlo.digamma %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.digamma %h : tensor<f16> -> tensor<f16>
  %2 = "chlo.digamma"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.digamma %e : tensor<3xf8E5M2> -> tensor<3xf8E5M2>
  return
}

// -----

// accept: chlo_erf
func.func @main(%f: tensor<4xf32>, %h: tensor<f16>, %e: tensor<3xf8E5M2>) {
  %0 = chlo.erf %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erf %h : tensor<f16> -> tensor<f16>
  %2 = "chlo.erf"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.erf %e : tensor<3xf8E5M2> -> tensor<3xf8E5M2>
  return
}

// -----

// accept: chlo_erf_inv
func.func @main(%f: tensor<4xf32>, %h: tensor<f16>, %e: tensor<3xf8E5M2>) {
  %0 = chlo.erf_inv %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erf_inv %h : tensor<f16> -> tensor<f16>
  %2 = "chlo.erf_inv"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.erf_inv %e : tensor<3xf8E5M2> -> tensor<3xf8E5M2>
  return
}

// -----

// accept: chlo_erfc
func.func @main(%f: tensor<4xf32>, %h: tensor<f16>, %e: tensor<3xf8E5M2>) {
  %0 = chlo.erfc %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erfc %h : tensor<f16> -> tensor<f16>
  %2 = "chlo.erfc"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.erfc %e : tensor<3xf8E5M2> -> tensor<3xf8E5M2>
  return
}

// -----

// accept: chlo_lgamma
func.func @main(%f: tensor<4xf32>, %h: tensor<f16>, %e: tensor<3xf8E5M2>) {
  %0 = chlo.lgamma %f : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.lgamma %h : tensor<f16> -> tensor<f16>
  %2 = "chlo.lgamma"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.lgamma %e : tensor<3xf8E5M2> -> tensor<3xf8E5M2>
  return
}

// -----

// accept: chlo_is_inf
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_inf %f : tensor<4xf32> -> tensor<4xi1>
  %1 = "chlo.is_inf"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: chlo_is_neg_inf
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_neg_inf %f : tensor<4xf32> -> tensor<4xi1>
  %1 = "chlo.is_neg_inf"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: chlo_is_pos_inf
func.func @main(%f: tensor<4xf32>) {
  %0 = chlo.is_pos_inf %f : tensor<4xf32> -> tensor<4xi1>
  %1 = "chlo.is_pos_inf"(%f) : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// accept: chlo_asin_acos_kernel
func.func @main(%c: tensor<2xcomplex<f32>>) {
  %0 = chlo._asin_acos_kernel %c : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = "chlo._asin_acos_kernel"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// accept: chlo_next_after
func.func @main(%f: tensor<4xf32>, %d: tensor<?xf32>) {
  %0 = chlo.next_after %f, %f : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = "chlo.next_after"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.next_after %f, %d : tensor<4xf32>, tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

// accept: chlo_polygamma
func.func @main(%f: tensor<4xf32>, %d: tensor<?xf32>) {
  %0 = chlo.polygamma %f, %f : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = "chlo.polygamma"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.polygamma %f, %d : tensor<4xf32>, tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

// accept: chlo_zeta
func.func @main(%f: tensor<4xf32>, %d: tensor<?xf32>) {
  %0 = chlo.zeta %f, %f : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = "chlo.zeta"(%f, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.zeta %f, %d : tensor<4xf32>, tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

// accept: chlo_mulhi
func.func @main(%i: tensor<4xi32>, %u: tensor<2xui64>) {
  %0 = chlo.mulhi %i, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %1 = chlo.mulhi %u, %u : tensor<2xui64>, tensor<2xui64> -> tensor<2xui64>
  %2 = "chlo.mulhi"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: chlo_broadcast_add
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_add %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_add %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_add %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_add %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_add"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_add %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_add %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_divide
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_divide %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_divide %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_divide %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_divide %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_divide"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_divide %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_divide %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_maximum
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_maximum %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_maximum %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_maximum %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_maximum %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_maximum"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_maximum %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_maximum %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_minimum
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_minimum %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_minimum %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_minimum %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_minimum %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_minimum"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_minimum %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_minimum %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_multiply
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_multiply %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_multiply %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_multiply %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_multiply %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_multiply"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_multiply %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_multiply %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_power
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_power %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_power %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_power %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_power %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_power"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_power %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_power %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_remainder
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_remainder %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_remainder %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_remainder %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_remainder %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_remainder"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_remainder %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_remainder %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_subtract
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_subtract %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_subtract %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_subtract %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_subtract %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_subtract"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_subtract %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_subtract %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_atan2
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_atan2 %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_atan2 %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_atan2 %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_atan2 %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_atan2"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_atan2 %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_atan2 %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_next_after
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_next_after %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_next_after %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_next_after %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_next_after %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_next_after"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_next_after %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_next_after %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_polygamma
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_polygamma %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_polygamma %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_polygamma %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_polygamma %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_polygamma"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_polygamma %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_polygamma %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_zeta
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %w: tensor<4xf32>, %u: tensor<*xf32>, %d: tensor<?xf32>) {
  %0 = chlo.broadcast_zeta %a, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_zeta %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = chlo.broadcast_zeta %s, %a {broadcast_dimensions = array<i64>} : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = chlo.broadcast_zeta %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %4 = "chlo.broadcast_zeta"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = chlo.broadcast_zeta %u, %a : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  %6 = chlo.broadcast_zeta %d, %v : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// accept: chlo_broadcast_shift_left
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_shift_left %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_shift_left %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_shift_left %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_shift_left %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_shift_left"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_shift_left %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_shift_left %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_shift_right_arithmetic
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_shift_right_arithmetic %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_shift_right_arithmetic %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_shift_right_arithmetic %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_shift_right_arithmetic"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_shift_right_arithmetic %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_shift_right_arithmetic %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_shift_right_logical
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_shift_right_logical %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_shift_right_logical %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_shift_right_logical %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_shift_right_logical %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_shift_right_logical"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_shift_right_logical %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_shift_right_logical %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_and
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_and %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_and %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_and %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_and %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_and"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_and %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_and %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_or
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_or %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_or %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_or %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_or %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_or"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_or %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_or %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_xor
func.func @main(%a: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %w: tensor<4xi32>, %u: tensor<*xi32>, %d: tensor<?xi32>) {
  %0 = chlo.broadcast_xor %a, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = chlo.broadcast_xor %a, %v : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %2 = chlo.broadcast_xor %s, %a {broadcast_dimensions = array<i64>} : (tensor<i32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %3 = chlo.broadcast_xor %a, %w {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xi32>, tensor<4xi32>) -> tensor<4x3xi32>
  %4 = "chlo.broadcast_xor"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xi32>, tensor<3xi32>) -> tensor<4x3xi32>
  %5 = chlo.broadcast_xor %u, %a : (tensor<*xi32>, tensor<4x3xi32>) -> tensor<*xi32>
  %6 = chlo.broadcast_xor %d, %v : (tensor<?xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

// accept: chlo_broadcast_atan2_integer
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xi32>) {
  %0 = chlo.broadcast_atan2 %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: chlo_broadcast_next_after_integer
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xi32>) {
  %0 = chlo.broadcast_next_after %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: chlo_broadcast_polygamma_integer
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xi32>) {
  %0 = chlo.broadcast_polygamma %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// accept: chlo_broadcast_shift_left_float
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_shift_left %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// accept: chlo_broadcast_shift_right_arithmetic_float
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// accept: chlo_broadcast_shift_right_logical_float
// The broadcasting form does not check the element type.
func.func @main(%a: tensor<4xf32>) {
  %0 = chlo.broadcast_shift_right_logical %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// accept: chlo_broadcast_complex
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>) {
  %0 = chlo.broadcast_complex %a, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xcomplex<f32>>
  %1 = "chlo.broadcast_complex"(%a, %v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xcomplex<f32>>
  return
}

// -----

// accept: chlo_broadcast_compare
func.func @main(%a: tensor<4x3xf32>, %v: tensor<3xf32>) {
  %0 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %1 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction NE>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %2 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction GE>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %3 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction GT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %4 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction LE>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %5 = chlo.broadcast_compare %a, %v {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %6 = chlo.broadcast_compare %a, %v {broadcast_dimensions = array<i64: 1>, compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %7 = "chlo.broadcast_compare"(%a, %v) <{compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %8 = chlo.broadcast_compare %a, %v {compare_type = #chlo<comparison_type SIGNED>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %9 = chlo.broadcast_compare %a, %v {compare_type = #chlo<comparison_type UNSIGNED>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  %10 = chlo.broadcast_compare %a, %v {compare_type = #chlo<comparison_type NOTYPE>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi1>
  return
}

// -----

// accept: chlo_broadcast_select
func.func @main(%p: tensor<3xi1>, %s: tensor<i1>, %a: tensor<4x3xf32>, %v: tensor<3xf32>) {
  %0 = chlo.broadcast_select %p, %a, %v : (tensor<3xi1>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_select %s, %a, %a : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = "chlo.broadcast_select"(%p, %a, %v) : (tensor<3xi1>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// accept: chlo_constant
func.func @main() {
  %0 = chlo.constant dense<1.0> : tensor<f32>
  %1 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %2 = chlo.constant {extra} dense<true> : tensor<2xi1>
  %3 = "chlo.constant"() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2xi8>
  return
}

// -----

// accept: chlo_constant_like
func.func @main(%a: tensor<4xi32>, %d: tensor<?xf32>) {
  %0 = "chlo.constant_like"(%a) <{value = 3.200000e+00 : f32}> : (tensor<4xi32>) -> tensor<4xf32>
  %1 = "chlo.constant_like"(%d) <{value = 3 : i32}> : (tensor<?xf32>) -> tensor<?xi32>
  %2 = "chlo.constant_like"(%a) <{value = true}> : (tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

// accept: chlo_top_k
func.func @main(%a: tensor<4x8xf32>, %d: tensor<?x?xi32>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %1, %2 = chlo.top_k(%a, k = 8) {extra} : tensor<4x8xf32> -> (tensor<4x8xf32>, tensor<4x8xi32>)
  %3:2 = "chlo.top_k"(%a) <{k = 1 : i64}> : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi32>)
  %4:2 = chlo.top_k(%d, k = 2) : tensor<?x?xi32> -> (tensor<?x2xi32>, tensor<?x2xi32>)
  return
}

// -----

// accept: chlo_top_k_complex
func.func @main(%a: tensor<4x8xcomplex<f32>>) {
  %0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xcomplex<f32>> -> (tensor<4x3xcomplex<f32>>, tensor<4x3xi32>)
  return
}

// -----

// accept: chlo_ragged_dot_non_contracting
func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  %1 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  %2 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#chlo<precision HIGH>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// accept: chlo_ragged_dot_batch
func.func @main(%a: tensor<2x11x5xf32>, %b: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

// accept: chlo_ragged_dot_group_prefix
func.func @main(%a: tensor<2x11x5xf32>, %b: tensor<3x2x5x7xf32>, %g: tensor<2x3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<2x3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

// accept: chlo_ragged_dot_contracting
func.func @main(%a: tensor<2x11x5xf32>, %b: tensor<2x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<3x2x11x7xf32>
  return
}

// -----

// accept: chlo_ragged_dot_ragged_batch
func.func @main(%a: tensor<2x11x5xf32>, %b: tensor<2x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  return
}

// -----

// accept: chlo_scan
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// accept: chlo_scan_attributes
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %1:2 = chlo.scan(%a) inits (%i) dimension=0 attributes {is_associative = true, is_reverse = false, scan_dim_size = 4 : i64} {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

// accept: chlo_scan_last_dimension
func.func @main(%a: tensor<4x8xf32>, %i: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%i) dimension=1 {
  ^bb0(%x: tensor<4xf32>, %c: tensor<4xf32>):
    %s = stablehlo.add %x, %c : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

// accept: chlo_scan_carry_only
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0 = chlo.scan(%a) inits (%i) dimension=0 {
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// accept: chlo_scan_generic
func.func @main(%a: tensor<4x8xf32>, %i: tensor<8xf32>) {
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<8xf32>, %c: tensor<8xf32>):
    %s = stablehlo.add %x, %c : tensor<8xf32>
    stablehlo.return %s, %s : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}
