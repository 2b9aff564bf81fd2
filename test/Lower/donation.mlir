// A donated argument gives its buffer to a result of the same type and sharding: not to the one it was written for if
// that is split otherwise, and to none if there is no other.
// RUN: partita-opt --partita-test-partition="mesh=data=2 tiles=arg0:0:data,result1:1:data" %s | FileCheck %s

// CHECK: func.func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>, tf.aliasing_output = 1 : i32}
// CHECK-SAME: %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
func.func @main(%a: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %b: tensor<4x4xf32> {jax.buffer_donor = true},
                %c: tensor<2xf32> {jax.buffer_donor = true}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.add %a, %a : tensor<4x4xf32>
  %1 = stablehlo.multiply %b, %b : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
