// The rows of a product are equal, so a device's term of any of them is its term of all: it may be sent to another one.
// RUN: partita verify %s --local %S/Inputs/terms_of_equal_rows.mlir --relation | FileCheck %s
// RUN: partita verify %s --local %S/Inputs/terms_of_equal_rows.mlir --exact | FileCheck %s
// RUN: sed 's/add .own, .arrived/add %%own, %%own/' %S/Inputs/terms_of_equal_rows.mlir > %t.own.mlir
// RUN: not partita verify %s --local %t.own.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/return .sum/return %%more/' %S/Inputs/terms_of_equal_rows.mlir > %t.many.mlir
// RUN: not partita verify %s --local %t.many.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/dense<..1, 0., .0, 1..>/dense<[[0, 0], [1, 1]]>/' %S/Inputs/terms_of_equal_rows.mlir > %t.same.mlir
// RUN: not partita verify %s --local %t.same.mlir --relation 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: equal
// WRONG: is no piece of a value of the original
module {
  func.func @main(%x: tensor<1x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
