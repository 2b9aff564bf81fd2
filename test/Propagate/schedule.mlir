// A schedule's tactics are applied and reported one by one; the plan that they lead to replays to the same bytes.

// RUN: split-file %s %t
// RUN: partita plan %t/mlp.mlir --mesh data=4,model=2 --schedule %t/s.json --details | FileCheck %s
// RUN: partita plan %t/mlp.mlir --mesh data=4,model=2 --schedule %t/s.json --json | FileCheck %s --check-prefix=JSON
// RUN: partita plan %t/mlp.mlir --mesh data=4,model=2 --schedule %t/s.json --stop-after=plan -o %t/plan.json
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t/plan.json
// RUN: partita plan %t/mlp.mlir --plan %t/plan.json --stop-after=plan -o %t/again.json
// RUN: cmp %t/plan.json %t/again.json
// RUN: not partita plan %t/other.mlir --plan %t/plan.json 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not partita plan %t/mlp.mlir --plan %t/plan.json --mesh data=2,model=2 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: partita plan %t/other.mlir --schedule %t/plan.json --mesh data=4,model=2 | FileCheck %s --check-prefix=ANEW

// What the plan is comes first; without --details, nothing else.
// CHECK: mlp on data=4,model=2
// CHECK-NEXT: strategy: batch over data; hidden over model
// CHECK: argument sharding bytes per device
// CHECK-NEXT: w1 P(None, 'model') 48 B of 96 B
// CHECK-NEXT: w2 P('model') 48 B of 96 B
// CHECK-NEXT: x P('data') 32 B of 128 B
// CHECK: collectives 1 x all_reduce over model, 32 B
// CHECK: tactic BP over data: splits 3 of 3 ops
// CHECK-NEXT: tile "x": 1 matched
// CHECK-NEXT: split values:
// CHECK-NEXT: x: tensor<8x4xf32> as P('data'), 32 B of 128 B
// CHECK-NEXT: result0: tensor<8x4xf32> as P('data'), 32 B of 128 B
// CHECK-NEXT: replicated so far: 2 arguments, 192 B
// CHECK: tactic MP over model: splits 2 of 3 ops
// CHECK-NEXT: tile "w1": 1 matched
// CHECK-NEXT: split values:
// CHECK-NEXT: w1: tensor<4x6xf32> as P(None, 'model'), 48 B of 96 B
// CHECK-NEXT: w2: tensor<6x4xf32> as P('model'), 48 B of 96 B

// JSON: {"mesh":"data=4,model=2","tactics":[{"tactic":"BP","axis":"data","ops":3,"split_ops":3,

// PLAN: {"partita_plan": 1,
// PLAN-NEXT: "program": {"sha256":"{{[0-9a-f]+}}","name":"mlp"},
// PLAN-NEXT: "platform": null,
// PLAN-NEXT: "mesh": "data=4,model=2",
// PLAN-NEXT: "machine": null,
// PLAN-NEXT: "schedule": {"tactics":[{"name":"BP","axis":"data","tile":{{\[\[}}"x",0]]},{"name":"MP","axis":"model","tile":{{\[\[}}"w1",1]]}]},
// PLAN-NEXT: "actions": [
// PLAN-NEXT: {"tile":["x",0,"data"],"tactic":"BP"},
// PLAN-NEXT: {"tile":["w1",1,"model"],"tactic":"MP"}],
// PLAN-NEXT: "arguments": [
// PLAN-NEXT: {"name":"x","type":"tensor<8x4xf32>","sharding":{{\[\[}}"data"],[]]},
// PLAN-NEXT: {"name":"w1","type":"tensor<4x6xf32>","sharding":{{\[\[}}],["model"]]},
// PLAN-NEXT: {"name":"w2","type":"tensor<6x4xf32>","sharding":{{\[\[}}"model"],[]]}],
// PLAN-NEXT: "results": [
// PLAN-NEXT: {"name":"result0","type":"tensor<8x4xf32>","sharding":{{\[\[}}"data"],[]]}],
// PLAN-NEXT: "cost": null}

// OTHER: plan.json:{{[0-9:]+}} error: this plan is of another program: argument w (tensor<4x4xf32>) is new
// OTHER-NEXT: --schedule
// MESH: plan.json:1:1: error: this plan is for the mesh data=4,model=2, not data=2,model=2
// ANEW: strategy: batch over data; nothing over model
// ANEW: tactic MP leaves out: the pattern 'w1' matches no value of the program

//--- mlp.mlir
module @mlp {
  func.func @main(%x: tensor<8x4xf32> loc("x"), %w1: tensor<4x6xf32> loc("w1"), %w2: tensor<6x4xf32> loc("w2")) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.dot_general %0, %w2, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

//--- other.mlir
module @mlp {
  func.func @main(%x: tensor<8x4xf32> loc("x"), %w: tensor<4x4xf32> loc("w")) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

//--- s.json
{"tactics": [
  {"name": "BP", "axis": "data", "tile": [["x", 0]]},
  {"name": "MP", "axis": "model", "tile": [["w1", 1]]}]}
