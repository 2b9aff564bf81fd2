// accept: convolution_window_empty
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// accept: convolution_window_fields
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x7x7x8xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x16x16x8xf32>
  %2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x29x14x8xf32>
  %3 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x12x8xf32>
  %4 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  %5 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x7x30x8xf32>
  %6 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  %7 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 2], stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x12x8xf32>
  return
}

// -----

// accept: convolution_dimension_numbers
func.func @main(%x: tensor<2x3x16x15xf32>, %k: tensor<8x3x5x4xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x16x15xf32>, tensor<8x3x5x4xf32>) -> tensor<2x8x12x12xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 1, 0]x[o, i, 1, 0]->[0, f, 1, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x16x15xf32>, tensor<8x3x5x4xf32>) -> tensor<12x8x12x2xf32>
  return
}

// -----

// accept: convolution_ranks
func.func @main(%x: tensor<2x3xf32>, %k: tensor<3x8xf32>, %x1: tensor<2x9x3xf32>, %k1: tensor<4x3x8xf32>, %x3: tensor<2x5x6x7x3xf32>, %k3: tensor<2x2x2x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.convolution(%x1, %k1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [3], pad = [[2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<4x3x8xf32>) -> tensor<2x4x8xf32>
  %2 = stablehlo.convolution(%x3, %k3) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x7x3xf32>, tensor<2x2x2x3x8xf32>) -> tensor<2x4x5x6x8xf32>
  return
}

// -----

// accept: convolution_feature_group
func.func @main(%x: tensor<2x16x16x6xf32>, %k: tensor<3x3x2x9xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x16x16x6xf32>, tensor<3x3x2x9xf32>) -> tensor<2x14x14x9xf32>
  return
}

// -----

// accept: convolution_depthwise
func.func @main(%x: tensor<2x16x16x6xf32>, %k: tensor<3x3x1x6xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<2x16x16x6xf32>, tensor<3x3x1x6xf32>) -> tensor<2x14x14x6xf32>
  return
}

// -----

// accept: convolution_batch_group
func.func @main(%x: tensor<4x16x16x6xf32>, %k: tensor<3x3x6x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<4x16x16x6xf32>, tensor<3x3x6x8xf32>) -> tensor<1x14x14x8xf32>
  return
}

// -----

// accept: convolution_precision
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = []} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  %2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>]} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// accept: convolution_widening
// The result element type is free (spec C27 asks for equal element types).
func.func @main(%x: tensor<2x16x16x3xbf16>, %k: tensor<3x3x3x8xbf16>, %i: tensor<2x16x16x3xi8>, %j: tensor<3x3x3x8xi8>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xbf16>, tensor<3x3x3x8xbf16>) -> tensor<2x14x14x8xf32>
  %1 = stablehlo.convolution(%i, %j) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xi8>, tensor<3x3x3x8xi8>) -> tensor<2x14x14x8xi32>
  return
}

// -----

// accept: convolution_dynamic
func.func @main(%x: tensor<?x16x?x3xf32>, %k: tensor<3x3x3x?xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x16x?x3xf32>, tensor<3x3x3x?xf32>) -> tensor<?x14x?x?xf32>
  return
}

// -----

// accept: convolution_empty_window
func.func @main(%x: tensor<2x2x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x0x14x8xf32>
  return
}

// -----

// accept: convolution_generic
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  %1 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: true, false>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x8x12x8xf32>
  %2 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x16x16x8xf32>
  return
}

// -----

// accept: convolution_raw_dimension_numbers
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// accept: convolution_numbers_no_spatial
// The raw form prints as the letter form.
func.func @main(%x: tensor<f32>) {
  %0 = stablehlo.negate %x {compact = #stablehlo.conv<raw input_batch_dimension = 1, input_feature_dimension = 0, input_spatial_dimensions = [], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [], output_batch_dimension = 1, output_feature_dimension = 0, output_spatial_dimensions = []>} : tensor<f32>
  return
}

// -----

// accept: dynamic_conv_forms
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<2x2xi64>, %d: tensor<2x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x?x?x8xf32>
  %1 = "stablehlo.dynamic_conv"(%x, %k, %d) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// accept: dynamic_conv_constant_padding
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %p = stablehlo.constant dense<1> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x16x16x8xf32>
  return
}

// -----

// accept: dynamic_conv_window_unchecked
// Window attributes are checked only when the padding is a constant.
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 0, 1>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x?x?x8xf32>
  return
}

// -----

// accept: dynamic_conv_result_unchecked
// The result shape (spec C25) is not checked, not even with a constant padding.
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %p = stablehlo.constant dense<1> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x14x14x8xf32>
  return
}
