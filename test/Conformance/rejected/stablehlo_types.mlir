// reject: element_type_complex_half complex<f16>
func.func @main(%a: tensor<2xcomplex<f16>>) {
  %0 = stablehlo.add %a, %a : tensor<2xcomplex<f16>>
  return
}

// -----

// reject: element_type_index index
func.func @main(%a: tensor<2xindex>) {
  %0 = stablehlo.add %a, %a : tensor<2xindex>
  return
}

// -----

// reject: element_type_f128 f128
func.func @main(%a: tensor<2xf128>) {
  %0 = stablehlo.add %a, %a : tensor<2xf128>
  return
}

// -----

// reject: element_type_tf32 tf32
func.func @main(%a: tensor<2xtf32>) {
  %0 = stablehlo.add %a, %a : tensor<2xtf32>
  return
}

// -----

// reject: element_type_i128 i128
func.func @main(%a: tensor<2xi128>) {
  %0 = stablehlo.add %a, %a : tensor<2xi128>
  return
}

// -----

// reject: element_type_ui1 ui1
func.func @main(%a: tensor<2xui1>) {
  %0 = stablehlo.add %a, %a : tensor<2xui1>
  return
}

// -----

// reject: tensor_unranked unranked
func.func @main(%a: tensor<*xf32>) {
  %0 = stablehlo.abs %a : tensor<*xf32>
  return
}

// -----

// reject: constant_type (C1) value and result types differ
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

// reject: constant_element (C1) element types differ
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f64>
  return
}

// -----

// reject: constant_missing value required
func.func @main() {
  %0 = "stablehlo.constant"() : () -> tensor<f32>
  return
}

// -----

// reject: constant_kind value is no elements attribute
func.func @main() {
  %0 = "stablehlo.constant"() <{value = 1 : i32}> : () -> tensor<i32>
  return
}

// -----

// reject: constant_array value is a plain array
func.func @main() {
  %0 = stablehlo.constant array<i64: 1, 2>
  return
}

// -----

// reject: constant_no_value parse: value required
func.func @main() {
  %0 = stablehlo.constant : tensor<i32>
  return
}

// -----

// reject: constant_attributes_last parse: attributes stand before the value
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<i32> {extra}
  return
}

// -----

// reject: constant_shape parse: literal does not fit
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>
  return
}

// -----

// reject: constant_ragged parse: ragged literal
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>
  return
}

// -----

// reject: constant_range parse: value too large
func.func @main() {
  %0 = stablehlo.constant dense<256> : tensor<ui8>
  return
}

// -----

// reject: constant_negative_unsigned parse: negative value of unsigned
func.func @main() {
  %0 = stablehlo.constant dense<-1> : tensor<ui8>
  return
}

// -----

// reject: constant_float_for_integer parse: float literal for integers
func.func @main() {
  %0 = stablehlo.constant dense<1.5> : tensor<i32>
  return
}

// -----

// reject: constant_integer_for_float parse: decimal integer for floats
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<f32>
  return
}

// -----

// reject: constant_boolean parse: boolean for floats
func.func @main() {
  %0 = stablehlo.constant dense<true> : tensor<f32>
  return
}

// -----

// reject: constant_hex_size parse: hexadecimal text of wrong size
func.func @main() {
  %0 = stablehlo.constant dense<"0x0000"> : tensor<2xf32>
  return
}

// -----

// reject: constant_hex_digits parse: hexadecimal text with other digits
func.func @main() {
  %0 = stablehlo.constant dense<"0xZZ000000"> : tensor<f32>
  return
}

// -----

// reject: constant_elided parse: elided text
func.func @main() {
  %0 = stablehlo.constant dense<__elided__> : tensor<2xf32>
  return
}

// -----

// reject: constant_dynamic parse: dynamic shape
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<?xf32>
  return
}

// -----

// reject: constant_complex parse: pair expected
func.func @main() {
  %0 = stablehlo.constant dense<(1.0, 2.0, 3.0)> : tensor<complex<f32>>
  return
}

// -----

// reject: attribute_precision parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<precision NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_comparison_direction parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<comparison_direction NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_comparison_type parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<comparison_type NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_fft_type parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<fft_type NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_rng_algorithm parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<rng_algorithm NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_rng_distribution parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<rng_distribution NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_transpose parse: unknown value
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo<transpose NOTHING>} : tensor<f32>
  return
}

// -----

// reject: attribute_unknown parse: unknown mnemonic
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.negate %a {v = #stablehlo.nothing<1>} : tensor<f32>
  return
}

// -----

// reject: type_unknown parse: unknown type
func.func private @f(!stablehlo.nothing)

// -----

// reject: op_unknown unknown op
func.func @main(%a: tensor<f32>) {
  %0 = "stablehlo.nothing"(%a) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// reject: booleans_hex_size neither a byte each nor one
func.func @main() {
  %0 = stablehlo.constant dense<"0x0100"> : tensor<3xi1>
  return
}
