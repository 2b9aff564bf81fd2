// On one device the local program is the plain one: no mesh, no shardings, no constraint.
// RUN: partita-opt --partita-test-partition="mesh=data=1" %s | FileCheck %s

// CHECK-NOT: sdy
// CHECK: func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.add %arg0, %arg0
// CHECK-NEXT: return %[[R]]
sdy.mesh @other = <["x"=4]>
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}]>]>} : tensor<4xf32>
  %1 = sdy.sharding_constraint %0 <@other, [{"x"}]> : tensor<4xf32>
  return %1 : tensor<4xf32>
}
