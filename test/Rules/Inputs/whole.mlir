// Ops that the grammar has no instances of: what comes from elsewhere or goes there, what speaks of devices, custom
// calls. One function each; docs/rules.md says from them what is kept whole and why.

func.func @stablehlo_custom_call(%x: tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @unknown_target(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @stablehlo_custom_call_batched(%x: tensor<6x4x4xf32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%x) : (tensor<6x4x4xf32>) -> (tensor<6x4x4xf32>, tensor<6x4xi32>, tensor<6xi32>)
  return
}
func.func @stablehlo_custom_call_kernel(%x: tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @stablehlo_rng(%a: tensor<f32>, %b: tensor<f32>) {
  %s = stablehlo.constant dense<[4, 8]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x8xf32>
  return
}
func.func @stablehlo_create_token() {
  %0 = stablehlo.create_token : !stablehlo.token
  return
}
func.func @stablehlo_after_all(%t: !stablehlo.token) {
  %0 = stablehlo.after_all %t : !stablehlo.token
  return
}
func.func @stablehlo_infeed(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<4x8xf32>, !stablehlo.token)
  return
}
func.func @stablehlo_outfeed(%x: tensor<4x8xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<4x8xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
func.func @stablehlo_send(%x: tensor<4x8xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4x8xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
func.func @stablehlo_recv(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4x8xf32>, !stablehlo.token)
  return
}
func.func @stablehlo_partition_id() {
  %0 = stablehlo.partition_id : tensor<ui32>
  return
}
func.func @stablehlo_replica_id() {
  %0 = stablehlo.replica_id : tensor<ui32>
  return
}
func.func @stablehlo_all_gather(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}
func.func @stablehlo_all_reduce(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @stablehlo_reduce_scatter(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}
func.func @stablehlo_all_to_all(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}
func.func @stablehlo_collective_permute(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
func.func @stablehlo_collective_broadcast(%x: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
