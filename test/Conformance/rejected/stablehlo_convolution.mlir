// reject: convolution_rank_mismatch (C1) ranks differ
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_rank_one (C1) rank below 2
func.func @main(%x: tensor<2xf32>, %k: tensor<3xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// reject: convolution_stride_count (C2) one stride for two spatial dimensions
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_stride_zero (C3) stride 0
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_padding_shape (C4) padding rows
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_padding_columns (C4) padding columns
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<0> : tensor<2x3xi64>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_padding_rank (C4) padding of rank 1
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<0> : tensor<4xi64>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_padding_type padding of i32
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<0> : tensor<2x2xi32>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_lhs_dilation_count (C5) lhs_dilate size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_lhs_dilation_zero (C6) lhs_dilate 0
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_rhs_dilation_count (C7) rhs_dilate size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_rhs_dilation_negative (C8) rhs_dilate negative
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, -1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_reversal_count (C9) reverse size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_batch_group_divides (C10) batch 3 % batch_group_count 2
func.func @main(%x: tensor<3x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<3x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x14x14x8xf32>
  return
}

// -----

// reject: convolution_feature_group_divides (C11) feature 3 % feature_group_count 2
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x1x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x1x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_input_spatial_count (C12) one input spatial dimension of two
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_kernel_spatial_count (C17) kernel spatial dimensions
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_output_spatial_count (C19) output spatial dimensions
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_input_unique (C13) input dimension used twice
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_input_range (C13) input dimension 4 of rank 4
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_input_negative (C13) input dimension -1
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = -1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_kernel_feature (C14) kernel input features
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x4x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x4x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_output_batch_group (C15) output features 9 % batch_group_count 2
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x9xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x9xf32>) -> tensor<1x14x14x9xf32>
  return
}

// -----

// reject: convolution_output_feature_group (C16) output features 7 % feature_group_count 2
func.func @main(%x: tensor<2x16x16x4xf32>, %k: tensor<3x3x2x7xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x16x16x4xf32>, tensor<3x3x2x7xf32>) -> tensor<2x14x14x7xf32>
  return
}

// -----

// reject: convolution_kernel_unique (C18) kernel dimension used twice
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_kernel_range (C18) kernel dimension out of range
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 5], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_output_unique (C20) output dimension used twice
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 0, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_output_range (C20) output dimension out of range
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 7]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_feature_group_zero (C21) feature_group_count = 0
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_batch_group_zero (C22) batch_group_count = 0
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_both_groups (C23) both group counts above 1
func.func @main(%x: tensor<2x16x16x4xf32>, %k: tensor<3x3x2x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x16x16x4xf32>, tensor<3x3x2x8xf32>) -> tensor<1x14x14x8xf32>
  return
}

// -----

// reject: convolution_precision_count (C24) three precisions
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_result_spatial (C25) result spatial size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x16x16x8xf32>
  return
}

// -----

// reject: convolution_result_batch (C25) result batch size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<3x14x14x8xf32>
  return
}

// -----

// reject: convolution_result_feature (C25) result feature size
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x3xf32>
  return
}

// -----

// reject: convolution_result_rank (C26) result rank
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x112xf32>
  return
}

// -----

// reject: convolution_operand_types (C27) operand element types differ
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf64>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf64>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_group_missing required attribute feature_group_count
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_batch_group_missing required attribute batch_group_count
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_group_type group count of i32
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i32, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_window_unknown parse: window field
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {size = [3, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_window_twice parse: window field given twice
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_window_pad_one parse: pad needs pairs
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1], [1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_window_missing parse: window required
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_no_batch parse: input without b
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_no_kernel_output parse: kernel without o
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_unknown_letter parse: letter q
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, q]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_twice parse: b given twice
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, b, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_gap parse: spatial dimension 1 missing
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_no_arrow parse: arrow
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o] [b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_numbers_input_i parse: i is a kernel letter
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, i]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: convolution_raw_unknown parse: raw field
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch = 0>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x14x14x8xf32>
  return
}

// -----

// reject: dynamic_conv_padding_shape (C4) padding shape
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<3x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<3x2xi64>) -> tensor<2x?x?x8xf32>
  return
}

// -----

// reject: dynamic_conv_padding_rank (C4) padding rank
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<4xi64>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<4xi64>) -> tensor<2x?x?x8xf32>
  return
}

// -----

// reject: dynamic_conv_padding_type (I4) padding type
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<2x2xf32>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xf32>) -> tensor<2x?x?x8xf32>
  return
}

// -----

// reject: dynamic_conv_stride_zero (C3) stride 0, constant padding
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %p = stablehlo.constant dense<1> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 0, 1>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x16x16x8xf32>
  return
}

// -----

// reject: dynamic_conv_stride_count (C2) stride count, constant padding
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>) {
  %p = stablehlo.constant dense<1> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 1>}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x16x16x8xf32>
  return
}

// -----

// reject: dynamic_conv_precision_count (C24) three precisions
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf32>, %p: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi64>) -> tensor<2x?x?x8xf32>
  return
}

// -----

// reject: dynamic_conv_element_type (C27) operand types differ
func.func @main(%x: tensor<2x16x16x3xf32>, %k: tensor<3x3x3x8xf16>, %p: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<2x16x16x3xf32>, tensor<3x3x3x8xf16>, tensor<2x2xi64>) -> tensor<2x?x?x8xf32>
  return
}
