// Shardings that were carried through XLA as strings become what they were: meshes, shardings, constraints, groups,
// barriers, rules and manual computations; the quotes may be escaped once or twice.
// RUN: partita import %s -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: partita import %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK: module @jit_f attributes {mhlo.frontend_attributes = {other = "kept"}, mhlo.num_partitions = 4 : i32}
// CHECK: sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK: func.func {{(public )?}}@main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}p1]>})
// CHECK-SAME: -> (tensor<4x4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
// CHECK-NEXT: %[[C:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"a", "b"}, {}]>
// CHECK-NEXT: sdy.sharding_group %[[C]] group_id=21
// CHECK-NEXT: %[[B:.*]] = sdy.propagation_barrier %[[C]] allowed_direction=BACKWARD
// CHECK-NEXT: %[[M:.*]] = sdy.manual_computation(%[[B]]) in_shardings=[<@mesh, [{"a"}, {}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}, {}], replicated={"b"}>] manual_axes={"a", "b"} (%[[A:.*]]: tensor<2x4xf32>) {
// CHECK-NEXT: %[[P:.*]] = "stablehlo.collective_permute"(%[[A]])
// CHECK-NEXT: sdy.return %[[P]]
// CHECK: %[[O:.*]] = sdy.manual_computation(%[[M]])
// CHECK: %[[T:.*]] = stablehlo.tanh %[[O]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>}
// CHECK: %[[R:.*]] = stablehlo.custom_call @foo(%[[T]]) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}, custom>}
// CHECK: return %[[R]]
// CHECK-NOT: xla.sdy
module @jit_f attributes {mhlo.frontend_attributes = {other = "kept", xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=2]>}"}, mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<4x4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\\\22a\\\22}, {?}p1]>"}, mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> (tensor<4x4xf32> {jax.result_info = "result", mhlo.sharding = "{devices=[2,2]<=[4]}"}) {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22, \22b\22}, {}]>]>"}, mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %g = stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<4x4xf32>) -> tuple<>
    %1 = stablehlo.custom_call @local_xla.sdy.PropagationBarrier(%0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {}], replicated={\22b\22}>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22, \22b\22}>"}} : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %3 = call @xla.sdy.manual_computation_body(%2) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%3) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22, \22b\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {}], replicated={\22b\22}>]>"}} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    // The attributes may also stand on the call.
    %5 = stablehlo.custom_call @local_xla.sdy.GlobalToLocalShape(%4) : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %6 = call @local_xla.sdy.manual_computation_body_0(%5) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {}]>]>"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.custom_call @local_xla.sdy.LocalToGlobalShape(%6) : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %8 = stablehlo.tanh %7 {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22b\22}]>]>"}, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : tensor<4x4xf32>
    %9 = stablehlo.custom_call @foo(%8) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}, custom>"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %10 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%9) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {\22b\22}]>]>"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %10 : tensor<4x4xf32>
  }
  func.func @xla.sdy.manual_computation_body(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, source_target_pairs = dense<[[0, 2], [2, 0]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func private @local_xla.sdy.manual_computation_body_0(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.negate %x : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
