// A product of constants: each microbatch computes its rows, and a loop of the program's own computes all. What depends
// on no argument is no work of the batch, wherever it is computed.
// RUN: echo '{"tactics": [{"name": "a", "temporal": {"micro": 4}, "tile": [["batch", 0]]}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh data=1 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh data=1 --exact | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal (ring)
// CHECK: stablehlo.while
// CHECK: stablehlo.einsum {{.*}} -> tensor<1x4xui32>
// CHECK: stablehlo.while
// CHECK: stablehlo.einsum {{.*}} -> tensor<4x4xui32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<4x4xui32>
module {
  func.func @main(%batch: tensor<4x4xui32> loc("batch")) -> (tensor<4x4xui32> {jax.result_info = "rows"}, tensor<4x4xui32> {jax.result_info = "sums"}) {
    %numbers = stablehlo.constant dense<[1, 2, 4, 8]> : tensor<4xui32>
    %table = stablehlo.einsum %numbers, %numbers, config = "i,j->ij" : (tensor<4xui32>, tensor<4xui32>) -> tensor<4x4xui32>
    %rows = stablehlo.and %batch, %table : tensor<4x4xui32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0> : tensor<4x4xui32>
    %loop:2 = stablehlo.while(%i = %zero, %sums = %start) : tensor<i32>, tensor<4x4xui32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %goes = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %square = stablehlo.dot_general %table, %table, contracting_dims = [0] x [0] : (tensor<4x4xui32>, tensor<4x4xui32>) -> tensor<4x4xui32>
      %sum = stablehlo.add %sums, %square : tensor<4x4xui32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<4x4xui32>
    }
    return %rows, %loop#1 : tensor<4x4xui32>, tensor<4x4xui32>
  }
}
