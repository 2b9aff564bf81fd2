// A plan of the user's own beside the one that is found, in every form that schedules have.

// RUN: rm -rf %t && split-file %s %t
// RUN: partita plan %t/mlp.mlir --mesh data=2,model=2 --machine h100-sxm:1x4 --baseline %t/rules.json -o %t/out | FileCheck %s
// CHECK: compared with
// CHECK-NEXT: this plan
// CHECK-NEXT: yours {{.*}} ms
// CHECK-NEXT: expert
// RUN: FileCheck %s --check-prefix=PAGE < %t/out/report.html
// PAGE: "baseline":{"name":"yours","time_ps":{{[1-9]}}
// RUN: FileCheck %s --check-prefix=JSON < %t/out/report.json
// JSON: "compared": [
// JSON-NEXT: {
// JSON-NEXT: "kind": "rival",
// JSON-NEXT: "name": "yours",

// A search that finds nothing better gives it back, whether it is a schedule or a plan.
// RUN: partita plan %t/mlp.mlir --mesh data=2,model=2 --machine h100-sxm:1x4 --baseline %t/bp.json --budget 1 --no-seeds -o %t/own 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: partita plan %t/mlp.mlir --mesh data=2,model=2 --machine h100-sxm:1x4 --baseline %t/own/plan.json --budget 1 --no-seeds 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: warning: the search found nothing better than the baseline, which is the plan
// OWN: strategy: batch over data
// OWN: compared with
// OWN-NEXT: this plan
// OWN-NEXT: found by the search
// RUN: not grep '"baseline":{' %t/own/report.html

// A schedule is compared, too, and stays.
// RUN: partita plan %t/mlp.mlir --mesh data=2,model=2 --machine h100-sxm:1x4 --schedule %t/mp.json --baseline %t/bp.json | FileCheck %s --check-prefix=GIVEN
// GIVEN: strategy: {{.*}} over model
// GIVEN: this plan
// GIVEN-NEXT: yours

// RUN: not partita plan %t/mlp.mlir --mesh data=2,model=2 --schedule %t/mp.json --baseline %t/bp.json 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: there is no machine to compare the baseline on
// MACHINE-NEXT: remedy: give one with --machine
// RUN: not partita plan %t/mlp.mlir --mesh data=2,model=2 --machine h100-sxm:1x4 --baseline %t/wrong.json 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong.json:1:{{[0-9]+}}: error:

//--- rules.json
[["x", ["model"]]]
//--- wrong.json
[["nothing", ["model"]]]
//--- bp.json
{"tactics": [{"name": "bp", "axis": "data", "tile": [["x", 0]]}]}
//--- mp.json
{"tactics": [{"name": "mp", "axis": "model", "tile": [["w1", 1]]}]}
//--- mlp.mlir
module @main {
  func.func @main(%x: tensor<65536x1024xf32> loc("x"), %w1: tensor<1024x4096xf32> loc("w1"), %w2: tensor<4096x1024xf32> loc("w2")) -> tensor<65536x1024xf32> {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<65536x1024xf32>, tensor<1024x4096xf32>) -> tensor<65536x4096xf32>
    %1 = stablehlo.tanh %0 : tensor<65536x4096xf32>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<65536x4096xf32>, tensor<4096x1024xf32>) -> tensor<65536x1024xf32>
    return %2 : tensor<65536x1024xf32>
  }
}
