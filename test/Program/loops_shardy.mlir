// Loops as Shardy leaves them: its constants, constraints, barriers and reshapes around scalars do not hide how often they
// run.
// RUN: partita-opt --partita-import --partita-test-loops %s 2>&1 | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = sdy.constant dense<0> : tensor<i32>
  %six = sdy.constant dense<6> : tensor<i32>
  // CHECK: remark: loop: 6 iterations; induction 0 from 0 by 1 to 6
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %n = sdy.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = sdy.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  // The bound is carried, through ops that change its shape and its sharding.
  // CHECK: remark: loop: 6 iterations; induction 0 from 0 by 1 to 6
  %3:3 = stablehlo.while(%i = %zero, %v = %x, %n = %six) : tensor<i32>, tensor<4xf32>, tensor<i32>
  cond {
    %4 = sdy.sharding_constraint %n <@mesh, []> : tensor<i32>
    %5 = stablehlo.convert %4 : (tensor<i32>) -> tensor<i64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %7 = stablehlo.reshape %6 : (tensor<1xi64>) -> tensor<i64>
    %8 = stablehlo.convert %i : (tensor<i32>) -> tensor<i64>
    %9 = stablehlo.compare LT, %8, %7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  } do {
    %one = sdy.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    %5 = stablehlo.add %v, %v : tensor<4xf32>
    %6 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %7 = stablehlo.optimization_barrier %6 : tensor<1xi32>
    %8 = sdy.reshard %7 <@mesh, [{}]> : tensor<1xi32>
    %9 = stablehlo.reshape %8 : (tensor<1xi32>) -> tensor<i32>
    stablehlo.return %4, %5, %9 : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  return %0#1, %3#1 : tensor<4xf32>, tensor<4xf32>
}
