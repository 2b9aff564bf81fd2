// A step whose activations are larger than the memory: the search runs it in microbatches. Arguments take 2 kB on each of
// 2 devices, the hidden values of 64 rows 128 kB. Nobody else has to be told: plan.json says it.
// RUN: rm -rf %t && split-file %s %t
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 100000 --allow accumulate -o %t/plan | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t/plan/plan.json
// RUN: FileCheck %s --check-prefix=REPORT --input-file %t/plan/report.json
// RUN: partita verify %t/step.mlir --plan %t/plan/plan.json | FileCheck %s --check-prefix=EQUAL
// RUN: partita score %t/step.mlir %t/plan/plan.json --machine cpu-host:1x2 --memory-limit 100000 | FileCheck %s --check-prefix=SCORE
// RUN: partita explain %t/step.mlir --plan %t/plan/plan.json --value w1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: partita diff %t/step.mlir %t/plan/plan.json %t/plan/plan.json --machine cpu-host:1x2 | FileCheck %s --check-prefix=DIFF
// RUN: partita plan %t/step.mlir --mesh data=2 --schedule %t/plan/plan.json | FileCheck %s --check-prefix=AGAIN
// CHECK: strategy: {{.*}}; [[COUNT:[0-9]+]] microbatches
// CHECK-NEXT: program: microbatches: a loop of {{.*}} ops runs [[COUNT]] times and adds up
// CHECK: fits
// CHECK: the program as it is {{.*}} does not fit
// PLAN: "temporal":{"micro":{{[0-9]+}}}
// REPORT: "memory_actions": [
// REPORT: "variants": [
// REPORT: "microbatches": 1,
// REPORT: "chosen": true
// EQUAL: equal
// SCORE: fits
// EXPLAIN: arg0: tensor<4x1024xf32>
// DIFF: time {{.*}} 0
// AGAIN: microbatches: a loop of

// It is not done where it fits, where it is forbidden, or where nothing is searched.
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 | FileCheck %s --check-prefix=NONE
// RUN: not partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 100000 --forbid accumulate 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 100000 --allow recompute 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 100000 --schedule %t/data.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: microbatches

// A schedule that is written by hand may leave the number open.
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 200000 --schedule %t/open.json | FileCheck %s --check-prefix=OPEN
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --memory-limit 200000 --schedule %t/data.json --accumulate auto | FileCheck %s --check-prefix=OPEN
// RUN: partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --schedule %t/open.json | FileCheck %s --check-prefix=NONE
// OPEN: strategy: {{.*}}; {{[0-9]+}} microbatches
// OPEN: fits

// RUN: not partita plan %t/step.mlir --mesh data=2 --schedule %t/open.json 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --schedule %t/open.json --forbid accumulate 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --accumulate some 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: not partita plan %t/step.mlir --mesh data=2 --machine cpu-host:1x2 --forbid offload 2>&1 | FileCheck %s --check-prefix=ACTION
// MACHINE: error: a search needs a machine to plan for
// BOTH: error: microbatches are asked for and forbidden
// SOME: error: --accumulate 'some' is not a number of microbatches
// ACTION: error: --forbid: 'offload' is no action
//--- data.json
{"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]}
//--- open.json
{"tactics": [{"temporal": {"micro": "auto"}}, {"name": "BP", "axis": "data", "tile": [["x", 0]]}]}
//--- step.mlir
module @step {
  func.func public @main(%w1: tensor<4x1024xf32> loc("w1"), %w2: tensor<1024x4xf32> loc("w2"), %x: tensor<64x4xf32> loc("x")) -> (tensor<4x1024xf32> {jax.result_info = "w1"}, tensor<1024x4xf32> {jax.result_info = "w2"}) {
    %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<64x4xf32>, tensor<4x1024xf32>) -> tensor<64x1024xf32>
    %t = stablehlo.tanh %h : tensor<64x1024xf32>
    %y = stablehlo.dot_general %t, %w2, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x4xf32>) -> tensor<64x4xf32>
    %e = stablehlo.subtract %y, %x : tensor<64x4xf32>
    %g2 = stablehlo.dot_general %t, %e, contracting_dims = [0] x [0] : (tensor<64x1024xf32>, tensor<64x4xf32>) -> tensor<1024x4xf32>
    %d = stablehlo.dot_general %e, %w2, contracting_dims = [1] x [1] : (tensor<64x4xf32>, tensor<1024x4xf32>) -> tensor<64x1024xf32>
    %tt = stablehlo.multiply %t, %t : tensor<64x1024xf32>
    %dt = stablehlo.multiply %d, %tt : tensor<64x1024xf32>
    %g1 = stablehlo.dot_general %x, %dt, contracting_dims = [0] x [0] : (tensor<64x4xf32>, tensor<64x1024xf32>) -> tensor<4x1024xf32>
    %n1 = stablehlo.subtract %w1, %g1 : tensor<4x1024xf32>
    %n2 = stablehlo.subtract %w2, %g2 : tensor<1024x4xf32>
    return %n1, %n2 : tensor<4x1024xf32>, tensor<1024x4xf32>
  }
}
