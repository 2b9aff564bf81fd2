// A grid has no batch: the remedy is to name one, not to choose another number of microbatches or other statistics.
// RUN: not partita plan %s --mesh d=1 --accumulate 2 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not partita plan %s --mesh d=1 --accumulate 5 --stop-after=accumulate 2>&1 | FileCheck %s --check-prefix=NUMBER

// ROWS: error: no microbatches: 'stablehlo.pad' needs all rows of the batch at once inside of a loop, in each iteration
// ROWS-NEXT: remedy: it looks from row to row, as along a sequence or a grid: if another dim is the batch, name it
// NUMBER: error: 'arg1' has 12 rows, which are not 5 equal microbatches
// NUMBER-NEXT: remedy: choose a number of microbatches that divides it or, if it is not the batch, name what is
module @m {
  func.func public @main(%arg0: tensor<12xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0) : tensor<12xf32>, tensor<i32>, tensor<12xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_2 : tensor<i32>
      stablehlo.return %iterArg, %2, %1 : tensor<12xf32>, tensor<i32>, tensor<12xf32>
    }
    return %0#2 : tensor<12xf32>
  }
  func.func private @closed_call(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.slice %arg1 [1:12] : (tensor<12xf32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg1 [0:1] : (tensor<12xf32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    %3 = stablehlo.subtract %2, %arg1 : tensor<12xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<12xf32>
    %5 = stablehlo.add %arg1, %4 : tensor<12xf32>
    return %5 : tensor<12xf32>
  }
}
