// Rows of both operands are equal along what a product sums over, so all terms of the sum are: which device made which is
// not known, and does not matter. As many as there are must be added, no fewer and no more, and of one piece.
// RUN: partita verify %s --local %S/Inputs/equal_terms.mlir --relation | FileCheck %s
// RUN: partita verify %s --local %S/Inputs/equal_terms.mlir --exact | FileCheck %s
// RUN: sed 's/add .own, .arrived/add %%own, %%other/' %S/Inputs/equal_terms.mlir > %t.other.mlir
// RUN: not partita verify %s --local %t.other.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/return .sum/return %%arrived/' %S/Inputs/equal_terms.mlir > %t.few.mlir
// RUN: not partita verify %s --local %t.few.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/return .sum/return %%more/' %S/Inputs/equal_terms.mlir > %t.many.mlir
// RUN: not partita verify %s --local %t.many.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: equal
// WRONG: error: {{what|result 0 is}}
module {
  func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<6x4xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
