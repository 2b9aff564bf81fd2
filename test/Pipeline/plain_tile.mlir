// A plain tile along the layers stores them in parts and fetches each where it is used, as without a pipeline: over another
// axis than the pipeline's, and over an axis of the pipeline's size without one. Only the pipeline tactic makes stages.
// RUN: echo '{"tactics": [{"name": "S", "axis": "data", "tile": [["layers", 0]]}]}' > %tplain.json
// RUN: partita plan %s --schedule %tplain.json --mesh data=2 --stop-after=accumulate | FileCheck %s --check-prefix=PLAIN
// RUN: partita plan %s --schedule %tplain.json --mesh data=2 -o %t && FileCheck %s --check-prefix=FETCH < %t/local.mlir
// RUN: partita verify %s --schedule %tplain.json --mesh data=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 2}, {"name": "S", "axis": "data", "tile": [["other", 0]]}]}' > %tboth.json
// RUN: partita plan %s --schedule %tboth.json --mesh data=2,pipe=2 | FileCheck %s --check-prefix=BOTH
// RUN: partita verify %s --schedule %tboth.json --mesh data=2,pipe=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %tboth.json --mesh data=2,pipe=2 --relation | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal
// PLAIN-NOT: part.shift
// FETCH-NOT: collective_permute
// FETCH: ({{%[a-z0-9]+}}: tensor<2x6x6xf32>, {{%[a-z0-9]+}}: tensor<4x6x6xf32>
// FETCH: stablehlo.while
// FETCH: all_reduce
// BOTH: program: pipeline: 1 loop over 4 layers has 3 ticks
// BOTH-DAG: layers {{.*}}P('pipe')
// BOTH-DAG: other {{.*}}P('data')
module @layers {
  func.func public @main(%w: tensor<4x6x6xf32> loc("layers"), %v: tensor<4x6x6xf32> loc("other"),
                         %x: tensor<8x6xf32> loc("batch")) -> tensor<8x6xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<4> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<8x6xf32>
    cond {
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %slice = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 6, 6] : (tensor<4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
      %layer = stablehlo.reshape %slice : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
      %product = stablehlo.dot_general %h, %layer, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
      %next = stablehlo.tanh %product : tensor<8x6xf32>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %next : tensor<i32>, tensor<8x6xf32>
    }
    // Layers that no pipeline is asked for.
    %1:2 = stablehlo.while(%i = %zero, %h = %0#1) : tensor<i32>, tensor<8x6xf32>
    cond {
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %slice = stablehlo.dynamic_slice %v, %i, %zero, %zero, sizes = [1, 6, 6] : (tensor<4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
      %layer = stablehlo.reshape %slice : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
      %product = stablehlo.dot_general %h, %layer, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
      %next = stablehlo.sine %product : tensor<8x6xf32>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %next : tensor<i32>, tensor<8x6xf32>
    }
    return %1#1 : tensor<8x6xf32>
  }
}
