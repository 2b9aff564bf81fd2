// What has no meaning for the program of all devices is refused, with its place.
// RUN: split-file %s %t
// RUN: not partita-opt --partita-test-partition="mesh=data=2 tiles=arg0:0:data" %t/collective.mlir 2>&1 | FileCheck %t/collective.mlir
// RUN: not partita-opt --partita-test-partition="mesh=data=2 tiles=arg0:0:data" %t/id.mlir 2>&1 | FileCheck %t/id.mlir

//--- collective.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: collective.mlir:[[@LINE+1]]:{{.*}}: error: 'stablehlo.all_gather': it has no channel, so its groups are of replicas, and a local program has one replica
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- id.mlir
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>) {
  // CHECK: id.mlir:[[@LINE+1]]:{{.*}}: error: 'stablehlo.partition_id': result 1 depends on which device computes it, so the program has no one result
  %0 = stablehlo.partition_id : tensor<ui32>
  return %x, %0 : tensor<4xf32>, tensor<ui32>
}
