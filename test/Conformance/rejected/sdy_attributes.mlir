// reject: sdy_mesh_axis_zero axis size below 1
sdy.mesh @m = <["x"=0]>

// -----

// reject: sdy_mesh_axis_negative axis size negative
sdy.mesh @m = <["x"=-2]>

// -----

// reject: sdy_mesh_axis_repeat axis name twice
sdy.mesh @m = <["x"=2, "x"=2]>

// -----

// reject: sdy_mesh_device_count device count and axes
sdy.mesh @m = <["x"=2, "y"=2], device_ids=[1, 0]>

// -----

// reject: sdy_mesh_device_repeat device twice
sdy.mesh @m = <["x"=2, "y"=2], device_ids=[0, 1, 2, 2]>

// -----

// reject: sdy_mesh_device_range devices are no permutation
sdy.mesh @m = <["x"=2, "y"=2], device_ids=[4, 3, 2, 1]>

// -----

// reject: sdy_mesh_device_negative negative device
sdy.mesh @m = <["x"=2], device_ids=[-1, 0]>

// -----

// reject: sdy_mesh_maximal_two maximal mesh of two devices
sdy.mesh @m = <[], device_ids=[1, 2]>

// -----

// reject: sdy_mesh_maximal_negative maximal mesh of a negative device
sdy.mesh @m = <[], device_ids=[-1]>

// -----

// reject: sdy_mesh_no_size parse: size required
sdy.mesh @m = <["x"]>

// -----

// reject: sdy_mesh_plain_name parse: name is a string
sdy.mesh @m = <[x=2]>

// -----

// reject: sdy_mesh_no_list parse: list required
sdy.mesh @m = <"x"=2>

// -----

// reject: sdy_mesh_device_key parse: device_ids
sdy.mesh @m = <["x"=2], ids=[1, 0]>

// -----

// reject: sdy_mesh_symbol_repeat symbol twice
sdy.mesh @m = <["x"=2]>
sdy.mesh @m = <["x"=4]>

// -----

// reject: sdy_mesh_in_function mesh outside of a module
func.func @main() {
  sdy.mesh @m = <["x"=2]>
  return
}

// -----

// reject: sdy_mesh_missing mesh attribute required
"sdy.mesh"() <{sym_name = "m"}> : () -> ()

// -----

// reject: sdy_sharding_rank sharding rank
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  return
}

// -----

// reject: sdy_sharding_unknown_axis unknown axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_axis_twice axis used twice
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"a"}]>}) {
  return
}

// -----

// reject: sdy_sharding_axis_twice_replicated axis sharded and replicated
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], replicated={"a"}>}) {
  return
}

// -----

// reject: sdy_sharding_axis_twice_unreduced axis sharded and unreduced
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}], unreduced={"a"}>}) {
  return
}

// -----

// reject: sdy_sharding_sub_and_full sub-axis and full axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2}, {"c"}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_overlap sub-axes overlap
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)4}, {"c":(2)4}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_size_one sub-axis of size 1
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)1}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_full_size sub-axis of the full size
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)8}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_pre_zero sub-axis pre-size 0
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(0)2}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_division sub-axis does not divide
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)3}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_beyond sub-axis beyond the axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(4)4}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_sub_mergeable adjacent sub-axes to be merged
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":(1)2, "c":(2)2}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_priority_closed_empty priority of an empty closed dimension
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}p0, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_replicated_order replicated axes in mesh order
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"b", "a"}>}) {
  return
}

// -----

// reject: sdy_sharding_unreduced_order unreduced axes in mesh order
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"b", "a"}>}) {
  return
}

// -----

// reject: sdy_sharding_unknown_mesh mesh not found
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@nowhere, [{}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_unknown_replicated unknown replicated axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"z"}>}) {
  return
}

// -----

// reject: sdy_sharding_priority_syntax parse: priority
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}q1, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_priority_number parse: priority number
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_priority_zero parse: leading zero
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p01, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_priority_negative parse: negative priority
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}p-1, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_axis_plain parse: axis is a string
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{a}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_open_first parse: ? stands last
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?, "a"}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_brackets parse: braces per dimension
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [["a"], {}]>}) {
  return
}

// -----

// reject: sdy_sharding_no_dims parse: dimensions required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m>}) {
  return
}

// -----

