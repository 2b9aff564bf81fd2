// accept: all_gather_forms
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x8xi32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %3:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>, tensor<2x8xi32>) -> (tensor<8x8xf32>, tensor<4x8xi32>)
  %4 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %5 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: all_gather_result_multiple
// Only a multiple of the operand size is asked for; the group size is not compared (spec C6).
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<12x8xf32>
  return
}

// -----

// accept: all_gather_dynamic
func.func @main(%a: tensor<?x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// accept: all_gather_channel_zero
// Channel 0 with global device ids is taken (spec C5 asks for a positive channel).
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: all_gather_no_operands
func.func @main() {
  "stablehlo.all_gather"() <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : () -> ()
  return
}

// -----

// accept: mesh_axes_inline
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_printed
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_symbol
sdy.mesh @grid = <["x"=2, "y"=4]>
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_symbol_unchecked
// With a symbol the axes are not checked, and any symbol serves.
func.func private @grid()
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = ["anything", #stablehlo.axis_ref<name = "q">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_sub_axis
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_empty
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = []>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: mesh_axes_field_order
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<axes = [#stablehlo.axis_ref<name = "x">], mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// accept: all_reduce_forms
func.func @main(%a: tensor<4x8xf32>, %b: tensor<3xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<3xf32>) -> (tensor<4x8xf32>, tensor<3xf32>)
  %4 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<1x0xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: all_reduce_maximum
func.func @main(%a: tensor<i64>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %r = stablehlo.maximum %x, %y : tensor<i64>
    stablehlo.return %r : tensor<i64>
  }) : (tensor<i64>) -> tensor<i64>
  return
}

// -----

// accept: all_reduce_promotion
func.func @main(%a: tensor<4xbf16>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

// accept: reduce_scatter_forms
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %1 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %2 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// accept: reduce_scatter_promotion
func.func @main(%a: tensor<4x8xbf16>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xbf16>) -> tensor<2x8xf32>
  return
}

// -----

// accept: all_to_all_forms
func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x4xi32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %1 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %3:2 = "stablehlo.all_to_all"(%a, %b) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>, tensor<2x4xi32>) -> (tensor<2x16xf32>, tensor<1x8xi32>)
  %4 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// accept: collective_permute_forms
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[7, 3]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: collective_broadcast_forms
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>

  %3 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: cross_replica_sum_forms
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// accept: ids
func.func @main() {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.replica_id : tensor<ui32>
  %2 = "stablehlo.partition_id"() : () -> tensor<ui32>
  %3 = "stablehlo.replica_id"() : () -> tensor<ui32>
  %4 = stablehlo.partition_id {extra} : tensor<ui32>
  return
}

// -----

// accept: async_all_gather
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
  return
}

// -----

// accept: async_slice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = stablehlo.slice %p [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    stablehlo.return %g : tensor<2x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
  return
}

// -----

// accept: async_dynamic_slice
func.func @main(%a: tensor<4x8xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.async_start"(%a, %i, %i) ({
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.dynamic_slice %p, %q, %r, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    stablehlo.return %s : tensor<2x8xf32>
  }) : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> !stablehlo.future<tensor<2x8xf32>>
  return
}

// -----

// accept: async_dynamic_update_slice
func.func @main(%a: tensor<4x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.async_start"(%a, %u, %i, %i) ({
  ^bb0(%p: tensor<4x8xf32>, %v: tensor<2x8xf32>, %q: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.dynamic_update_slice %p, %v, %q, %r : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    stablehlo.return %s : tensor<4x8xf32>
  }) : (tensor<4x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> !stablehlo.future<tensor<4x8xf32>>
  return
}

// -----

// accept: async_collectives
func.func @main(%a: tensor<4x8xf32>) {
  %s0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.collective_permute"(%p) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %g : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %d0 = "stablehlo.async_done"(%s0) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %s1 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.collective_broadcast"(%p) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %g : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %d1 = "stablehlo.async_done"(%s1) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %s2 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_to_all"(%p) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %g : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %d2 = "stablehlo.async_done"(%s2) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %s3 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_reduce"(%p) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %g : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %d3 = "stablehlo.async_done"(%s3) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  return
}

// -----

// accept: async_reduce_scatter
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.reduce_scatter"(%p) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
    stablehlo.return %g : tensor<2x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
  return
}

// -----

// accept: future_type
func.func private @f(!stablehlo.future<tensor<4xf32>, tensor<i1>>) -> !stablehlo.future<tensor<?xi8>>
