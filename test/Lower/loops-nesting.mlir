// Several axes on one dim: the major one is the outer loop, and it cuts first. Parts of one mesh axis that follow each
// other are one loop; where they split two factors, they are two.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=2,b=2,model=8 --schedule %t/schedule.json --stop-after=loops > %t/loops.mlir
// RUN: FileCheck %s < %t/loops.mlir
// RUN: partita eval %t/program.mlir --ring > %t/whole.txt
// RUN: partita eval %t/loops.mlir --ring | diff - %t/whole.txt

// CHECK:      part.loop "b" size 2 [tile<0>] (%[[B:.*]]) {
// CHECK-NEXT:   %[[HALF:.*]] = part.slice %arg0 dim 0 at %[[B]] : tensor<8x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:   part.loop "a" size 2 [tile<0>] (%[[A:.*]]) {
// CHECK-NEXT:     %[[QUARTER:.*]] = part.slice %[[HALF]] dim 0 at %[[A]] : tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:     stablehlo.negate %[[QUARTER]] : tensor<2x4xf32>

// The value of 4 heads of 2 is split over the heads by the major part of the axis, and over the 2 by the rest.
// CHECK:      part.loop "model" size 8 [tile<0>] (%[[M:.*]]) {
// CHECK-NEXT:   part.slice %arg1 dim 0 at %[[M]] : tensor<8xf32> -> tensor<1xf32>
// CHECK-NEXT:   stablehlo.exponential {{.*}} : tensor<1xf32>
// CHECK:      part.loop "model":(1)4 size 4 [tile<0>] (%[[MAJOR:.*]]) {
// CHECK-NEXT:   %[[HEAD:.*]] = part.slice {{.*}} dim 0 at %[[MAJOR]] : tensor<8xf32> -> tensor<2xf32>
// CHECK-NEXT:   part.loop "model":(4)2 size 2 [tile<1>] (%[[MINOR:.*]]) {
// CHECK-NEXT:     part.slice %[[HEAD]] dim 0 at %[[MINOR]] : tensor<2xf32> -> tensor<1xf32>
// CHECK-NEXT:     stablehlo.reshape {{.*}} : (tensor<1xf32>) -> tensor<1x1xf32>
// CHECK:      part.loop "model":(1)4 size 4 [tile<0>]
// CHECK-NEXT:   part.slice {{.*}} dim 0 {{.*}} : tensor<4x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT:   part.loop "model":(4)2 size 2 [sum<maximum>]
// CHECK-NEXT:     part.slice {{.*}} dim 1 {{.*}} : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK:          stablehlo.maximum {{.*}} : tensor<1xf32>

//--- program.mlir
func.func @main(%x: tensor<8x4xf32>, %heads: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.exponential %heads : tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<4x2xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %3 : tensor<8x4xf32>, tensor<4xf32>
}

//--- schedule.json
{"tactics": [
  {"name": "major", "axis": "b", "tile": [["arg0", 0]]},
  {"name": "minor", "axis": "a", "tile": [["arg0", 0]]},
  {"name": "heads", "axis": "model", "tile": [["arg1", 0]]}]}
