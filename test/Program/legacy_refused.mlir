// What cannot be said with named axes, or is not well delimited, is refused with a place and a reason.
// RUN: split-file --leading-lines %s %t
// RUN: not partita-opt --partita-import %t/no_mesh.mlir 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not partita-opt --partita-import %t/unreadable.mlir 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: not partita-opt --partita-import %t/rank.mlir 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not partita-opt --partita-import %t/leak.mlir 2>&1 | FileCheck %s --check-prefix=LEAK
// RUN: not partita-opt --partita-import %t/mixed.mlir 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not partita-opt --partita-import %t/round_trip.mlir 2>&1 | FileCheck %s --check-prefix=ROUND
// RUN: not partita-opt --partita-import %t/shape_only.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE

//--- no_mesh.mlir
// MESH: no_mesh.mlir:[[#@LINE+2]]:{{.*}}error: the sharding "{devices=[3,2]<=[6]}" cannot be said with named axes: the program's shardings cut the devices in ways that fit no common mesh
// MESH: remedy: lower the program with JAX's Shardy partitioner
func.func public @main(%x: tensor<6x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}, %y: tensor<6x6xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}) -> tensor<6x6xf32> {
  %0 = stablehlo.add %x, %y : tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}
//--- unreadable.mlir
// UNREADABLE: error: cannot read the sharding "{devices=[2]0,0}": devices are missing or named twice at character 16
func.func public @main(%x: tensor<6xf32> {mhlo.sharding = "{devices=[2]0,0}"}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
//--- rank.mlir
// RANK: error: a sharding of 2 dims for a tensor of rank 1
func.func public @main(%x: tensor<6xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
//--- leak.mlir
func.func public @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  // LEAK: leak.mlir:[[#@LINE+1]]:{{.*}}error: manual code is not well delimited: a value of it leaves without @SPMDShardToFullShape
  return %1 : tensor<2xf32>
}
//--- mixed.mlir
func.func public @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  // MIXED: mixed.mlir:[[#@LINE+1]]:{{.*}}error: manual code is not well delimited: 'stablehlo.add' uses a value that entered without @SPMDFullToShardShape
  %2 = stablehlo.add %1, %y : tensor<2xf32>
  %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
//--- round_trip.mlir
// ROUND: error: cannot read xla.sdy.sharding = "#sdy.sharding<@mesh, {{.*}}"
func.func public @main(%x: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [[["}}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- shape_only.mlir
func.func public @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  // SHAPE: shape_only.mlir:[[#@LINE+1]]:{{.*}}error: @xla.sdy.GlobalToLocalShape has no meaning here
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
