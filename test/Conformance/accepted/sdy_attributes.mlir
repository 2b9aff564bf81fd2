// accept: sdy_mesh_forms
sdy.mesh @one = <["x"=8]>
sdy.mesh @two = <["x"=2, "y"=4]>
sdy.mesh @unit_axis = <["x"=1, "y"=4]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @maximal = <[], device_ids=[5]>
sdy.mesh @empty = <[]>
sdy.mesh @single = <["x"=1]>
sdy.mesh @extra = <["x"=2]> {note = "kept"}
sdy.mesh @"odd name" = <["axis.with:odd chars"=2]>
"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "generic"}> : () -> ()

// -----

// accept: sdy_mesh_device_iota
// Natural order is taken; the printer leaves it out.
sdy.mesh @m = <["x"=2, "y"=2], device_ids=[0, 1, 2, 3]>

// -----

// accept: sdy_sharding_replicated
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_closed
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) {
  return
}

// -----

// accept: sdy_sharding_several
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_open
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {?}]>}) {
  return
}

// -----

// accept: sdy_sharding_priority
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p0, {?}p12]>}) {
  return
}

// -----

// accept: sdy_sharding_priority_closed
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}p1, {"c", ?}p3]>}) {
  return
}

// -----

// accept: sdy_sharding_priority_open_empty
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}p1, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_sub_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2}, {"c":(4)2}]>}) {
  return
}

// -----

// accept: sdy_sharding_sub_axes_gap
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(4)2, "c":(1)2}, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_replicated_axes
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"b"}], replicated={"a"}>}) {
  return
}

// -----

// accept: sdy_sharding_replicated_sub
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"a", "c":(1)2, "c":(4)2}>}) {
  return
}

// -----

// accept: sdy_sharding_unreduced
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], unreduced={"b"}>}) {
  return
}

// -----

// accept: sdy_sharding_both
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], replicated={"b"}, unreduced={"c":(2)2}>}) {
  return
}

// -----

// accept: sdy_sharding_both_swapped
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], unreduced={"c"}, replicated={"b"}>}) {
  return
}

// -----

// accept: sdy_sharding_everything
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c":(1)2, ?}p2, {"b"}], replicated={"c":(2)2}, unreduced={"c":(4)2}>}) {
  return
}

// -----

// accept: sdy_sharding_scalar
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}) {
  return
}

// -----

// accept: sdy_sharding_uneven
// Dimension sizes need not be multiples of the sharded size.
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<5x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"c"}]>}) {
  return
}

// -----

// accept: sdy_sharding_dynamic
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<?x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_token
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: !stablehlo.token {sdy.sharding = #sdy.sharding<@m, []>}) {
  return
}

// -----

// accept: sdy_sharding_maximal
sdy.mesh @m = <[], device_ids=[3]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, []>}) {
  return
}

// -----

// accept: sdy_sharding_empty_mesh
sdy.mesh @m = <[]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  return
}

// -----

// accept: sdy_sharding_inline_mesh
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=4]>, [{"a"}, {"b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2], device_ids=[1, 0]>, [{?}], replicated={"a"}>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[2]>, []>}) {
  return
}

// -----

// accept: sdy_sharding_results
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@m, [{"b"}]>}, tensor<8xf32>) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a", ?}]>]>} : tensor<8xf32>
  %1:2 = stablehlo.custom_call @two(%0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>, <@m, [{}], unreduced={"b"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  stablehlo.custom_call @none(%0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<8xf32>) -> ()
  return %0, %1#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// accept: sdy_sharding_per_value_empty
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {other = #sdy.sharding_per_value<[]>} : tensor<8xf32>
  return
}

// -----

// accept: sdy_sharding_while
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>, %c: tensor<i1>) {
  %0 = stablehlo.while(%p = %x) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>}
   cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p : tensor<8xf32>
  }
  return
}

// -----

// accept: sdy_sharding_tuple_of_one
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @t(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : (tensor<8xf32>) -> tuple<tensor<8xf32>>
  return
}

// -----

// accept: sdy_rule_plain
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) {
  %0 = stablehlo.custom_call @mm(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16}>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// accept: sdy_rule_custom
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) {
  %0 = stablehlo.custom_call @mm(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}, custom>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// accept: sdy_rule_reduction
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) {
  %0 = stablehlo.custom_call @mm(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// accept: sdy_rule_custom_only
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) {
  %0 = stablehlo.custom_call @mm(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16}, custom>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// accept: sdy_rule_need_replication
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// accept: sdy_rule_permutation
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i, j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// accept: sdy_rule_blocked
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} blocked_propagation={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// accept: sdy_rule_all_lists
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) {
  %0 = stablehlo.custom_call @mm(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [l, j])->([i, j]) {i=8, j=32, k=16, l=16} reduction={k} need_replication={l} permutation={j} blocked_propagation={i, k}, custom>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// accept: sdy_rule_compound
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, kl])->([ij, kl]) {i=2, j=4, k=4, l=4}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// accept: sdy_rule_different_factors
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l]) {i=8, j=16, k=8, l=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// accept: sdy_rule_many_factors
func.func @main(%a: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2}>} : (tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>
  return
}

// -----

// accept: sdy_rule_scalar
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// accept: sdy_rule_registered_op
func.func @main(%a: tensor<8xf32>) {
  %0 = stablehlo.add %a, %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : tensor<8xf32>
  return
}

// -----

// accept: sdy_rule_unit_factor
func.func @main(%a: tensor<1x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=16}>} : (tensor<1x16xf32>) -> tensor<1x16xf32>
  return
}

// -----

// accept: sdy_rule_custom_registered
// A custom rule may stand on any op.
func.func @main(%a: tensor<8xf32>) {
  %0 = stablehlo.add %a, %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return
}

// -----

// accept: sdy_attributes_alone
// Under other names the attributes are not verified against meshes.
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {a = #sdy<axis_ref"x":(1)2>, b = #sdy<mesh_axis"x"=2>, c = #sdy<dimension_sharding{"a", ?}p1>, d = #sdy<tensor_mapping[i, j]>, e = #sdy<axis_ref_list{"a", "b":(1)2}>, f = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, g = #sdy<manual_axes{"a"}>, h = #sdy<manual_axes{}>, i = #sdy.mesh<["a"=2]>, j = #sdy<all_to_all_param_list[{"a"}: 0->1]>, k = #sdy.sharding<@nowhere, [{}]>} : tensor<8xf32>
  return
}

// -----

// accept: sdy_attributes_discardable
// Unknown names with a dialect prefix are kept.
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {jax.q = "x", mhlo.bar = 2 : i32, sdy.foo = 1 : i32, sdy.sharding_origins = {a = "x"}} : tensor<8xf32>
  return
}

// -----

// accept: sdy_propagation_edges
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}
