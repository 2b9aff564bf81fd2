// Six layers in two stages, three blocks of one layer for each: microbatches go around three times.
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["w"], "microbatches": 4, "repeats": 3}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 --stop-after=accumulate | FileCheck %s
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 | FileCheck %s --check-prefix=TEXT
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh pipe=2 --relation | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh data=2,pipe=2 --exact | FileCheck %s --check-prefix=EQUAL
// Four places of a group are for three microbatches, and blocks have one layer or, at the end, none.
// RUN: echo '{"tactics": [{"axis": "pipe", "pipeline": ["w"], "microbatches": 2, "repeats": 2}]}' > %ttwo.json
// RUN: partita verify %s --schedule %ttwo.json --mesh pipe=3 --exact | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %ttwo.json --mesh pipe=3 | FileCheck %s --check-prefix=EMPTY
// RUN: not partita plan %s --schedule %ttwo.json --mesh pipe=4 2>&1 | FileCheck %s --check-prefix=FEW
// CHECK: stablehlo.reshape %{{.*}} : (tensor<6x5x6xf32>) -> tensor<3x2x1x5x6xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2, 3, 4]
// Two stages hand on to each other, the last one to the first: one permute.
// CHECK: stablehlo.while
// CHECK: "stablehlo.gather"({{.*}}slice_sizes = array<i64: 1, 2, 5>{{.*}} {part.shift}
// RUN: partita plan %s --schedule %t.json --mesh pipe=2 -o %t && FileCheck %s --check-prefix=LOCAL < %t/local.mlir
// LOCAL: "stablehlo.collective_permute"
// LOCAL-SAME: dense<{{\[\[}}0, 1], [1, 0]]> : tensor<2x2xi64>
// LOCAL-NOT: "stablehlo.collective_permute"
// A permute the other way round, or one that leaves out the last pair, is another program.
// RUN: partita plan %s --schedule %ttwo.json --mesh pipe=3 --stop-after=accumulate > %t.ticks.mlir
// RUN: partita plan %s --schedule %ttwo.json --mesh pipe=3 -o %t.three
// RUN: sed 's/\[\[0, 1\], \[1, 2\], \[2, 0\]\]/[[0, 2], [1, 0], [2, 1]]/' %t.three/local.mlir > %t.back.mlir
// RUN: not partita verify %t.ticks.mlir --local %t.back.mlir --relation 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/, \[2, 0\]\]> : tensor<3x2xi64>/]> : tensor<2x2xi64>/' %t.three/local.mlir > %t.open.mlir
// RUN: not partita verify %t.ticks.mlir --local %t.open.mlir --relation 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: gives is no piece of a value of the original
// TEXT: program: pipeline: 1 loop over 6 layers has 13 ticks, and each stage is idle in 1 of them;
// TEXT-NEXT: each stage has 3 blocks of layers, and microbatches go around 3 times
// TEXT: w {{.*}}P(None, {{.*}})
// EQUAL: equal
// EMPTY: program: pipeline: 1 loop over 6 layers has 7 ticks, and each stage is idle in 3 of them
// FEW: error: no pipeline: this loop has 6 iterations, which are fewer than 8 blocks of 4 stages
// FEW: remedy: give fewer repeats
module @layers {
  func.func public @main(%w: tensor<6x5x6xf32> loc("w"), %x: tensor<8x5xf32> loc("batch")) -> tensor<8x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %h = %x) : tensor<i32>, tensor<8x5xf32>
      cond {
        %n = stablehlo.constant dense<6> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %1 = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 5, 6] : (tensor<6x5x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x6xf32>
        %2 = stablehlo.reshape %1 : (tensor<1x5x6xf32>) -> tensor<5x6xf32>
        %3 = stablehlo.dot_general %h, %2, contracting_dims = [1] x [0] : (tensor<8x5xf32>, tensor<5x6xf32>) -> tensor<8x6xf32>
        %4 = stablehlo.slice %3 [0:8, 0:5] : (tensor<8x6xf32>) -> tensor<8x5xf32>
        %5 = stablehlo.tanh %4 : tensor<8x5xf32>
        %6 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %6, %5 : tensor<i32>, tensor<8x5xf32>
      }
    return %0#1 : tensor<8x5xf32>
  }
}