// reject: sdy_sharding_no_mesh parse: mesh required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<[{}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_list_unknown parse: unknown list
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], partial={"a"}>}) {
  return
}

// -----

// reject: sdy_sharding_list_twice parse: list given twice
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"a"}, replicated={"b"}>}) {
  return
}

// -----

// reject: sdy_sharding_list_empty parse: empty list
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={}>}) {
  return
}

// -----

// reject: sdy_sharding_list_equal parse: = required
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated{"a"}>}) {
  return
}

// -----

// reject: sdy_sharding_sub_syntax parse: sub-axis
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c":2}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_trailing parse: > expected
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}] "a">}) {
  return
}

// -----

// reject: sdy_sharding_maximal_rank maximal mesh with dimensions
sdy.mesh @m = <[], device_ids=[3]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  return
}

// -----

// reject: sdy_sharding_token_rank token with dimensions
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: !stablehlo.token {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  return
}

// -----

// reject: sdy_sharding_unranked unranked tensor
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  return
}

// -----

// reject: sdy_sharding_argument_kind argument needs the sharding attribute
func.func @main(%x: tensor<8xf32> {sdy.sharding = "a"}) {
  return
}

// -----

// reject: sdy_sharding_argument_per_value argument with a list of shardings
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>}) {
  return
}

// -----

// reject: sdy_sharding_op_kind op needs a list of shardings
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding<@m, [{"a"}]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_sharding_op_count sharding count and results
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>, <@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_sharding_op_rank sharding rank of a result
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_sharding_result_rank sharding rank of a function result
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, []>}) {
  return %x : tensor<8xf32>
}

// -----

// reject: sdy_sharding_tuple_of_two tuple of two
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @t(%x) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  return
}

// -----

// reject: sdy_sharding_inline_axis axis not in the inline mesh
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"b"}]>}) {
  return
}

// -----

// reject: sdy_sharding_inline_mesh_bad inline mesh is checked
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=0]>, [{}]>}) {
  return
}

// -----

// reject: sdy_attribute_unknown parse: unknown attribute
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {v = #sdy.nothing<1>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_sharding_per_value_syntax parse: list required
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {v = #sdy.sharding_per_value<@m>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_rule_operand_count operand mapping count
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_result_count result mapping count
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_rank mapping rank
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_unused_factor factor not used
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16, k=2}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_factor_range factor without a size
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_factor_twice factor twice in a tensor
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_unit_in_compound factor of size 1 among several
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([ij, k]) {i=8, j=1, k=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_reduction_in_result reduction factor in a result
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} reduction={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_two_sets factor in two sets
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=16, k=16} reduction={j} need_replication={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_unsorted special factors not sorted
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j, i}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_special_repeat special factor twice
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j, j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_special_range special factor out of range
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={k}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_empty_dimension dimension without factor
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, ])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_size_order parse: sizes in order
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {j=16, i=8}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_size_skip parse: size skipped
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([i, k]) {i=8, k=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_size_compound parse: one symbol per size
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([ij, k]) {ij=8, k=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_symbol parse: symbol below i
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([a, j])->([a, j]) {a=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_symbol_zero parse: z_0
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([z_0, j])->([z_0, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_list_order parse: lists in order
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i} need_replication={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_list_unknown parse: unknown list
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} gather={i}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_arrow parse: arrow
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j]) ([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_custom_comma parse: comma before custom
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} custom>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_size_value parse: size is a number
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=x, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_kind rule of another kind
func.func @main(%a: tensor<8x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = "x"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// reject: sdy_rule_dynamic dynamic shape
func.func @main(%a: tensor<?x16xf32>) {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : (tensor<?x16xf32>) -> tensor<?x16xf32>
  return
}

// -----

// reject: sdy_propagation_edges_operand operand out of range
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-1 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_propagation_edges_result result out of range
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-1]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_propagation_edges_axis unknown axis
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"z" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_propagation_edges_same source is a target
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_propagation_edges_step step twice
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}, {step-0 = [{"b" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_propagation_edges_syntax parse: step
sdy.mesh @m = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return
}

// -----

// reject: sdy_sharding_unreduced_max parse: no reduction kind in this version
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"b"}>}) {
  return
}

// -----

// reject: sdy_axis_ref_brackets parse: no angle brackets
func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x {a = #sdy.axis_ref<"x">} : tensor<8xf32>
  return
}
