// reject: custom_call_no_target target required
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = "stablehlo.custom_call"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_target_syntax parse: symbol name
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call "target"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_api_unknown api_version 5
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = 5 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_api_negative api_version -1
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = -1 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_api_type api_version of i64
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = 1 : i64} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_config_kind backend_config of another kind
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {backend_config = 3 : i32} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_config_dictionary dictionary needs api_version 4
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = 2 : i32, backend_config = {key = 1 : i64}} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_config_dictionary_default dictionary needs api_version 4
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {backend_config = {}} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_config_text api_version 4 needs a dictionary
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {api_version = 4 : i32, backend_config = "text"} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_computations called_computations are symbols
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {called_computations = ["f"]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_one_layout operand layouts without result layouts
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_result_layout_alone result layouts without operand layouts
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_layout_count operand layout count
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_result_layout_count result layout count
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_layout_rank layout rank
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0, 2]> : tensor<3xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_layout_permutation layout is no permutation
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_layout_type layout of i64
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {operand_layouts = [dense<[1, 0]> : tensor<2xi64>, dense<0> : tensor<1xi64>], result_layouts = [dense<[0, 1]> : tensor<2xi64>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_layout_token token with a layout
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%t) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// reject: custom_call_layout_tuple tuple operand with layouts
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token, %u: tuple<tensor<i1>>) {
  %0 = stablehlo.custom_call @target(%u) {operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tuple<tensor<i1>>) -> !stablehlo.token
  return
}

// -----

// reject: custom_call_alias_operand alias operand_index out of range
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_alias_negative alias operand_index negative
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = -1, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_alias_type alias types differ
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_alias_output alias output index out of range
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tuple<tensor<4x8xf32>>
  return
}

// -----

// reject: custom_call_alias_tuple alias operand tuple index of a tensor
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [0]>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_alias_kind alias of another kind
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [1 : i32]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: output_operand_alias_field parse: field
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand = 0, operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: output_operand_alias_order parse: fields in order
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xi32>, %t: !stablehlo.token) {
  %0 = stablehlo.custom_call @target(%a, %b) {output_operand_aliases = [#stablehlo.output_operand_alias<operand_index = 0, output_tuple_indices = [], operand_tuple_indices = []>]} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: custom_call_scalar_operand operand is no tensor
func.func @main(%a: i32) {
  %0 = stablehlo.custom_call @target(%a) : (i32) -> tensor<i32>
  return
}

// -----

// reject: custom_call_buffer_unaliased buffer result without alias
func.func @main(%m: memref<4xf32>) {
  %0 = stablehlo.custom_call @target(%m) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// reject: custom_call_create_buffer_inputs CreateBuffer with an input
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @CreateBuffer(%x) : (tensor<4xf32>) -> memref<4xf32>
  return
}

// -----

// reject: custom_call_create_buffer_result CreateBuffer with a tensor result
func.func @main() {
  %0 = stablehlo.custom_call @CreateBuffer() : () -> tensor<4xf32>
  return
}

// -----

// reject: custom_call_pin_type Pin changes the type
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @Pin(%x) : (tensor<4xf32>) -> memref<5xf32>
  return
}

// -----

// reject: custom_call_unpin_operand Unpin of a tensor
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call @Unpin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: composite_name (C1) name without namespace
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "op" %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_name_digit (C1) name starts with a digit
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "1n.op" %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_name_empty (C1) name ends with a dot
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns." %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_decomposition (C2) decomposition not found
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a {decomposition = @nowhere} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_decomposition_missing required attribute
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_operand_count (C3) operand count
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a, %a {decomposition = @impl} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_operand_type (C3) operand type
func.func @main(%a: tensor<5xf32>) {
  %0 = stablehlo.composite "ns.op" %a {decomposition = @impl} : (tensor<5xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_result_type (C4) result type
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_result_count (C4) result count
func.func @main(%a: tensor<4xf32>) {
  stablehlo.composite "ns.op" %a {decomposition = @impl} : (tensor<4xf32>) -> ()
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_version version of i64
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite "ns.op" %a {decomposition = @impl, version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: composite_name_symbol parse: name is a string
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.composite @ns %a {decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @impl(%p: tensor<4xf32>) -> tensor<4xf32> {
  return %p : tensor<4xf32>
}

// -----

// reject: infeed_no_results (C1) no results
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> ()
  return
}

// -----

// reject: infeed_last (C3) last result is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> tensor<i32>
  return
}

// -----

// reject: infeed_two_tokens (C2) token before the last result
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// reject: infeed_layout_count layout count
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = []}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  return
}

// -----

// reject: infeed_layout_kind layout element kind
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [0]}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  return
}

// -----

// reject: infeed_layout_element layout element is no integer
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [["a", "b"]]}> : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  return
}

