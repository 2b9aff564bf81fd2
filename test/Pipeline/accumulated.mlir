// Microbatches around a pipeline: a loop over two of four rows each, in each turn of which four layers in two stages run
// two microbatches of two rows. Devices cut rows of their own: 2 x 2 x data=2 divides 8.
// RUN: echo '{"tactics": [{"name": "A", "temporal": {"micro": 2}}, {"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 2}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --relation | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh data=2,pipe=3 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 -o %t | FileCheck %s --check-prefix=TEXT
// RUN: partita plan %s --plan %t/plan.json -o %t.again && cmp %t/local.mlir %t.again/local.mlir
// 8 rows are 4 microbatches of 2, but not 2 x 8 of one.
// RUN: echo '{"tactics": [{"name": "A", "temporal": {"micro": 2}}, {"axis": "pipe", "pipeline": ["layers"], "microbatches": 8}]}' > %t8.json
// RUN: not partita plan %s --schedule %t8.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=ROWS
// Inner values are no weights of layers.
// RUN: echo '{"tactics": [{"axis": "pipe", "pipeline": ["accumulated[.]mlir:.*"], "microbatches": 2}]}' > %tinner.json
// RUN: not partita plan %s --schedule %tinner.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=INNER
// EQUAL: equal
// CHECK: stablehlo.reshape %arg1 : (tensor<8x6xf32>) -> tensor<4x2x6xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK: stablehlo.pad {{.*}} {part.shift}
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general {{.*}} batching_dims = [0] x [0]
// CHECK-SAME: -> tensor<2x2x6xf32>
// TEXT: pipeline of 2 stages in 2 microbatches
// TEXT: pipeline: 1 loop over 4 layers has 3 ticks, and each stage is idle in 1 of them
// TEXT: layers {{.*}}P('pipe')
// ROWS: error: 'batch' has 8 rows, which are not 16 equal microbatches
// INNER: error: {{.*}} is no argument
// INNER: remedy: a pipeline is named by the weights of its layers
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
