// A loop over layers that stacks gradients slice by slice continues the sum over the microbatches before: it reads, adds
// and updates, and no second buffer is added up behind it. In f32 it is.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --schedule %t/own.json --mesh data=1 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %t/program.mlir --schedule %t/own.json --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %t/program.mlir --schedule %t/own.json --mesh data=1 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: partita verify %t/program.mlir --schedule %t/single.json --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %t/program.mlir --schedule %t/single.json --mesh data=1 --stop-after=accumulate | FileCheck %s --check-prefix=SINGLE
// EQUAL: equal (ring)
// NARROW: warning: 1 sums over the microbatches are kept in bf16, as the program computes them
// CHECK: %[[ZEROS:.*]] = stablehlo.broadcast_in_dim {{.*}} -> tensor<3x4xbf16>
// CHECK: stablehlo.while({{.*}}, %[[SUM:.*]] = %[[ZEROS]])
// CHECK: stablehlo.while({{.*}}, %[[STACK:[^ ]*]] = %[[SUM]]
// CHECK: %[[BEFORE:.*]] = stablehlo.dynamic_slice %[[STACK]]
// CHECK: %[[ADDED:.*]] = stablehlo.add %[[BEFORE]]
// CHECK: stablehlo.dynamic_update_slice %[[STACK]], %[[ADDED]]
// SINGLE: stablehlo.while({{.*}}, %[[SUM:.*]] = %{{.*}}) : tensor<i64>, tensor<3x4xf32>
// SINGLE: %[[WIDE:.*]] = stablehlo.convert {{.*}} : (tensor<3x4xbf16>) -> tensor<3x4xf32>
// SINGLE: stablehlo.add %[[SUM]], %[[WIDE]]
//--- own.json
{"tactics": [{"name": "accumulate", "temporal": {"micro": 3}, "tile": [["x", 0]]}]}
//--- single.json
{"tactics": [{"name": "accumulate", "temporal": {"micro": 3}, "tile": [["x", 0]], "accumulate_type": "f32"}]}
//--- program.mlir
module @layers {
  func.func public @main(%w: tensor<3x4xbf16> loc("w"), %x: tensor<6x4xbf16> loc("x")) -> (tensor<3x4xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<bf16>
    %empty = stablehlo.constant dense<0.0> : tensor<3x4xbf16>
    %0:3 = stablehlo.while(%i = %zero, %h = %x, %stack = %empty) : tensor<i32>, tensor<6x4xbf16>, tensor<3x4xbf16>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %layer = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4] : (tensor<3x4xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x4xbf16>
      %row = stablehlo.reshape %layer : (tensor<1x4xbf16>) -> tensor<4xbf16>
      %rows = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<4xbf16>) -> tensor<6x4xbf16>
      %next = stablehlo.multiply %h, %rows : tensor<6x4xbf16>
      %g = stablehlo.reduce(%next init: %start) applies stablehlo.add across dimensions = [0] : (tensor<6x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
      %slice = stablehlo.reshape %g : (tensor<4xbf16>) -> tensor<1x4xbf16>
      %updated = stablehlo.dynamic_update_slice %stack, %slice, %i, %zero : (tensor<3x4xbf16>, tensor<1x4xbf16>, tensor<i32>, tensor<i32>) -> tensor<3x4xbf16>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %next, %updated : tensor<i32>, tensor<6x4xbf16>, tensor<3x4xbf16>
    }
    %n = stablehlo.subtract %w, %0#2 : tensor<3x4xbf16>
    return %n : tensor<3x4xbf16>
  }
}