// -----

// reject: infeed_operand (I1) operand is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.infeed"(%b) <{infeed_config = ""}> : (tensor<i32>) -> !stablehlo.token
  return
}

// -----

// reject: infeed_dynamic dynamic result
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<?xi32>, !stablehlo.token)
  return
}

// -----

// reject: outfeed_token_first (I2) last operand is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.outfeed"(%t, %a) <{outfeed_config = ""}> : (!stablehlo.token, tensor<4xf32>) -> !stablehlo.token
  return
}

// -----

// reject: outfeed_result (O1) result is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>
  return
}

// -----

// reject: send_channel_device (C5) channel type of a device transfer
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// reject: send_channel_host (C5) channel type of a host transfer
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// reject: send_channel_missing required attribute
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// reject: recv_channel_device (C5) channel type of a device transfer
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// reject: recv_channel_host (C5) channel type of a host transfer
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// reject: recv_channel_missing required attribute
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// reject: recv_last last result is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

// reject: recv_no_results no results
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> ()
  return
}

// -----

// reject: recv_two_tokens token before the last result
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// reject: send_result result is no token
func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>, %b: tensor<i32>) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}> : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>
  return
}

// -----

// reject: rng_types (C1) a and b types differ
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %f, %d, %s, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: rng_result_type (C1) result type
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %f, %f, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf64>
  return
}

// -----

// reject: rng_normal_integer (C2) NORMAL of integers
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %i, %i, %s, distribution = NORMAL : (tensor<i64>, tensor<i64>, tensor<2xi64>) -> tensor<?x?xi64>
  return
}

// -----

// reject: rng_shape (C3) result shape with constant shape
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.rng %f, %f, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x5xf32>
  return
}

// -----

// reject: rng_rank (C3) result rank
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %f, %f, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// reject: rng_operand_rank (I1) a is no scalar
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %v, %v, %s, distribution = UNIFORM : (tensor<1xf32>, tensor<1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: rng_distribution parse: distribution
func.func @main(%f: tensor<f32>, %i: tensor<i64>, %s: tensor<2xi64>, %d: tensor<f64>, %v: tensor<1xf32>) {
  %0 = stablehlo.rng %f, %f, %s, distribution = POISSON : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// reject: rng_bit_generator_state (C1) state shape
func.func @main(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

// reject: rng_bit_generator_boolean output type
func.func @main(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xi1>)
  return
}

// -----

// reject: rng_bit_generator_algorithm parse: algorithm
func.func @main(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = MT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// -----

// reject: rng_bit_generator_dynamic dynamic output
func.func @main(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<?xui32>)
  return
}

// -----

// reject: fft_rank (C1) length longer than rank
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %v, type = FFT, length = [9, 9] : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return
}

// -----

// reject: fft_real (C2) FFT of a real
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %r, type = FFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// reject: fft_result_type (C2) FFT to another type
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f64>>
  return
}

// -----

// reject: rfft_complex (C2) RFFT of a complex
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = RFFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----

