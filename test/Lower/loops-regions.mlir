// Ops in the bodies of loops and branches have their loops there; what is tiled at a boundary alone, and a constraint,
// is taken apart and put together again.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh x=2,y=4 --schedule %t/schedule.json --stop-after=loops > %t/loops.mlir
// RUN: FileCheck %s < %t/loops.mlir
// RUN: partita eval %t/program.mlir --ring > %t/whole.txt
// RUN: partita eval %t/loops.mlir --ring | diff - %t/whole.txt

// CHECK:      stablehlo.while
// CHECK:      do {
// CHECK:        part.loop "x" size 2 [tile<0>]
// CHECK-NEXT:     part.slice
// CHECK-NEXT:     stablehlo.add
// CHECK:        stablehlo.return
// CHECK:      "stablehlo.case"
// CHECK:        part.loop "x" size 2 [tile<0>]
// CHECK-NEXT:     part.slice
// CHECK-NEXT:     stablehlo.negate
// CHECK:        part.loop "x" size 2 [tile<0>]
// CHECK-NEXT:     part.slice
// CHECK-NEXT:     stablehlo.abs
// The result is tiled over y, and the op that gives it cannot be.
// CHECK:      %[[PINNED:.*]] = part.loop "y" size 4 [tile<1>]
// CHECK-NEXT:   %[[PIECE:.*]] = part.slice {{.*}} dim 1
// CHECK-NEXT:   part.yield %[[PIECE]]
// CHECK:      return {{.*}}, %[[PINNED]]

//--- program.mlir
func.func @main(%x: tensor<4x4xf32>, %branch: tensor<i32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<4x4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4x4xf32>
  }
  %3 = "stablehlo.case"(%branch) ({
    %4 = stablehlo.negate %0#1 : tensor<4x4xf32>
    stablehlo.return %4 : tensor<4x4xf32>
  }, {
    %4 = stablehlo.abs %0#1 : tensor<4x4xf32>
    stablehlo.return %4 : tensor<4x4xf32>
  }) : (tensor<i32>) -> tensor<4x4xf32>
  %5 = stablehlo.cholesky %z, lower = true : tensor<4x4xf32>
  return %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>
}

//--- schedule.json
{"tactics": [
  {"name": "rows", "axis": "x", "tile": [["arg0", 0]]},
  {"name": "boundary", "axis": "y", "tile": [["result1", 1]]}]}
