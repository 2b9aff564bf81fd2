// What Shardy has put into a program to move a value is a request to reshard it; sizes need not divide.
// RUN: partita import %s | FileCheck %s
// RUN: partita plan %s --search=none -o %t && partita verify %s --plan %t/plan.json --exact
sdy.mesh @mesh = <["a"=2, "b"=2]>
// CHECK: func.func {{.*}}@main
// CHECK-NOT: sdy.all_gather
// CHECK: sdy.reshard %{{.*}} <@mesh, [{}]> : tensor<3xi32>
// CHECK: sdy.reshard %{{.*}} <@mesh, [{"a"}]> : tensor<3xi32>
func.func @main(%x: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<3xi32> {
  %0 = stablehlo.slice %x [0:3] {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@mesh, [{"b"}]>]>} : (tensor<8xi32>) -> tensor<3xi32>
  %1 = sdy.all_gather [{"b"}] %0 out_sharding=<@mesh, [{}]> : tensor<3xi32>
  %2 = stablehlo.add %1, %1 : tensor<3xi32>
  %3 = sdy.all_slice [{"a"}] %2 out_sharding=<@mesh, [{"a"}]> : tensor<3xi32>
  return %3 : tensor<3xi32>
}
