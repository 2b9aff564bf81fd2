// Values that depend on no argument are computed inside the loops of the op that takes a piece of them; the position
// says which piece. Where a piece is wanted that they are not assigned to, they are computed whole and cut.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh x=2,y=4 --schedule %t/schedule.json --stop-after=loops > %t/loops.mlir
// RUN: FileCheck %s < %t/loops.mlir
// RUN: partita eval %t/program.mlir --ring > %t/whole.txt
// RUN: partita eval %t/loops.mlir --ring | diff - %t/whole.txt

// CHECK-LABEL: func.func @main
// CHECK-NEXT: part.loop "x" size 2 [tile<0>] (%[[X:.*]]) {
// CHECK-NEXT:   %[[ROWS:.*]] = part.slice %arg0 dim 0 at %[[X]] : tensor<8x4xi64> -> tensor<4x4xi64>
// CHECK-NOT:    part.slice
// CHECK:        stablehlo.iota dim = 0 : tensor<4x4xi32>
// CHECK:        stablehlo.multiply %[[X]]
// CHECK:        %[[SUM:.*]] = stablehlo.add %[[ROWS]]
// CHECK-NEXT:   part.yield %[[SUM]]

// A constant of one element stands where it stood.
// CHECK:      %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT: part.loop "x" size 2 [sum]
// CHECK-NEXT:   part.slice
// CHECK-NEXT:   stablehlo.reduce({{.*}} init: %[[ZERO]])

//--- program.mlir
func.func @main(%x: tensor<8x4xi64>) -> (tensor<8x4xi64>, tensor<4xi64>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x4xi64>
  %1 = stablehlo.add %x, %0 : tensor<8x4xi64>
  %2 = stablehlo.constant dense<0> : tensor<i64>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<8x4xi64>, tensor<i64>) -> tensor<4xi64>
  return %1, %3 : tensor<8x4xi64>, tensor<4xi64>
}

//--- schedule.json
{"tactics": [{"name": "rows", "axis": "x", "tile": [["arg0", 0]]}]}
