// Four layers in two stages: the weights are stacked, and each stage owns two of them. 4 microbatches take 5 ticks. Between
// ticks the activation is shifted to the next stage, which devices do by a permute.
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 4}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --relation | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %t.json --mesh data=2,pipe=2 -o %t && FileCheck %s --check-prefix=LOCAL < %t/local.mlir
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 | FileCheck %s --check-prefix=TEXT
// RUN: partita plan %s --schedule %t.json --mesh pipe=3 | FileCheck %s --check-prefix=UNEVEN
// RUN: partita verify %s --schedule %t.json --mesh pipe=3 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: echo '{"tactics": [{"pad": [["batch", 1, 4]]}, {"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 4}]}' > %t.pad.json
// RUN: not partita plan %s --schedule %t.pad.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=PAD
// Devices with equal rows each send a part of them.
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 4}, {"name": "S", "axis": "model", "assign": [["pipeline_shift.*", 2]]}]}' > %t.sends.json
// RUN: partita plan %s --schedule %t.sends.json --mesh pipe=2,model=2 -o %t.sends && FileCheck %s --check-prefix=SENDS < %t.sends/local.mlir
// RUN: partita verify %s --schedule %t.sends.json --mesh pipe=2,model=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.sends.json --mesh pipe=2,model=2 --relation | FileCheck %s --check-prefix=EQUAL
// RUN: not partita plan %s --schedule %t.json --mesh pipe=5 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not partita plan %s --schedule %t.json --mesh data=2 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not partita plan %s --schedule %t.json 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: echo '{"tactics": [{"axis": "pipe", "pipeline": ["layers"], "microbatches": 3}]}' > %t3.json
// RUN: not partita plan %s --schedule %t3.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=ROWS
// UNEVEN: strategy: {{.*}}; pipeline of 3 stages in 4 microbatches
// UNEVEN-NEXT: program: pipeline: 1 loop over 3 of 4 layers has 6 ticks, and each stage is idle in 2 of them
// PAD: pad.json:1:{{[0-9]+}}: error: no pipeline: dims that are padded beside one are not supported
// PAD: leave one of the two tactics out
// FEW: error: no pipeline: this loop has 4 iterations, which are fewer than 5 stages
// AXIS: error: 'pipe' is not an axis of the mesh data=2
// MESH: error: the number of stages of a pipeline is not known without a mesh
// ROWS: error: 'batch' has 8 rows, which are not 3 equal microbatches
// EQUAL: equal
// What enters is spread once, before the loop, and what leaves takes its place.
// CHECK: %[[IN:[0-9]+]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2, 3] : (tensor<2x4x6xf32>) -> tensor<2x2x4x6xf32>
// CHECK: stablehlo.reshape %arg0 : (tensor<4x6x6xf32>) -> tensor<2x2x6x6xf32>
// CHECK: stablehlo.while({{.*}} = %[[IN]])
// CHECK: stablehlo.constant dense<5> : tensor<i64>
// CHECK: stablehlo.pad {{.*}}, low = [1, 0, 0], high = [-1, 0, 0], interior = [0, 0, 0] {part.shift}
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general {{.*}} batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK-SAME: tensor<2x2x6xf32>
// CHECK: "stablehlo.scatter"
// LOCAL: "stablehlo.all_gather"
// LOCAL: stablehlo.while
// LOCAL: "stablehlo.collective_permute"
// LOCAL-SAME: dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>
// SENDS: "stablehlo.collective_permute"{{.*}} -> tensor<1x2x3xf32>
// SENDS: "stablehlo.all_gather"{{.*}} -> tensor<1x2x6xf32>
// TEXT: strategy: {{.*}}; pipeline of 2 stages in 4 microbatches
// TEXT-NEXT: program: pipeline: 1 loop over 4 layers has 5 ticks, and each stage is idle in 1 of them
module @layers {
  func.func public @main(%w: tensor<4x6x6xf32> loc("layers"), %x: tensor<8x6xf32> loc("batch")) -> tensor<8x6xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %ws = %w, %h = %x) : tensor<i32>, tensor<4x6x6xf32>, tensor<8x6xf32>
    cond {
      %end = stablehlo.constant dense<4> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %start = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %slice = stablehlo.dynamic_slice %ws, %i, %start, %start, sizes = [1, 6, 6] : (tensor<4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
      %layer = stablehlo.reshape %slice : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
      %product = stablehlo.dot_general %h, %layer, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
      %next = stablehlo.tanh %product : tensor<8x6xf32>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %ws, %next : tensor<i32>, tensor<4x6x6xf32>, tensor<8x6xf32>
    }
    return %0#2 : tensor<8x6xf32>
  }
}
