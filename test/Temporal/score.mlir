// A plan with microbatches is priced as the program that it runs: the batch's activations are half as large.
// RUN: echo '{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]]}, {"axis": "data", "tile": [["x", 0]]}]}' > %t.json
// RUN: partita score %s --schedule %t.json --mesh data=2 --machine h100-sxm:1x2 --json | FileCheck %s
// RUN: partita plan %s --schedule %t.json --mesh data=2 --machine h100-sxm:1x2 -o %t.plan
// RUN: partita plan %s --plan %t.plan/plan.json -o %t.again
// RUN: diff %t.plan/local.mlir %t.again/local.mlir
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan/plan.json
// RUN: FileCheck %s --check-prefix=REPORT < %t.plan/report.json
// RUN: partita verify %s --plan %t.plan/plan.json | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --plan %t.plan/plan.json --relation | FileCheck %s --check-prefix=RELATION
// CHECK: "flops": 4096
// PLAN: "temporal":{"micro":2},"tile"
// REPORT: "accumulate": {
// REPORT-NEXT: "microbatches": 2,
// REPORT-NEXT: "loops": 1,
// EQUAL: equal (ring+wide): {{.*}} 1 collectives
// RELATION: equal (relation)
module @priced {
  func.func public @main(%w: tensor<8xf32> loc("w"), %x: tensor<128x8xf32> loc("x")) -> (tensor<8xf32>) {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x8xf32>, tensor<8xf32>) -> tensor<128xf32>
    %e = stablehlo.tanh %p : tensor<128xf32>
    %g = stablehlo.dot_general %e, %x, contracting_dims = [0] x [0] : (tensor<128xf32>, tensor<128x8xf32>) -> tensor<8xf32>
    %n = stablehlo.subtract %w, %g : tensor<8xf32>
    return %n : tensor<8xf32>
  }
}
