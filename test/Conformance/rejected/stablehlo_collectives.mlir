// reject: all_gather_element_type (C6) element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf64>
  return
}

// -----

// reject: all_gather_dimension (C1) all_gather_dim out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_dimension_negative (C1) all_gather_dim negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_repeat (C2) replica twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_gap (C4) replica 2 missing
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [3, 4]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_minus_one (C4) replica -1
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_rank (I3) replica groups of rank 1
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_groups_type (I3) replica groups of i32
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_groups_kind (I3) replica groups as string
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = "all"}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_groups_missing (I3) required attribute
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_global_empty global device ids with empty groups
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_channel_negative (C5) negative channel with global ids
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_gather_result_rank (C6) result rank
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<64xf32>
  return
}

// -----

// reject: all_gather_other_dimension (C6) other dimension changed
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x9xf32>
  return
}

// -----

// reject: all_gather_multiple (C6) result is no multiple
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

// reject: all_gather_zero operand size 0
func.func @main(%a: tensor<0x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<0x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

// reject: mesh_axes_unknown_axis axis not in the mesh
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axes_axis_kind axis of another kind
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = ["x"]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axes_mesh_kind mesh of another kind
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = "x", axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axes_symbol_unknown mesh symbol not found
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axes_no_mesh parse: mesh required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<axes = []>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axes_sub_axis_syntax parse: sub-axis
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = 1(2)>]>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_no_axes parse: empty axes list
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = []>, axes = []>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: mesh_axis_no_size parse: size required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x">]>, axes = []>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: channel_handle_field parse: field of channel_handle
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<id = 1, type = 1>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: channel_handle_missing parse: type required
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: channel_handle_kind channel_handle of another kind
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// reject: all_reduce_repeat (C1) replica twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_gap (C3) replica 1 missing
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_rank replica groups of rank 1
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_channel (C4) global ids without channel
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_channel_zero (C4) global ids with channel 0
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_arguments (C5) region arguments
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_reduce_kind (C5) region of another kind
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %r = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return
}

// -----

// reject: all_reduce_mixed (C5) one region, two element kinds
func.func @main(%a: tensor<4x8xf32>, %b: tensor<3xi32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<3xi32>) -> (tensor<4x8xf32>, tensor<3xi32>)
  return
}

// -----

// reject: all_reduce_shape (C6) result shape
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// reject: all_reduce_type (C7) result element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

// reject: all_reduce_no_region region missing
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: reduce_scatter_dimension (C2) scatter_dimension out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_dimension_negative (C2) scatter_dimension negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = -1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_repeat (C3) replica twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_gap (C5) replica 1 missing
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_minus_one (C5) replica -1
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_channel (C6) global ids with negative channel
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -5, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// reject: reduce_scatter_kind (C7) region of another kind
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %r = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xi32>
  return
}

// -----

// reject: reduce_scatter_divides (C1) operand is no multiple of result
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

// reject: reduce_scatter_other (C8) other dimension changed
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x4xf32>
  return
}

// -----

// reject: reduce_scatter_result_rank (C8) result rank
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<16xf32>
  return
}

// -----

// reject: reduce_scatter_type (C9) result element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<2x8xf64>
  return
}

// -----

// reject: reduce_scatter_result_zero result size 0
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

// reject: all_to_all_split (C1) split_dimension out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_split_negative (C1) split_dimension negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = -1 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_divides (C2) split does not divide
func.func @main(%a: tensor<3x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<3x8xf32>) -> tensor<1x16xf32>
  return
}

// -----

// reject: all_to_all_concat (C3) concat_dimension out of range
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_concat_negative (C3) concat_dimension negative
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = -1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_count (C4) split_count 0
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 0 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_repeat (C5) replica twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_gap (C7) replica 1 missing
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_group_size (C8) group size is not split_count
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// reject: all_to_all_shape (C9) result shape
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: all_to_all_type (C9) result element type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x8xf32>) -> tensor<2x16xf64>
  return
}

// -----

// reject: collective_permute_columns (C1) three columns
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_rank (C1) rank 1
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_sources (C2) source twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_targets (C3) target twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_negative (C4) negative id
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_result (C5) result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// reject: collective_permute_missing required attribute
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_permute_type pairs of i32
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_broadcast_repeat (C1) replica twice
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_broadcast_negative (C2) negative replica
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: collective_broadcast_result (C3) result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: cross_replica_sum_result result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: cross_replica_sum_missing required attribute
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.cross-replica-sum"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: partition_id_type (O1) result type
func.func @main() {
  %0 = stablehlo.partition_id : tensor<i32>
  return
}

// -----

// reject: partition_id_rank (O1) result rank
func.func @main() {
  %0 = stablehlo.partition_id : tensor<1xui32>
  return
}

// -----

// reject: replica_id_type (O1) result type
func.func @main() {
  %0 = stablehlo.replica_id : tensor<ui64>
  return
}

// -----

// reject: async_two region of async_start returns exactly one value
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a, %a) ({
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
    %g:2 = "stablehlo.all_gather"(%p, %q) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    stablehlo.return %g#0, %g#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>, tensor<8x8xf32>>
  return
}

// -----

// reject: async_done_two_results async_done has one result
func.func @main(%0: !stablehlo.future<tensor<8xf32>, tensor<8xf32>>) {
  %1:2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>, tensor<8xf32>>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// reject: async_other_op (C2) add in the body
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = stablehlo.add %p, %p : tensor<4x8xf32>
    stablehlo.return %g : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  return
}

// -----

// reject: async_two_ops (C1) two operations
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %h = stablehlo.negate %g : tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
  return
}

// -----

// reject: async_arguments (C3) body arguments
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
  return
}

// -----

// reject: async_argument_type (C3) body argument type
func.func @main(%a: tensor<5x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<5x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
  return
}

// -----

// reject: async_result (C4) future type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  return
}

// -----

// reject: async_done_result (C1) result type
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%p: tensor<4x8xf32>):
    %g = "stablehlo.all_gather"(%p) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %g : tensor<8x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<4x8xf32>
  return
}

// -----

// reject: async_done_operand (I1) operand is no future
func.func @main(%a: tensor<4x8xf32>) {
  %0 = "stablehlo.async_done"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reject: future_of_scalar future of a type that is no tensor
func.func private @f(!stablehlo.future<i32>)
