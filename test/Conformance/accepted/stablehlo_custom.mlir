// accept: custom_call_forms
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target() : () -> tensor<i32>
  stablehlo.custom_call @target(%a) : (tensor<4x8xf32>) -> ()
  %2:2 = stablehlo.custom_call @target(%a) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<i1>)
  %3 = stablehlo.custom_call @"odd name/with:chars"(%a, %b) : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %4 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_api_versions
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = 0 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target(%a, %b) {api_version = 1 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %2 = stablehlo.custom_call @target(%a, %b) {api_version = 2 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %3 = stablehlo.custom_call @target(%a, %b) {api_version = 3 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %4 = stablehlo.custom_call @target(%a, %b) {api_version = 4 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_backend_config
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {backend_config = "text"} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target(%a, %b) {backend_config = ""} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %2 = stablehlo.custom_call @target(%a, %b) {api_version = 4 : i32, backend_config = {key = 1 : i64, list = array<i32: 1, 2>, s = "x", f = 1.000000e+00 : f32, b = true}} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %3 = stablehlo.custom_call @target(%a, %b) {api_version = 4 : i32, backend_config = {}} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>

  %5 = stablehlo.custom_call @target(%a, %b) {backend_config = "\08\02\22quote\22"} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_has_side_effect
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {has_side_effect = true} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target(%a, %b) {has_side_effect = false} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_called_computations
func.func @main(%a: tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @target(%a) {called_computations = [@f, @g]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target(%a) {called_computations = []} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func private @f()
func.func private @g()

// -----

// accept: custom_call_called_unknown
// The symbols are not resolved.
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {called_computations = [@nowhere]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_layouts
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @target(%t) {operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (!stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.custom_call @target() {operand_layouts = [], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : () -> tuple<tensor<4x8xf32>, tensor<4xi32>>
  return
}

// -----

// accept: custom_call_aliases
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token, %u: tuple<tensor<i1>, tensor<4xi32>>) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1:2 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>)
  %2 = stablehlo.custom_call @target(%u) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<i1>, tensor<4xi32>>) -> tuple<tensor<4xi32>>
  %3 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = []} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_types
func.func @main(%t: !stablehlo.token, %m: memref<4xf32>, %u: tensor<*xf32>, %f: !stablehlo.future<tensor<4xf32>>) {
  %0 = stablehlo.custom_call @target(%t) : (!stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.custom_call @target(%u) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = stablehlo.custom_call @target(%t) : (!stablehlo.token) -> tuple<tensor<4xf32>, !stablehlo.token>
  %3 = stablehlo.custom_call @target(%m) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (memref<4xf32>) -> memref<4xf32>
  %4 = stablehlo.custom_call @target(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// accept: custom_call_generic
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "target"}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.custom_call"(%a) <{api_version = 2 : i32, backend_config = "cfg", call_target_name = "target", called_computations = [], has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> {extra = "kept"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.custom_call"(%a) {call_target_name = "target", mhlo.frontend_attributes = {a = "b"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: custom_call_buffers
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @CreateBuffer() {api_version = 4 : i32} : () -> memref<4xf32>
  %1 = stablehlo.custom_call @Pin(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> memref<4xf32>
  %2 = stablehlo.custom_call @Unpin(%1) {api_version = 4 : i32} : (memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

// accept: composite_forms
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "ns.op" %a {composite_attributes = {n = 1 : i64, s = "x"}, decomposition = @impl, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.composite"(%a) <{decomposition = @impl, name = "ns.sub.op$x"}> : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.composite"(%a) <{composite_attributes = {}, decomposition = @impl, name = "ns.op", version = 0 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.composite "ns.op" %a {composite_attributes = {}, decomposition = @impl, extra, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// accept: composite_no_operands
func.func @main(%a: tensor<4xf32>) {
  %0:2 = stablehlo.composite "ns.op" {decomposition = @impl} : () -> (tensor<i1>, !stablehlo.token)
  return
}
func.func private @impl() -> (tensor<i1>, !stablehlo.token)

// -----

// accept: composite_regions
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a ({
    stablehlo.return %a : tensor<4xf32>
  }) {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.composite"(%a) <{decomposition = @impl, name = "ns.op"}> ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }, {
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// accept: infeed_forms
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "cfg", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  %1:3 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<3xi32>, tensor<f32>, !stablehlo.token)
  %2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = []}> : (!stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: outfeed_forms
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.outfeed"(%a, %b, %t) <{outfeed_config = "cfg"}> : (tensor<4xf32>, tensor<i32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%t) <{outfeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: send_forms
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: recv_forms
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %1:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %2:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: send_pairs_columns_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: send_pairs_sources_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: send_pairs_targets_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// accept: recv_pairs_columns_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// accept: recv_pairs_sources_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// accept: recv_pairs_targets_unchecked
// The pairs are not checked (spec C1 to C4).
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// accept: rng_forms
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %b: tensor<i1>, %s: tensor<2xi64>, %x: tensor<2xindex>) {
  %0 = stablehlo.rng %f, %f, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.rng %f, %f, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = stablehlo.rng %i, %i, %x, distribution = UNIFORM : (tensor<i64>, tensor<i64>, tensor<2xindex>) -> tensor<3x?xi64>
  %3 = stablehlo.rng %b, %b, %s, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<2xi64>) -> tensor<3x4xi1>
  %4 = "stablehlo.rng"(%f, %f, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %5 = stablehlo.rng %f, %f, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}

// -----

// accept: rng_bit_generator_forms
// The size of the state is not tied to the algorithm (spec C2).
func.func @main(%s: tensor<2xui64>, %p: tensor<3xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x8xui32>)
  %2, %3 = stablehlo.rng_bit_generator %p, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui64>)
  %4, %5 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xf32>)
  %6:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xi8>)
  %7:2 = stablehlo.rng_bit_generator %p, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui64>)
  return
}

// -----

// accept: fft_forms
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %d: tensor<3x5xcomplex<f64>>, %q: tensor<2x3x4x8xf64>) {
  %0 = stablehlo.fft %c, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %1 = stablehlo.fft %c, type = IFFT, length = [3, 9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %2 = stablehlo.fft %r, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  %3 = stablehlo.fft %d, type = IRFFT, length = [8] : (tensor<3x5xcomplex<f64>>) -> tensor<3x8xf64>
  %4 = stablehlo.fft %d, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f64>>) -> tensor<3x9xf64>
  %5 = stablehlo.fft %q, type = RFFT, length = [3, 4, 8] : (tensor<2x3x4x8xf64>) -> tensor<2x3x4x5xcomplex<f64>>
  %6 = "stablehlo.fft"(%c) <{fft_length = array<i64: 9>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// accept: fft_length_unchecked
// The length of a complex transform is not compared with the shape.
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [7] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// accept: cholesky_forms
func.func @main(%a: tensor<3x4x4xf32>, %c: tensor<2x2xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x4x4xf32>
  %1 = stablehlo.cholesky %a, lower = false : tensor<3x4x4xf32>
  %2 = stablehlo.cholesky %c : tensor<2x2xcomplex<f64>>
  %3 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %4 = "stablehlo.cholesky"(%a) : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

// accept: cholesky_lower_number
// A boolean may be written as a number.
func.func @main(%a: tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = 1 : tensor<4x4xf32>
  return
}

// -----

// accept: triangular_solve_forms
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// accept: triangular_solve_right
func.func @main(%a: tensor<5x5xcomplex<f32>>, %b: tensor<4x5xcomplex<f32>>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<5x5xcomplex<f32>>, tensor<4x5xcomplex<f32>>) -> tensor<4x5xcomplex<f32>>
  return
}

// -----

// accept: batch_norm_inference_forms
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// accept: batch_norm_training_forms
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// accept: batch_norm_grad_forms
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
