// What needs the whole batch in the middle of a step is kept for all of it. Inside of loops it is refused, with its line
// and what to do; so is what would run more often than "passes" allows.
// RUN: split-file %s %t
// RUN: not partita plan %t/statistics.mlir --schedule %t/two.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: partita plan %t/contrastive.mlir --schedule %t/two.json --mesh data=1 --stop-after=accumulate | FileCheck %s --check-prefix=KEPT
// RUN: partita verify %t/contrastive.mlir --schedule %t/two.json --mesh data=1 | FileCheck %s --check-prefix=EQUAL
// RUN: not partita plan %t/deep.mlir --schedule %t/passes.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: partita verify %t/deep.mlir --schedule %t/two.json --mesh data=1 | FileCheck %s --check-prefix=EQUAL
// RUN: not partita plan %t/bits.mlir --schedule %t/two.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not partita plan %t/bits.mlir --schedule %t/three.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not partita plan %t/bits.mlir --schedule %t/twice.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not partita plan %t/bits.mlir --schedule %t/type.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not partita plan %t/bits.mlir --schedule %t/nothing.json --mesh data=1 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not partita plan %t/bits.mlir --schedule %t/two.json --accumulate 2 --mesh data=1 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: partita plan %t/contrastive.mlir --schedule %t/passes.json --mesh data=1 --stop-after=accumulate | FileCheck %s --check-prefix=PASSES
// RUN: partita verify %t/contrastive.mlir --schedule %t/passes.json --mesh data=1 | FileCheck %s --check-prefix=EQUAL
// STATISTICS: norm.py:7:1: error: no microbatches: 'stablehlo.multiply' needs a sum over the whole batch inside of a loop, in each iteration
// STATISTICS-NEXT: remedy: statistics, balance losses and capacities over the batch do not split into microbatches
// KEPT: stablehlo.while
// KEPT: stablehlo.dot_general {{.*}}tensor<2x3xf32>
// KEPT: stablehlo.dot_general {{.*}}tensor<4x4xf32>
// KEPT: stablehlo.while
// KEPT-NOT: stablehlo.dot_general {{.*}}tensor<3x3xf32>) -> tensor<2x3xf32>
// DEEP: error: no microbatches: {{.*}} would run twice for each microbatch
// DEEP-NEXT: remedy: {{.*}}"passes"
// BITS: drop.py:3:1: error: no microbatches: 'stablehlo.rng_bit_generator', from which rbg keys get their random bits, gives other bits for a part of the shape
// BITS-NEXT: remedy: use threefry keys
// THREE: three.json:1:{{.*}}: error: 'x' has 4 rows, which are not 3 equal microbatches
// TWICE: error: there is another temporal tactic
// TYPE: error: there is no accumulate_type 'f64'
// NOTHING: error: the pattern 'z' matches no value
// BOTH: error: --accumulate excludes --plan and a schedule with a temporal tactic
// PASSES: stablehlo.while
// PASSES: stablehlo.while
// EQUAL: equal (ring+wide)
//--- two.json
{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]]}]}
//--- three.json
{"tactics": [{"temporal": {"micro": 3}, "tile": [["x", 0]]}]}
//--- twice.json
{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]]}, {"temporal": {"micro": 2}, "tile": [["x", 0]]}]}
//--- type.json
{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]], "accumulate_type": "f64"}]}
//--- nothing.json
{"tactics": [{"temporal": {"micro": 2}, "tile": [["z", 0]]}]}
//--- passes.json
{"tactics": [{"temporal": {"micro": 2}, "tile": [["x", 0]], "passes": 2}]}
//--- statistics.mlir
module @statistics {
  func.func public @main(%w: tensor<f32> loc("w"), %x: tensor<4xf32> loc("x")) -> (tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %sum = stablehlo.reduce(%h init: %start) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %square = stablehlo.multiply %sum, %sum : tensor<f32> loc("norm.py":7:1)
      %all = stablehlo.broadcast_in_dim %square, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %next = stablehlo.subtract %h, %all : tensor<4xf32>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %next : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
//--- contrastive.mlir
module @contrastive {
  func.func public @main(%w: tensor<3x3xf32> loc("w"), %x: tensor<4x3xf32> loc("x")) -> (tensor<3x3xf32>) {
    %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32> loc("clip.py":8:1)
    %likeness = stablehlo.dot_general %z, %z, contracting_dims = [1] x [1] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32> loc("clip.py":9:1)
    %dz = stablehlo.dot_general %likeness, %z, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %e = stablehlo.multiply %dz, %z : tensor<4x3xf32>
    %g = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %n = stablehlo.subtract %w, %g : tensor<3x3xf32>
    return %n : tensor<3x3xf32>
  }
}
//--- deep.mlir
module @deep {
  func.func public @main(%w: tensor<3x3xf32> loc("w"), %x: tensor<4x3xf32> loc("x")) -> (tensor<4x3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %t = stablehlo.multiply %s, %s : tensor<3xf32>
    %b = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %c = stablehlo.multiply %a, %b : tensor<4x3xf32>
    %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
    %e = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %f = stablehlo.multiply %e, %e : tensor<3xf32>
    %g = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %h = stablehlo.multiply %d, %g : tensor<4x3xf32>
    %i = stablehlo.multiply %h, %a : tensor<4x3xf32>
    return %i : tensor<4x3xf32>
  }
}
//--- bits.mlir
module @bits {
  func.func public @main(%key: tensor<2xui64> loc("key"), %x: tensor<4xui32> loc("x")) -> (tensor<4xui32>) {
    %next, %bits = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) loc("drop.py":3:1)
    %0 = stablehlo.xor %x, %bits : tensor<4xui32>
    return %0 : tensor<4xui32>
  }
}
