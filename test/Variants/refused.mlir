// Where a plan does not fit and microbatches are refused, the page says why: the loss compares rows of the batch with
// each other. It is a note, not an error of its own.
// RUN: split-file %s %t
// RUN: not partita plan %t/contrastive.mlir --mesh data=1 --machine cpu-host:1x1 --memory-limit 200 2>&1 | FileCheck %s
// CHECK: microbatches: refused, 'stablehlo.dot_general' needs a sum over the whole batch {{.*}} (clip.py:9:1)
// CHECK: error: no plan was found that fits

// Arguments alone are larger than the memory.
// RUN: not partita plan %t/contrastive.mlir --mesh data=1 --machine cpu-host:1x1 --memory-limit 50 2>&1 | FileCheck %s --check-prefix=HOPELESS
// HOPELESS: memory actions would not help: the arguments alone are larger than the memory
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
