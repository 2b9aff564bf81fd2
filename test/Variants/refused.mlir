// Where a plan does not fit and microbatches are refused, the page says why: a loop needs a sum over the whole batch in each
// iteration. It is a note, not an error of its own.
// RUN: split-file %s %t
// RUN: not partita plan %t/statistics.mlir --mesh data=1 --machine cpu-host:1x1 --memory-limit 190 2>&1 | FileCheck %s
// CHECK: microbatches: refused, 'stablehlo.multiply' needs a sum over the whole batch inside of a loop,
// CHECK-NEXT: in each iteration (norm.py:7:1)
// CHECK: error: no plan was found that fits

// Arguments alone are larger than the memory.
// RUN: not partita plan %t/statistics.mlir --mesh data=1 --machine cpu-host:1x1 --memory-limit 100 2>&1 | FileCheck %s --check-prefix=HOPELESS
// HOPELESS: memory actions would not help: the arguments alone are larger than the memory
//--- statistics.mlir
module @statistics {
  func.func public @main(%w: tensor<5x3xf32> loc("w"), %x: tensor<4x5xf32> loc("x")) -> (tensor<5x3xf32> {jax.result_info = "w"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
    %0:2 = stablehlo.while(%i = %zero, %h = %z) : tensor<i32>, tensor<4x3xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %sum = stablehlo.reduce(%h init: %start) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
      %square = stablehlo.multiply %sum, %sum : tensor<3xf32> loc("norm.py":7:1)
      %all = stablehlo.broadcast_in_dim %square, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
      %next = stablehlo.subtract %h, %all : tensor<4x3xf32>
      %inc = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %inc, %next : tensor<i32>, tensor<4x3xf32>
    }
    %g = stablehlo.dot_general %x, %0#1, contracting_dims = [0] x [0] : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
    %n = stablehlo.subtract %w, %g : tensor<5x3xf32>
    return %n : tensor<5x3xf32>
  }
}
