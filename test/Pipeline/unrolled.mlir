// Four layers alike in straight code, whose weights are arrays of their own: they become a loop, and the loop a pipeline.
// The third layer's result is returned, and the second one's product has another use: the loop stacks both.
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["[wu].*"], "microbatches": 4}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 --stop-after=accumulate | FileCheck %s
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 | FileCheck %s --check-prefix=TEXT
// RUN: partita verify %s --schedule %t.json --mesh pipe=4 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --relation | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh data=2,pipe=3 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: echo '{"tactics": [{"axis": "pipe", "pipeline": ["head"], "microbatches": 4}]}' > %thead.json
// RUN: not partita plan %s --schedule %thead.json --mesh pipe=2 2>&1 | FileCheck %s --check-prefix=HEAD
// CHECK: stablehlo.concatenate {{.*}}, dim = 0 : (tensor<1x6x6xf32>, tensor<1x6x6xf32>, tensor<1x6x6xf32>, tensor<1x6x6xf32>) -> tensor<4x6x6xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.pad {{.*}} {part.shift}
// CHECK: stablehlo.dot_general {{.*}} batching_dims = [0] x [0]
// TEXT: program: pipeline: 1 loop over 4 layers has 5 ticks, and each stage is idle in 1 of them;
// TEXT-NEXT: the layers were unrolled and became loops first
// TEXT: u0 {{.*}}P('pipe')
// EQUAL: equal
// HEAD: error: no pipeline: no loop steps through the layers that the tactic names
// HEAD: remedy: name the weights of layers that are alike
module @layers {
  func.func public @main(
      %w0: tensor<6x6xf32> loc("w0"), %w1: tensor<6x6xf32> loc("w1"), %w2: tensor<6x6xf32> loc("w2"),
      %w3: tensor<6x6xf32> loc("w3"), %u0: tensor<6x6xf32> loc("u0"), %u1: tensor<6x6xf32> loc("u1"),
      %u2: tensor<6x6xf32> loc("u2"), %u3: tensor<6x6xf32> loc("u3"), %b0: tensor<6xf32> loc("b0"),
      %b1: tensor<6xf32> loc("b1"), %b2: tensor<6xf32> loc("b2"), %b3: tensor<6xf32> loc("b3"),
      %head: tensor<6x6xf32> loc("head"), %x: tensor<8x6xf32> loc("batch"))
      -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
    %p0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %c0 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %s0 = stablehlo.add %p0, %c0 : tensor<8x6xf32>
    %t0 = stablehlo.tanh %s0 : tensor<8x6xf32>
    %q0 = stablehlo.dot_general %t0, %u0, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %e0 = stablehlo.exponential %q0 : tensor<8x6xf32>
    %l0 = stablehlo.logistic %e0 : tensor<8x6xf32>
    %x0 = stablehlo.add %l0, %x : tensor<8x6xf32>
    %p1 = stablehlo.dot_general %x0, %w1, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %c1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %s1 = stablehlo.add %p1, %c1 : tensor<8x6xf32>
    %t1 = stablehlo.tanh %s1 : tensor<8x6xf32>
    %q1 = stablehlo.dot_general %t1, %u1, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %e1 = stablehlo.exponential %q1 : tensor<8x6xf32>
    %l1 = stablehlo.logistic %e1 : tensor<8x6xf32>
    %x1 = stablehlo.add %l1, %x0 : tensor<8x6xf32>
    %p2 = stablehlo.dot_general %x1, %w2, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %c2 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %s2 = stablehlo.add %p2, %c2 : tensor<8x6xf32>
    %t2 = stablehlo.tanh %s2 : tensor<8x6xf32>
    %q2 = stablehlo.dot_general %t2, %u2, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %e2 = stablehlo.exponential %q2 : tensor<8x6xf32>
    %l2 = stablehlo.logistic %e2 : tensor<8x6xf32>
    %x2 = stablehlo.add %l2, %x1 : tensor<8x6xf32>
    %p3 = stablehlo.dot_general %x2, %w3, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %c3 = stablehlo.broadcast_in_dim %b3, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %s3 = stablehlo.add %p3, %c3 : tensor<8x6xf32>
    %t3 = stablehlo.tanh %s3 : tensor<8x6xf32>
    %q3 = stablehlo.dot_general %t3, %u3, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    %e3 = stablehlo.exponential %q3 : tensor<8x6xf32>
    %l3 = stablehlo.logistic %e3 : tensor<8x6xf32>
    %x3 = stablehlo.add %l3, %x2 : tensor<8x6xf32>
    %more = stablehlo.dot_general %p1, %head, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
    return %x3, %x2, %more : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
  }
}
