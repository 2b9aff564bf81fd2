// reject: sdy_sharding_constraint_rank sharding rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharding_constraint_axis unknown axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"z"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharding_constraint_mesh unknown mesh
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.sharding_constraint %x <@n, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharding_constraint_missing sharding required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.sharding_constraint"(%x) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharding_constraint_type result type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16xf32>
  return
}

// -----

// reject: sdy_sharding_constraint_long_attribute parse: attribute without its name
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.sharding_constraint %x #sdy.sharding<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reshard_rank sharding rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.reshard %x <@m, [{"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reshard_axis unknown axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.reshard %x <@m, [{"z"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reshard_mesh unknown mesh
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.reshard %x <@n, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reshard_missing sharding required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.reshard"(%x) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reshard_type result type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16xf32>
  return
}

// -----

// reject: sdy_reshard_long_attribute parse: attribute without its name
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.reshard %x #sdy.sharding<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharding_group_missing group required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  "sdy.sharding_group"(%x) : (tensor<16x32xf32>) -> ()
  return
}

// -----

// reject: sdy_sharding_group_token token operand
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%t: !stablehlo.token) {
  sdy.sharding_group %t group_id=0 : !stablehlo.token
  return
}

// -----

// reject: sdy_sharding_group_type group of i32
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  "sdy.sharding_group"(%x) <{group_id = 3 : i32}> : (tensor<16x32xf32>) -> ()
  return
}

// -----

// reject: sdy_sharding_group_parse parse: group_id required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  sdy.sharding_group %x : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_constant_type result type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main() {
  %0 = "sdy.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<3xi8>
  return
}

// -----

// reject: sdy_constant_missing value required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main() {
  %0 = "sdy.constant"() : () -> tensor<3xi8>
  return
}

// -----

// reject: sdy_data_flow_edge_users source with two users
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.data_flow_edge %x : tensor<16x32xf32>
  %1 = stablehlo.negate %x : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_data_flow_edge_dynamic dynamic shape
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<?xf32>) {
  %0 = sdy.data_flow_edge %x : tensor<?xf32>
  return
}

// -----

// reject: sdy_data_flow_edge_rank sharding rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.data_flow_edge %x sharding=<@m, [{"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_data_flow_edge_of_constraint source is an sdy op
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %1 = sdy.data_flow_edge %0 : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_data_flow_edge_token token
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: !stablehlo.token) {
  %0 = sdy.data_flow_edge %x : !stablehlo.token
  return
}

// -----

// reject: sdy_func_data_flow_edge_users source with two users
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.func_data_flow_edge %x : tensor<16x32xf32>
  %1 = stablehlo.negate %x : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_func_data_flow_edge_source source is no argument and no call
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %1 = stablehlo.negate %x : tensor<16x32xf32>
  %0 = sdy.func_data_flow_edge %1 : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_propagation_barrier_both direction BOTH
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=BOTH : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_propagation_barrier_unknown parse: direction
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=SIDEWAYS : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_propagation_barrier_number direction number
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 9 : i32}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_propagation_barrier_type result type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 0 : i32}> : (tensor<16x32xf32>) -> tensor<16xf32>
  return
}

// -----

