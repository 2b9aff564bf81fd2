// Devices in an order of their own: the mesh lists them.
// RUN: partita-opt --partita-import %s | FileCheck %s

// CHECK: sdy.mesh @mesh_0 = <["axis_0"=2, "axis_1"=2], device_ids=[0, 1, 3, 2]>
// CHECK: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"axis_0"}, {"axis_1"}]>}
// CHECK: %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"axis_0", "axis_1"}, {}]>}
// CHECK: %arg2: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{}, {"axis_0"}]>}
// The name @mesh is taken.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%x: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]0,1,3,2}"}, %y: tensor<4x4xf32> {mhlo.sharding = "{devices=[4,1]0,1,3,2}"}, %z: tensor<4x4xf32> {mhlo.sharding = "{devices=[1,2,2]0,1,2,3 last_tile_dim_replicate}"}) -> tensor<4x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4x4xf32>
  %1 = stablehlo.add %0, %z : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
