// What has no price is said first, and it is an error (12); the figures are lower limits, and nothing is said to fit.
// RUN: split-file %s %t
// RUN: not partita score %t/unknown.mlir --schedule %t/none.json --mesh d=2 --machine h100-sxm:1x2 > %t/text 2> %t/error
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t/text
// TEXT: {{^}}3 custom calls have no price (mine, other): time and fit are not known
// TEXT-NEXT: on d=2
// TEXT-NEXT: time at least
// TEXT: peak memory at least {{.*}} not known whether it fits
// TEXT: not priced: 2 x stablehlo.custom_call @mine, 9 runs ({{.*}}unknown.mlir:5
// TEXT-NOT: fits
// RUN: FileCheck %s --check-prefix=ERROR --input-file %t/error
// ERROR: error: 3 custom calls have no price (mine, other): time and fit are not known
// ERROR-NEXT: remedy: the figures are lower limits; give a call a rule and its work: --rule

// The file says which, how many, how often, where.
// RUN: not partita score %t/unknown.mlir --schedule %t/none.json --mesh d=2 --machine h100-sxm:1x2 --json > %t/json
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/json
// JSON: "fits": null
// JSON: "unpriced": [
// JSON: "target": "mine",
// JSON-NEXT: "count": 2,
// JSON-NEXT: "runs": 9,
// JSON-NEXT: "places": [
// JSON-NEXT: "{{.*}}unknown.mlir:5:8"

// plan says it first as well, writes the plan, and ends in the same way.
// RUN: not partita plan %t/unknown.mlir --mesh d=2 --machine h100-sxm:1x2 --budget 10 -o %t/out > %t/text 2> %t/error
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t/text
// PLAN: {{^}}3 custom calls have no price (mine, other): time and fit are not known
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/out/report.json

// Without a machine there are no figures to doubt.
// RUN: partita plan %t/unknown.mlir --mesh d=2 --schedule %t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: 2 x stablehlo.custom_call @mine: no rule is known
// NONE-NOT: no price

// A rule says how it is split, and what it computes.
// RUN: partita score %t/unknown.mlir --schedule %t/none.json --mesh d=2 --machine h100-sxm:1x2 --rule 'mine=([b,s])->([b,s]) flops=1024' --rule 'other=([b,s])->([b,s]) flops=0' --json | FileCheck %s --check-prefix=RULED
// 9 * 1024
// RULED: "fits": true
// RULED: "flops": 9216
// RULED: "unpriced": []
// A rule alone does not.
// RUN: not partita score %t/unknown.mlir --schedule %t/none.json --mesh d=2 --machine h100-sxm:1x2 --rule 'mine=([b,s])->([b,s])' --rule 'other=([b,s])->([b,s]) flops=0' 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: {{^}}2 custom calls have no price (mine)
// RUN: not partita score %t/unknown.mlir --schedule %t/none.json --mesh d=2 --machine h100-sxm:1x2 --rule 'mine=([b,s])->([b,s]) flops=many' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: 'many' is no number of flops
// WRONG-NEXT: remedy: write the number

//--- unknown.mlir
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  %0 = stablehlo.custom_call @mine(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1:2 = stablehlo.while(%i = %zero, %y = %0) : tensor<i32>, tensor<8x4xf32>
  cond {
    %2 = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.custom_call @mine(%y) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<8x4xf32>
  }
  %4 = stablehlo.custom_call @other(%1#1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

//--- none.json
{"tactics": []}