// reject: sdy_named_computation_argument_count block argument count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<16x32xf32>, %q: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_argument_type block argument type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<8x32xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<16x32xf32>
    sdy.return %c : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_result_type returned type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<16x32xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_in_shardings in_shardings count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) in_shardings=[] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_out_shardings out_shardings rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) out_shardings=[<@m, [{}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_capture value from outside
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<16x32xf32>) {
    %n = stablehlo.negate %x : tensor<16x32xf32>
    sdy.return %n : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_no_name parse: name required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation(%x) (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_order parse: in before out
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) out_shardings=[<@m, [{}, {}]>] in_shardings=[<@m, [{}, {}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_named_computation_terminator terminator of another dialect
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<16x32xf32>) {
    stablehlo.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_in_count in_shardings count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_out_count out_shardings count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_argument_count block argument count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>, %q: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_return_count returned count
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_local_shape local argument shape
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<16x32xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<8x32xf32>
    sdy.return %c : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_local_result local result shape
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<16x32xf32>
    sdy.return %c : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_element_type local element type
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf64>) {
    %c = stablehlo.constant dense<0.0> : tensor<8x32xf32>
    sdy.return %c : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_divisible size not divisible by the manual axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<15x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<15x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_free_first free axis before a manual axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"b", "a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_unknown_axis manual axis unknown
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"z"} (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_two_meshes two meshes
sdy.mesh @m = <["a"=2]>
sdy.mesh @n = <["a"=2, "b"=2]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@n, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
  sdy.return %p : tensor<8x32xf32>
} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_nested_axis axis bound by the parent
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %1 = sdy.manual_computation(%p) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%q: tensor<4x32xf32>) {
      sdy.return %q : tensor<4x32xf32>
    } : (tensor<8x32xf32>) -> tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_inner_bound inner sharding uses a manual axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %n = sdy.sharding_constraint %p <@m, [{"a"}, {}]> : tensor<8x32xf32>
    sdy.return %n : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_capture value from outside
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %n = stablehlo.negate %x : tensor<16x32xf32>
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_no_axes_field parse: manual_axes required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_plain_axes parse: axes are strings
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={a} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_sub_axis parse: no sub-axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"c":(1)2} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_manual_computation_terminator terminator of another dialect
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    stablehlo.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_axis axis not in the operand sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"b"}, {}] %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_prefix axis is not the last
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"a"}, {}] %s out_sharding=<@m, [{"b"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_result result sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"a"}, {}] %s out_sharding=<@m, [{"b"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_rank axes rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"a"}] %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_unsharded operand without sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_mesh another mesh
sdy.mesh @m = <["a"=2]>
sdy.mesh @n = <["a"=4]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"a"}, {}] %s out_sharding=<@n, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_unknown_axis unknown axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"z"}, {}] %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_gather_syntax parse: list of lists
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather {"a"} %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_slice_result result sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_slice [{"a"}, {}] %s out_sharding=<@m, [{}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_slice_used axis already used
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_slice [{}, {"a"}] %s out_sharding=<@m, [{"a"}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_slice_rank axes rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_slice [{"a"}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_empty empty list
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [] %s out_sharding=<@m, [{}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_range dimension out of range
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"a"}: 0->2] %s out_sharding=<@m, [{}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_same source and target overlap
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"a"}: 0->0] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_axis axis not in the source
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"b"}: 0->1] %s out_sharding=<@m, [{}, {"b"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_result result sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"a"}: 0->1] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_to_all_order sources not sorted
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%y: tensor<8x8x8x8xf32>) {
  %s = sdy.sharding_constraint %y <@m, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
  %0 = sdy.all_to_all [{"b"}: 2->3, {"a"}: 0->1] %s out_sharding=<@m, [{}, {"a"}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  return
}

// -----

// reject: sdy_all_to_all_syntax parse: arrow
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"a"}: 0 1] %s out_sharding=<@m, [{}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_collective_permute_size sharded size differs
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.collective_permute %s out_sharding=<@m, [{"b"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_collective_permute_rank result rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.collective_permute %s out_sharding=<@m, [{"b"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_overlap reduction axis shards the operand
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"a"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_result result sharding differs
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"b"} %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_unknown unknown axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"z"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_twice axis twice
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"b", "b"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_syntax parse: list of axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce [{"b"}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reduce_scatter_result result sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.reduce_scatter [{"b"}, {}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reduce_scatter_overlap axis shards the operand
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.reduce_scatter [{}, {"a"}] %s out_sharding=<@m, [{"a"}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_reduce_scatter_rank axes rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.reduce_scatter [{"b"}] %s out_sharding=<@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharded_to_unreduced_result unreduced axes missing
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  %0 = sdy.sharded_to_unreduced [{"b"}, {}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_sharded_to_unreduced_axis axis not in the operand
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  %0 = sdy.sharded_to_unreduced [{"c"}, {}] %s out_sharding=<@m, [{"a", "b"}, {}], unreduced={"c"}> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_replicated_to_unreduced_empty no axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.replicated_to_unreduced {} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_replicated_to_unreduced_dimensions dimension shardings differ
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.replicated_to_unreduced {"b"} %s out_sharding=<@m, [{}, {}], unreduced={"b"}> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_replicated_to_unreduced_result unreduced axes missing
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.replicated_to_unreduced {"b"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_replicated_to_unreduced_overlap axis shards the operand
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.replicated_to_unreduced {"a"} %s out_sharding=<@m, [{"a"}, {}], unreduced={"a"}> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_all_reduce_kind parse: no reduction kind in this version
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce max {"b"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// reject: sdy_op_unknown unknown op
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.nothing"(%x) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}
