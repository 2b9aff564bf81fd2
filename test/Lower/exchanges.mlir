// What devices exchange within an op: partial results of an argmax, edges of a convolution.
// RUN: split-file %s %t
// RUN: partita-opt --partita-test-partition="mesh=data=2,model=2 tiles=arg0:1:model" %t/argmax.mlir | FileCheck %t/argmax.mlir
// RUN: partita-opt --partita-test-partition="mesh=data=2,model=2 tiles=arg0:1:data" %t/convolution.mlir | FileCheck %t/convolution.mlir
// RUN: partita-opt --partita-test-partition="mesh=data=8 tiles=arg0:1:data" %t/convolution.mlir | FileCheck --check-prefix=FAR %t/convolution.mlir

//--- argmax.mlir
// CHECK-LABEL: sdy.manual_computation
// CHECK: stablehlo.reduce{{.*}} across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>
// CHECK: stablehlo.reshape {{.*}} : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>
// CHECK: stablehlo.reduce{{.*}} across dimensions = [0] : (tensor<2x4xf32>, tensor<2x4xi32>
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xi32> {
  %places = stablehlo.iota dim = 1 : tensor<4x16xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %least), (%places init: %zero) across dimensions = [1] : (tensor<4x16xf32>, tensor<4x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<4xi32>
}

//--- convolution.mlir
// Two rows from before, one from behind; on 8 devices a device has one row, and takes from two neighbors.
// CHECK-LABEL: sdy.manual_computation
// CHECK: stablehlo.slice {{.*}} [0:2, 2:4, 0:3]
// CHECK: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK: stablehlo.slice {{.*}} [0:2, 0:1, 0:3]
// CHECK: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}2, 0], [3, 1]]>
// CHECK: stablehlo.concatenate {{.*}} -> tensor<2x7x3xf32>
// CHECK: stablehlo.convolution{{.*}}pad = {{\[\[}}0, 0]]
// FAR: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}0, 1], [1, 2]
// FAR: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}0, 2], [1, 3]
// FAR: "stablehlo.collective_permute"{{.*}} source_target_pairs = dense<{{\[\[}}1, 0], [2, 1]
// FAR: stablehlo.concatenate {{.*}} -> tensor<2x4x3xf32>
func.func @main(%x: tensor<2x8x3xf32>, %w: tensor<4x3x5xf32>) -> tensor<2x8x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x3xf32>, tensor<4x3x5xf32>) -> tensor<2x8x5xf32>
  return %0 : tensor<2x8x5xf32>
}
