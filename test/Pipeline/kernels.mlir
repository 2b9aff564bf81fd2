// A layer that calls two kernels: a custom call with a rule of the user's, and a composite, which has a body. Each stage
// makes the layer's call on its microbatch; the composite is replaced by its body.
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["layers"], "microbatches": 4}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 --rule 'mine=([b,d],[d])->([b,d]) replicate={d}' --stop-after=accumulate | FileCheck %s
// RUN: partita plan %s --schedule %t.json --mesh data=2,pipe=2 --rule 'mine=([b,d],[d])->([b,d]) replicate={d} flops=768' -o %t --machine h100-sxm:1x4 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=LOCAL < %t/local.mlir
// RUN: not partita plan %s --schedule %t.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=WHOLE
// CHECK-NOT: composite
// CHECK: stablehlo.custom_call @mine(
// CHECK-SAME: part.stages = {call = {call_target_name = "mine"
// CHECK-SAME: staged = array<i1: true, true>
// LOCAL: stablehlo.reshape {{.*}} -> tensor<2x6xf32>
// LOCAL: stablehlo.custom_call @mine({{.*}} : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
// TEXT: pipeline of 2 stages in 4 microbatches
// WHOLE: error: no pipeline: 'stablehlo.custom_call' needs all rows of the batch at once
module @layers {
  func.func private @gate.impl(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
    %0 = stablehlo.tanh %x : tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
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
      %row = stablehlo.slice %layer [0:1, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
      %scale = stablehlo.reshape %row : (tensor<1x6xf32>) -> tensor<6xf32>
      %scaled = stablehlo.custom_call @mine(%product, %scale) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
      %next = stablehlo.composite "partita.kernel.gate" %scaled {composite_attributes = {rule = "([b,d])->([b,d])"}, decomposition = @gate.impl} : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %ws, %next : tensor<i32>, tensor<4x6x6xf32>, tensor<8x6xf32>
    }
    return %0#2 : tensor<8x6xf32>
  }
}
