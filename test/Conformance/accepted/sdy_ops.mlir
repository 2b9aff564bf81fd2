// accept: sdy_sharding_constraint_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>, %t: !stablehlo.token) {

  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {?}]> : tensor<16x32xf32>
  %1 = sdy.sharding_constraint %x <@m, [{}, {"b"}], replicated={"a"}> {extra} : tensor<16x32xf32>
  %2 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = sdy.sharding_constraint %x <mesh<["q"=2]>, [{"q"}, {}]> : tensor<16x32xf32>
  %4 = sdy.sharding_constraint %t <@m, []> : !stablehlo.token
  return
}

// -----

// accept: sdy_reshard_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>, %t: !stablehlo.token) {

  %0 = sdy.reshard %x <@m, [{"a"}, {?}]> : tensor<16x32xf32>
  %1 = sdy.reshard %x <@m, [{}, {"b"}], replicated={"a"}> {extra} : tensor<16x32xf32>
  %2 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = sdy.reshard %x <mesh<["q"=2]>, [{"q"}, {}]> : tensor<16x32xf32>
  %4 = sdy.reshard %t <@m, []> : !stablehlo.token
  return
}

// -----

// accept: sdy_sharding_group_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {

  sdy.sharding_group %x group_id=0 : tensor<16x32xf32>
  sdy.sharding_group %x group_id=21 {extra} : tensor<16x32xf32>
  "sdy.sharding_group"(%x) <{group_id = 3 : i64}> : (tensor<16x32xf32>) -> ()
  return
}

// -----

// accept: sdy_constant_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main() {

  %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} dense<1> : tensor<8x16xi32>
  %2 = "sdy.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2xi8>
  return
}

// -----

// accept: sdy_data_flow_edge_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>, %y: tensor<8xf32>) {

  %0 = sdy.data_flow_edge %x : tensor<16x32xf32>
  %1 = sdy.data_flow_edge %y sharding=<@m, [{"a", ?}]> : tensor<8xf32>
  %2 = stablehlo.negate %0 : tensor<16x32xf32>
  %3 = "sdy.data_flow_edge"(%2) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_func_data_flow_edge_forms
func.func @main(%x: tensor<16x32xf32>, %y: tensor<16x32xf32>) {
  %0 = sdy.func_data_flow_edge %x : tensor<16x32xf32>
  %1 = call @f(%y) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %2 = sdy.func_data_flow_edge %1 {extra} : tensor<16x32xf32>
  return
}
func.func private @f(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = "sdy.func_data_flow_edge"(%x) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// accept: sdy_propagation_barrier_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=NONE : tensor<16x32xf32>
  %1 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<16x32xf32>
  %2 = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<16x32xf32>
  %3 = "sdy.propagation_barrier"(%x) <{allowed_direction = 0 : i32}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_named_computation_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {

  %0 = sdy.named_computation<"foo">(%x) (%p: tensor<16x32xf32>) {
    %n = stablehlo.negate %p : tensor<16x32xf32>
    sdy.return %n : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %1:2 = sdy.named_computation<"bar">(%x, %x) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{}, {"b"}]>] out_shardings=[<@m, [{}, {}]>, <@m, [{?}, {?}]>] (%p: tensor<16x32xf32>, %q: tensor<16x32xf32>) {
    sdy.return %q, %p : tensor<16x32xf32>, tensor<16x32xf32>
  } {extra} : (tensor<16x32xf32>, tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>)
  %2 = sdy.named_computation<"out">(%x) out_shardings=[<@m, [{"a"}, {}]>] (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  sdy.named_computation<"none">() () {
    sdy.return
  } : () -> ()
  %3 = "sdy.named_computation"(%x) <{name = "generic"}> ({
  ^bb0(%p: tensor<16x32xf32>):
    sdy.return %p : tensor<16x32xf32>
  }) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_basic
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_free_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a", "b"}, {?}]>] out_shardings=[<@m, [{"a", ?}, {"c"}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_no_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={} (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_two_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {"b"}]>] out_shardings=[<@m, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%p: tensor<8x8xf32>) {
    %n = stablehlo.negate %p : tensor<8x8xf32>
    sdy.return %n : tensor<8x8xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_several
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>, %y: tensor<8xf32>) {
  %0:2 = sdy.manual_computation(%x, %y) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{}], replicated={"a"}>] out_shardings=[<@m, [{}], replicated={"a"}>, <@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>, %q: tensor<8xf32>) {
    sdy.return %q, %p : tensor<8xf32>, tensor<8x32xf32>
  } : (tensor<16x32xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<16x32xf32>)
  return
}

// -----

