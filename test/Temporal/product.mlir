// A product of a sum over the microbatch and a value that all microbatches share is a term of the whole product, on
// whichever side the sum stands. A product of two such sums is none.
// RUN: split-file %s %t
// RUN: partita verify %t/right.mlir --accumulate 3 --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %t/left.mlir --accumulate 3 --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %t/right.mlir --accumulate 3 --mesh data=1 --stop-after=accumulate | FileCheck %s
// RUN: not partita plan %t/both.mlir --accumulate 3 --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=BOTH
// EQUAL: equal (ring)
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK: %[[TERM:.*]] = stablehlo.reduce
// CHECK: stablehlo.multiply %{{.*}}, %[[TERM]]
// BOTH: error: no microbatches: 'stablehlo.multiply' needs a sum over the whole batch inside of a loop, in each iteration
//--- right.mlir
module @product {
  func.func public @main(%w: tensor<3x4xf32> loc("params"), %x: tensor<6x4xf32> loc("batch")) -> (tensor<3x4xf32> {jax.result_info = "params"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %empty = stablehlo.constant dense<0.0> : tensor<3x4xf32>
    %0:2 = stablehlo.while(%i = %zero, %stack = %empty) : tensor<i32>, tensor<3x4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %layer = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %row = stablehlo.reshape %layer : (tensor<1x4xf32>) -> tensor<4xf32>
      %g = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
      %scaled = stablehlo.multiply %row, %g : tensor<4xf32>
      %slice = stablehlo.reshape %scaled : (tensor<4xf32>) -> tensor<1x4xf32>
      %updated = stablehlo.dynamic_update_slice %stack, %slice, %i, %zero : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %updated : tensor<i32>, tensor<3x4xf32>
    }
    %n = stablehlo.subtract %w, %0#1 : tensor<3x4xf32>
    return %n : tensor<3x4xf32>
  }
}
//--- left.mlir
module @product {
  func.func public @main(%w: tensor<3x4xf32> loc("params"), %x: tensor<6x4xf32> loc("batch")) -> (tensor<3x4xf32> {jax.result_info = "params"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %empty = stablehlo.constant dense<0.0> : tensor<3x4xf32>
    %0:2 = stablehlo.while(%i = %zero, %stack = %empty) : tensor<i32>, tensor<3x4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %layer = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %row = stablehlo.reshape %layer : (tensor<1x4xf32>) -> tensor<4xf32>
      %g = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
      %scaled = stablehlo.multiply %g, %row : tensor<4xf32>
      %slice = stablehlo.reshape %scaled : (tensor<4xf32>) -> tensor<1x4xf32>
      %updated = stablehlo.dynamic_update_slice %stack, %slice, %i, %zero : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %updated : tensor<i32>, tensor<3x4xf32>
    }
    %n = stablehlo.subtract %w, %0#1 : tensor<3x4xf32>
    return %n : tensor<3x4xf32>
  }
}
//--- both.mlir
module @product {
  func.func public @main(%w: tensor<3x4xf32> loc("params"), %x: tensor<6x4xf32> loc("batch")) -> (tensor<3x4xf32> {jax.result_info = "params"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %empty = stablehlo.constant dense<0.0> : tensor<3x4xf32>
    %0:2 = stablehlo.while(%i = %zero, %stack = %empty) : tensor<i32>, tensor<3x4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %layer = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %row = stablehlo.reshape %layer : (tensor<1x4xf32>) -> tensor<4xf32>
      %g = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
      %scaled = stablehlo.multiply %g, %g : tensor<4xf32>
      %slice = stablehlo.reshape %scaled : (tensor<4xf32>) -> tensor<1x4xf32>
      %updated = stablehlo.dynamic_update_slice %stack, %slice, %i, %zero : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %updated : tensor<i32>, tensor<3x4xf32>
    }
    %n = stablehlo.subtract %w, %0#1 : tensor<3x4xf32>
    return %n : tensor<3x4xf32>
  }
}