// reject: rfft_half (C2) RFFT of f16
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %h, type = RFFT, length = [9] : (tensor<3x9xf16>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----

// reject: irfft_real (C2) IRFFT of a real
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %r, type = IRFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

// reject: fft_length_empty (C3) empty length
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// reject: fft_length_four (C3) four lengths
func.func @main(%q: tensor<2x3x4x8xcomplex<f32>>) {
  %0 = stablehlo.fft %q, type = FFT, length = [2, 3, 4, 8] : (tensor<2x3x4x8xcomplex<f32>>) -> tensor<2x3x4x8xcomplex<f32>>
  return
}

// -----

// reject: rfft_length (C4) RFFT length
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %r, type = RFFT, length = [8] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  return
}

// -----

// reject: irfft_length (C4) IRFFT length
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = IRFFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xf32>
  return
}

// -----

// reject: fft_shape (C5) FFT shape
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// -----

// reject: rfft_shape (C5) RFFT shape
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %r, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// reject: fft_type parse: type
func.func @main(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x9xf16>, %v: tensor<9xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = DFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  return
}

// -----

// reject: cholesky_type (C1) result type
func.func @main(%a: tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : (tensor<4x4xf32>) -> tensor<4x4xf64>
  return
}

// -----

// reject: cholesky_rank (C2) rank 1
func.func @main(%a: tensor<4xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4xf32>
  return
}

// -----

// reject: cholesky_square (C3) not square
func.func @main(%a: tensor<4x3xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x3xf32>
  return
}

// -----

// reject: cholesky_integer (I1) integers
func.func @main(%a: tensor<4x4xi32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xi32>
  return
}

// -----

// reject: cholesky_lower parse: boolean
func.func @main(%a: tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = "yes" : tensor<4x4xf32>
  return
}

// -----

// reject: triangular_solve_types (C1) element types differ
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x5xf64>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x5xf64>) -> tensor<4x5xf64>
  return
}

// -----

// reject: triangular_solve_rank (C2) rank 1
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: triangular_solve_ranks (C2) ranks differ
func.func @main(%a: tensor<4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// reject: triangular_solve_square (C3) a is not square
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reject: triangular_solve_shared (C3) shared dimension
func.func @main(%a: tensor<4x4xf32>, %b: tensor<5x4xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return
}

// -----

// reject: triangular_solve_batch (C3) batch dimensions
func.func @main(%a: tensor<2x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// reject: triangular_solve_result (C4) result type
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

// reject: triangular_solve_invalid transpose value TRANSPOSE_INVALID
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// reject: triangular_solve_transpose parse: transpose value
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose FLIP>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// reject: triangular_solve_missing required attribute lower
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x5xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

// reject: batch_norm_inference_index (C1) feature_index out of range
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_index_negative (C1) feature_index negative
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = -1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_size feature size
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_types (C2) scale element type
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %d, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_scale_rank scale of rank 2
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %m, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_scale_size scale of another size than the rest
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %l, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_inference_result result shape
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

// reject: batch_norm_inference_epsilon epsilon of f64
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// reject: batch_norm_training_index (C1) feature_index out of range
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_index_negative (C1) feature_index negative
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = -1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_size feature size
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_types (C2) scale element type
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %d, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_scale_rank scale of rank 2
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %m, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3x1xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_scale_size scale of another size than the rest
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %l, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_result result shape
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_training_epsilon epsilon of f64
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.000000e-03 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_index (C1) feature_index out of range
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_index_negative (C1) feature_index negative
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = -1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_size feature size
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_types (C2) scale element type
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %d, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_scale_rank scale of rank 2
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %m, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_scale_size scale of another size than the rest
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %l, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_result result shape
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_epsilon epsilon of f64
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 1.000000e-03 : f64, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// reject: batch_norm_grad_output (C3) grad_output shape
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<3xf64>, %l: tensor<4xf32>, %m: tensor<3x1xf32>, %y: tensor<2x3x5xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %y) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
