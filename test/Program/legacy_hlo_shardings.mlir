// XLA's own notation becomes shardings on a mesh with the coarsest axes that all of them can be said with.
// RUN: partita import %s -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: partita import %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK: module attributes {mhlo.num_partitions = 8 : i32}
// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=4]>
// CHECK: func.func {{(public )?}}@main(
// CHECK-SAME: %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {"axis_0"}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {}]>}
// CHECK-SAME: %arg3: tensor<8x16xf32>)
// CHECK-SAME: -> (tensor<8x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"axis_1", "axis_0"}, {}]>}, tensor<8x16xf32>)
// CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"axis_0"}, {?}]>
// CHECK: stablehlo.tanh %{{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"axis_0", "axis_1"}, {}]>]>}
// CHECK-NOT: mhlo.sharding
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %x: tensor<8x16xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}", tf.aliasing_output = 0 : i32},
      %w: tensor<16x16xf32> {mhlo.sharding = "{replicated}"},
      %v: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate metadata={op_name=\"{\"}}"},
      %u: tensor<8x16xf32> {mhlo.sharding = "{unknown}"})
      -> (tensor<8x16xf32> {jax.result_info = "result", mhlo.sharding = "{devices=[8,1]<=[2,4]T(1,0)}"}, tensor<8x16xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.add %0, %v : tensor<8x16xf32>
    %2 = func.call @constrained(%1) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.tanh %u {mhlo.sharding = "{devices=[8,1]<=[8]}"} : tensor<8x16xf32>
    return %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>
  }
  func.func private @constrained(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
