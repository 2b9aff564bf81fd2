// Two loops fill a matrix, each along a dim of its own: the outer one sees the writes of the inner one.
// RUN: partita-opt --partita-import --partita-test-loops %s 2>&1 | FileCheck %s

func.func public @main(%x: tensor<3x5xf32>, %y: tensor<1x1xf32>) -> tensor<3x5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: remark: loop: 3 iterations; induction 0 from 0 by 1 to 3; carried 1 dim 0 size 1 from 0 by 1 written{{$}}
  // CHECK: remark: loop: 5 iterations; induction 1 from 0 by 1 to 5; carried 2 dim 1 size 1 from 0 by 1 written{{$}}
  %0:2 = stablehlo.while(%i = %zero, %m = %x) : tensor<i32>, tensor<3x5xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2:3 = stablehlo.while(%row = %i, %j = %zero, %r = %m) : tensor<i32>, tensor<i32>, tensor<3x5xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %j, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_update_slice %r, %y, %row, %j : (tensor<3x5xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
      %3 = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %row, %3, %1 : tensor<i32>, tensor<i32>, tensor<3x5xf32>
    }
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %4, %2#2 : tensor<i32>, tensor<3x5xf32>
  }
  return %0#1 : tensor<3x5xf32>
}
