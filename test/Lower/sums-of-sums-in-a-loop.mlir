// What a loop carries is zero at first, then a sum that is partial, then one of both: that the first carried value is
// partial shows only when the second one is known to be.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=2 --schedule %t/schedule.json --details | FileCheck %s
// CHECK: tactic columns over a
//--- schedule.json
{"tactics": [{"name": "columns", "axis": "a", "tile": [["p", 2]]}]}
//--- program.mlir
module @m {
  func.func public @main(%arg0: tensor<8x2x8xi4> loc("p"), %arg1: tensor<i1>, %arg2: tensor<i32>) -> (tensor<2xi4>) {
    %zero = stablehlo.constant dense<0> : tensor<i4>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x2x8xi4>, tensor<i4>) -> tensor<2xi4>
    %c = stablehlo.constant dense<0> : tensor<2xi4>
    %1:3 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %c, %iterArg_1 = %c) : tensor<i32>, tensor<2xi4>, tensor<2xi4>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg_0, %iterArg_1 : tensor<2xi4>
      stablehlo.return %iterArg, %2, %0 : tensor<i32>, tensor<2xi4>, tensor<2xi4>
    }
    return %1#1 : tensor<2xi4>
  }
}
