// Gathers and scatters of one slice step as well; slices that reach over the edge do not, nor do updates of copies.
// RUN: partita-opt --partita-import --partita-test-loops %s 2>&1 | FileCheck %s

func.func public @main(%x: tensor<3x6x4xf32>, %y: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: remark: loop: 6 iterations; induction 0 from 0 by 1 to 6; captured dim 1 size 1 from 0 by 1 read; carried 1 dim 0 size 1 from 0 by 1 read written{{$}}
  %0:2 = stablehlo.while(%i = %zero, %acc = %y) : tensor<i32>, tensor<6x4xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %4 = "stablehlo.gather"(%x, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0, 1], start_index_map = [0, 1]>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x6x4xf32>, tensor<2xi32>) -> tensor<4xf32>
    %5 = "stablehlo.scatter"(%acc, %2, %4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<6x4xf32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %5 : tensor<i32>, tensor<6x4xf32>
  }
  // CHECK: remark: loop: 6 iterations; induction 0 from 0 by 1 to 6{{$}}
  %7:2 = stablehlo.while(%i = %zero, %acc = %y) : tensor<i32>, tensor<6x4xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    // At i = 5 this slice is moved back to 4.
    %1 = stablehlo.dynamic_slice %y, %i, %zero, sizes = [2, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %2 = stablehlo.slice %1 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.dynamic_update_slice %y, %2, %i, %zero : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
    %4 = stablehlo.add %acc, %3 : tensor<6x4xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<6x4xf32>
  }
  return %0#1, %7#1 : tensor<6x4xf32>, tensor<6x4xf32>
}
