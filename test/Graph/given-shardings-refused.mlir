// RUN: split-file %s %t
// RUN: not partita plan %t/unreduced.mlir --stop-after=flatten 2>&1 | FileCheck %s --check-prefix=UNREDUCED
// RUN: not partita plan %t/meshes.mlir --stop-after=flatten 2>&1 | FileCheck %s --check-prefix=MESHES

// UNREDUCED: unreduced.mlir:2:{{[0-9]+}}: error: the program has a sharding with unreduced axes, {"data"}
// MESHES: meshes.mlir:4:{{[0-9]+}}: error: the program has shardings over two meshes
// MESHES-NEXT: --ignore-shardings

//--- unreduced.mlir
sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"data"}>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

//--- meshes.mlir
sdy.mesh @a = <["data"=2]>
sdy.mesh @b = <["data"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"data"}]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@b, [{"data"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