// accept: sdy_manual_computation_replicated
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{}, {}], replicated={"a"}>] out_shardings=[<@m, [{}, {}], unreduced={"a"}>] manual_axes={"a"} (%p: tensor<16x32xf32>) {
    sdy.return %p : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_no_operands
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main() {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} () {
    %c = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : () -> tensor<16xf32>
  return
}

// -----

// accept: sdy_manual_computation_no_results
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    stablehlo.custom_call @f(%p) {has_side_effect = true} : (tensor<8x32xf32>) -> ()
    sdy.return
  } : (tensor<16x32xf32>) -> ()
  return
}

// -----

// accept: sdy_manual_computation_empty
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}

// -----

// accept: sdy_manual_computation_token
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>, %t: !stablehlo.token) {
  %0:2 = sdy.manual_computation(%x, %t) in_shardings=[<@m, [{"a"}, {}]>, <@m, []>] out_shardings=[<@m, []>, <@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>, %u: !stablehlo.token) {
    sdy.return %u, %p : !stablehlo.token, tensor<8x32xf32>
  } : (tensor<16x32xf32>, !stablehlo.token) -> (!stablehlo.token, tensor<16x32xf32>)
  return
}

// -----

// accept: sdy_manual_computation_nested
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %1 = sdy.manual_computation(%p) in_shardings=[<@m, [{}, {"b"}]>] out_shardings=[<@m, [{}, {"b"}]>] manual_axes={"b"} (%q: tensor<8x8xf32>) {
      %g = "stablehlo.all_reduce"(%q) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%s: tensor<f32>, %t: tensor<f32>):
        %r = stablehlo.add %s, %t : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
      sdy.return %g : tensor<8x8xf32>
    } : (tensor<8x32xf32>) -> tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_generic
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}> ({
  ^bb0(%p: tensor<8x32xf32>):
    sdy.return %p : tensor<8x32xf32>
  }) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_inner_sharding
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%p: tensor<8x32xf32>) {
    %n = sdy.sharding_constraint %p <@m, [{"b"}, {?}]> : tensor<8x32xf32>
    sdy.return %n : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_manual_computation_axis_twice
// A manual axis may be named twice.
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a", "a"} (%p: tensor<8x32xf32>) {
    sdy.return %p : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_gather_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"a"}, {}] %s out_sharding=<@m, [{}, {}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_gather_partial
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a", "b"}, {"c"}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{"b"}, {"c"}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_gather_sub_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{}, {"c"}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{}, {"c":(2)4}] %s out_sharding=<@m, [{}, {"c":(1)2}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_gather_nothing
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_gather [{}, {}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_gather_generic
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = "sdy.all_gather"(%s) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_slice_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_slice [{"a"}, {}] %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  %1 = sdy.all_slice [{"b"}, {"c":(1)2}] %0 out_sharding=<@m, [{"a", "b"}, {"c":(1)2}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_to_all_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_to_all [{"a"}: 0->1] %s out_sharding=<@m, [{}, {"a"}]> : tensor<16x32xf32>
  %1 = "sdy.all_to_all"(%s) <{out_sharding = #sdy.sharding<@m, [{}, {"a"}]>, params = #sdy<all_to_all_param_list[{"a"}: 0->1]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_to_all_two
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%y: tensor<8x8x8x8xf32>) {
  %s = sdy.sharding_constraint %y <@m, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
  %0 = sdy.all_to_all [{"a"}: 0->1, {"b"}: 2->3] %s out_sharding=<@m, [{}, {"a"}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  return
}

// -----

// accept: sdy_collective_permute_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {"b":(1)2}]> : tensor<16x32xf32>
  %0 = sdy.collective_permute %s out_sharding=<@m, [{"b":(1)2}, {"a"}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_collective_permute_meshes
sdy.mesh @m = <["a"=2, "b"=2]>
sdy.mesh @n = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.collective_permute %s out_sharding=<@n, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_reduce_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}], unreduced={"b"}> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"b"} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  %1 = "sdy.all_reduce"(%s) <{out_sharding = #sdy.sharding<@m, [{"a"}, {}]>, reduction_axes = #sdy<axis_ref_list{"b"}>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_all_reduce_plain
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.all_reduce {"b", "c":(1)2} %s out_sharding=<@m, [{"a"}, {}]> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_reduce_scatter_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}], unreduced={"b"}> : tensor<16x32xf32>
  %0 = sdy.reduce_scatter [{"b"}, {}] %s out_sharding=<@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  %1 = "sdy.reduce_scatter"(%s) <{out_sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}, {"b"}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// accept: sdy_sharded_to_unreduced_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a", "b"}, {}]> : tensor<16x32xf32>
  %0 = sdy.sharded_to_unreduced [{"b"}, {}] %s out_sharding=<@m, [{"a"}, {}], unreduced={"b"}> : tensor<16x32xf32>
  return
}

// -----

// accept: sdy_replicated_to_unreduced_forms
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<16x32xf32>) {
  %s = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<16x32xf32>
  %0 = sdy.replicated_to_unreduced {"b"} %s out_sharding=<@m, [{"a"}, {}], unreduced={"b"}> : tensor<16x32xf32>
  return
}
