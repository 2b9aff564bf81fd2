// Six copies of two pieces over three axes, put into another order by a permute: the static check, which `plan` runs, sees
// that two axes together may number the copies.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=3,b=2,c=2 --schedule %t/schedule.json -o %t/out > %t/report
// RUN: FileCheck %s < %t/out/local.mlir
// CHECK: stablehlo.collective_permute
//--- schedule.json
{"tactics": [{"name": "t0", "axis": "a", "tile": [["v10#0", 0]], "optional": true}, {"name": "t1", "axis": "b", "tile": [["in\\.x2", 0]], "optional": true}, {"name": "t2", "axis": "c", "tile": [["v9#0", 0]], "optional": true}, {"name": "t3", "axis": "a", "tile": [["v7#0", 0]], "optional": true}]}
//--- program.mlir
#loc1 = loc("in.x2")
#loc2 = loc("in.s2")
module {
  func.func @main(%arg0: tensor<2x1xi32> loc("in.x2"), %arg1: tensor<12x1xi32> loc("in.s2")) -> (tensor<12x1xi32> {jax.result_info = "out.y0"}) {
    %c = stablehlo.constant dense<0> : tensor<1x6xi32> loc(#loc3)
    %0 = stablehlo.dot_general %arg0, %c, contracting_dims = [1] x [0] : (tensor<2x1xi32>, tensor<1x6xi32>) -> tensor<2x6xi32> loc(#loc4)
    %1 = stablehlo.reshape %0 : (tensor<2x6xi32>) -> tensor<12xi32> loc(#loc5)
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32> loc(#loc6)
    %3 = stablehlo.add %arg1, %2 : tensor<12x1xi32> loc(#loc7)
    return %3 : tensor<12x1xi32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc3 = loc("v3")
#loc4 = loc("v5")
#loc5 = loc("v7")
#loc6 = loc("v9")
#loc7 = loc("v10")
