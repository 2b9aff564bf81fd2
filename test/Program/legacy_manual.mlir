// What stands between @SPMDFullToShardShape and @SPMDShardToFullShape is a manual computation: along all axes, or, with
// groups of devices, along some of them. Constants are copied into it.
// RUN: partita import %s -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: partita import %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=4]>
// CHECK: %[[C:.*]] = stablehlo.constant
// CHECK: %[[M:.*]] = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"axis_1"}, {"axis_0"}]>, <@mesh, [{"axis_0"}, {}], replicated={"axis_1"}>] out_shardings=[<@mesh, [{"axis_1"}, {}], replicated={"axis_0"}>] manual_axes={"axis_0", "axis_1"} (%[[A:.*]]: tensor<2x8xf32>, %[[B:.*]]: tensor<8x16xf32>) {
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %[[A]], %[[B]]
// CHECK-NEXT: %[[I:.*]] = stablehlo.constant
// CHECK-NEXT: %[[R:.*]] = stablehlo.multiply %[[D]], %[[I]]
// CHECK-NEXT: sdy.return %[[R]]
// CHECK: stablehlo.add %[[M]], %{{.*}} : tensor<8x16xf32>
// CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{?}, {"axis_0", ?}]>] out_shardings=[<@mesh, [{?}, {?}], replicated={"axis_0"}>] manual_axes={"axis_0"} (%{{.*}}: tensor<8x8xf32>) {
// CHECK-NOT: custom_call
func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x8xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2x16xf32>
  %one = stablehlo.constant dense<1.0> : tensor<8x16xf32>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x16xf32>) -> tensor<2x8xf32>
  %2 = stablehlo.custom_call @Sharding(%w) {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<16x16xf32>) -> tensor<8x16xf32>
  %4 = func.call @body(%1, %3) : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  %5 = stablehlo.multiply %4, %two : tensor<2x16xf32>
  %6 = stablehlo.custom_call @Sharding(%5) {mhlo.sharding = "{manual}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<2x16xf32>) -> tensor<8x16xf32>
  %8 = stablehlo.add %7, %one : tensor<8x16xf32>
  %9 = stablehlo.custom_call @Sharding(%8) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %10 = stablehlo.custom_call @SPMDFullToShardShape(%9) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x8xf32>
  %11 = stablehlo.custom_call @Sharding(%10) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %12 = stablehlo.custom_call @SPMDShardToFullShape(%11) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %12 : tensor<8x8xf32>
}
func.func private @body(%x: tensor<2x8xf32>, %w: tensor<8x16xf32>) -> tensor<2x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
