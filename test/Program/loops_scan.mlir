// What JAX makes of `scan`, forwards and backwards, and of `fori_loop` with negative indices wrapped: trip count,
// induction value, and what is read and written slice by slice.
// RUN: partita-opt --partita-import --partita-test-loops %s 2>&1 | FileCheck %s

func.func public @main(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<6x4xf32>
  %sum = stablehlo.constant dense<0.0> : tensor<4xf32>

  // CHECK: remark: loop: 6 iterations; induction 1 from 0 by 1 to 6; carried 0 dim 0 size 1 from 0 by 1 read; carried 2 dim 0 size 1 from 0 by 1 written{{$}}
  %0:3 = stablehlo.while(%a = %x, %i = %zero, %ys = %f) : tensor<6x4xf32>, tensor<i32>, tensor<6x4xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @slice(%a, %i) : (tensor<6x4xf32>, tensor<i32>) -> tensor<1x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_update_slice %ys, %1, %i, %c : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %a, %3, %2 : tensor<6x4xf32>, tensor<i32>, tensor<6x4xf32>
  }

  // The array comes from outside, and is read from its end; the counter passes a barrier.
  // CHECK: remark: loop: 6 iterations; induction 0 from 0 by 1 to 6; captured dim 0 size 1 from 5 by -1 read; carried 1 dim 0 size 1 from 5 by -1 written{{$}}
  %4:2 = stablehlo.while(%i = %zero, %ys = %f) : tensor<i32>, tensor<6x4xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %b:2 = stablehlo.optimization_barrier %i, %ys : tensor<i32>, tensor<6x4xf32>
    %5 = stablehlo.subtract %n, %b#0 : tensor<i32>
    %6 = stablehlo.subtract %5, %one : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_slice %x, %6, %c, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %8 = stablehlo.dynamic_update_slice %b#1, %7, %6, %c : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
    %9 = stablehlo.add %b#0, %one : tensor<i32>
    stablehlo.return %9, %8 : tensor<i32>, tensor<6x4xf32>
  }

  // Two counters: the one that is tested, and the one that indexes, from 2 on.
  // CHECK: remark: loop: 3 iterations; induction 0 from 0 by 1 to 3; captured dim 0 size 1 from 2 by 1 read{{$}}
  %10:3 = stablehlo.while(%i = %zero, %j = %two, %acc = %sum) : tensor<i32>, tensor<i32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<6> : tensor<i32>
    %isNegative = stablehlo.compare LT, %j, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wrapped = stablehlo.add %j, %n : tensor<i32>
    %at = stablehlo.select %isNegative, %wrapped, %j : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %x, %at, %c, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x4xf32>) -> tensor<4xf32>
    %13 = stablehlo.add %acc, %12 : tensor<4xf32>
    %14 = stablehlo.add %i, %one : tensor<i32>
    %15 = stablehlo.add %j, %one : tensor<i32>
    stablehlo.return %14, %15, %13 : tensor<i32>, tensor<i32>, tensor<4xf32>
  }
  return %0#2, %4#1, %10#2 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>
}

func.func private @slice(%x: tensor<6x4xf32>, %i: tensor<i32>) -> tensor<1x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
