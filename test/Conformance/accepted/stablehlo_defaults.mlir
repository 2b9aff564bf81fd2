// accept: default_result_accuracy
func.func @main(%x: tensor<4xf32>) {
  %a0 = "stablehlo.cbrt"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = "stablehlo.cbrt"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c0 = stablehlo.cbrt %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a1 = "stablehlo.cosine"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = "stablehlo.cosine"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c1 = stablehlo.cosine %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a2 = "stablehlo.exponential"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b2 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c2 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a3 = "stablehlo.exponential_minus_one"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b3 = "stablehlo.exponential_minus_one"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c3 = stablehlo.exponential_minus_one %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a4 = "stablehlo.log"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b4 = "stablehlo.log"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c4 = stablehlo.log %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a5 = "stablehlo.log_plus_one"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b5 = "stablehlo.log_plus_one"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c5 = stablehlo.log_plus_one %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a6 = "stablehlo.logistic"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b6 = "stablehlo.logistic"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c6 = stablehlo.logistic %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a7 = "stablehlo.rsqrt"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b7 = "stablehlo.rsqrt"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c7 = stablehlo.rsqrt %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a8 = "stablehlo.sine"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b8 = "stablehlo.sine"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c8 = stablehlo.sine %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a9 = "stablehlo.sqrt"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b9 = "stablehlo.sqrt"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c9 = stablehlo.sqrt %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a10 = "stablehlo.tan"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b10 = "stablehlo.tan"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c10 = stablehlo.tan %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  %a11 = "stablehlo.tanh"(%x) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %b11 = "stablehlo.tanh"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<4xf32>) -> tensor<4xf32>
  %c11 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// -----

// accept: default_custom_call
func.func @main(%x: tensor<4xf32>) {
  %a0 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", has_side_effect = false}> : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = stablehlo.custom_call @foo(%x) {has_side_effect = false} : (tensor<4xf32>) -> tensor<4xf32>
  %a1 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", backend_config = ""}> : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = stablehlo.custom_call @foo(%x) {backend_config = ""} : (tensor<4xf32>) -> tensor<4xf32>
  %a2 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", api_version = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  %b2 = stablehlo.custom_call @foo(%x) {api_version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %a3 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", called_computations = []}> : (tensor<4xf32>) -> tensor<4xf32>
  %b3 = stablehlo.custom_call @foo(%x) {called_computations = []} : (tensor<4xf32>) -> tensor<4xf32>
  %a4 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", output_operand_aliases = []}> : (tensor<4xf32>) -> tensor<4xf32>
  %b4 = stablehlo.custom_call @foo(%x) {output_operand_aliases = []} : (tensor<4xf32>) -> tensor<4xf32>
  %a5 = "stablehlo.custom_call"(%x) <{call_target_name = "foo", has_side_effect = false, backend_config = {}, api_version = 4 : i32, called_computations = [], output_operand_aliases = []}> : (tensor<4xf32>) -> tensor<4xf32>
  %b5 = stablehlo.custom_call @foo(%x) {has_side_effect = false, backend_config = {}, api_version = 4 : i32, called_computations = [], output_operand_aliases = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// accept: default_composite
func.func @main(%x: tensor<4xf32>) {
  %a0 = "stablehlo.composite"(%x) <{decomposition = @g, name = "a.b", composite_attributes = {}}> : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = stablehlo.composite "a.b" %x {decomposition = @g, composite_attributes = {}} : (tensor<4xf32>) -> tensor<4xf32>
  %a1 = "stablehlo.composite"(%x) <{decomposition = @g, name = "a.b", version = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = stablehlo.composite "a.b" %x {decomposition = @g, version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %a2 = "stablehlo.composite"(%x) <{decomposition = @g, name = "a.b", composite_attributes = {}, version = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  %b2 = stablehlo.composite "a.b" %x {decomposition = @g, composite_attributes = {}, version = 0 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// accept: default_transfers
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %3:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// accept: default_flags
func.func @main(%x: tensor<4xf32>, %m: tensor<3x3xf32>, %i: tensor<1xi32>, %s: tensor<2xi32>, %u: tensor<3xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = -1 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.cholesky"(%m) <{lower = false}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = stablehlo.cholesky %m, lower = false : tensor<3x3xf32>
  %3 = "stablehlo.gather"(%m, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  %4 = "stablehlo.dynamic_gather"(%m, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false}> : (tensor<3x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<3xf32>
  %5 = "stablehlo.scatter"(%m, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// accept: default_scan
func.func @main(%m: tensor<3x3xf32>, %u: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%m, %u) <{dimension = 0 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%p: tensor<3xf32>, %q: tensor<3xf32>):
    %c = stablehlo.add %p, %q : tensor<3xf32>
    stablehlo.return %c, %c : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<3x3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
  return
}

// -----

// accept: neutral_optional_attributes
func.func @main(%x: tensor<4xf32>, %d: tensor<2x2xf32>, %n: tensor<f32>) {
  %0 = "stablehlo.dot"(%d, %d) <{precision_config = []}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.dot_general"(%d, %d) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.reduce_window"(%x, %n) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = "stablehlo.compare"(%x, %x) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = "chlo.broadcast_add"(%x, %x) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
