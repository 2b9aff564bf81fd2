// Each kind of reshard as the StableHLO op it becomes; groups list devices by their index along the axes.
// RUN: split-file %s %t
// RUN: partita-opt --partita-test-partition="mesh=data=2,model=2 tiles=arg0:0:data,result0:1:data" %t/exchange.mlir | FileCheck %t/exchange.mlir
// RUN: partita-opt --partita-test-partition="mesh=data=2,model=2 tiles=arg0:1:model,result0:0:model" %t/reduce.mlir | FileCheck %t/reduce.mlir
// RUN: partita-opt --partita-test-partition="mesh=data=16,model=8 tiles=arg0:1:model" %t/reduce.mlir | FileCheck --check-prefix=MANY %t/reduce.mlir

//--- exchange.mlir
// CHECK-LABEL: sdy.manual_computation
// CHECK: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK: "stablehlo.all_to_all"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}>
// CHECK-SAME: (tensor<4x8xf32>) -> tensor<8x4xf32>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

//--- reduce.mlir
// A sum of which each device wants a part.
// CHECK-LABEL: sdy.manual_computation
// CHECK: stablehlo.reduce
// CHECK: "stablehlo.reduce_scatter"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
// CHECK-NEXT: ^bb0
// CHECK-NEXT: stablehlo.maximum
// CHECK: (tensor<8xf32>) -> tensor<4xf32>

// Above 64 devices groups are axes of the mesh.
// MANY: sdy.mesh @mesh = <["data"=16, "model"=8]>
// MANY: "stablehlo.all_reduce"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "model">]>, use_global_device_ids}>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
