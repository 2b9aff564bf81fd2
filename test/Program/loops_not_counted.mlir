// Loops whose end depends on data, or on wrap-around, are not counted, and the reason is said.
// RUN: partita-opt --partita-import --partita-test-loops %s 2>&1 | FileCheck %s

func.func public @main(%x: tensor<i32>, %y: tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // CHECK: remark: loop: not counted: one side of the condition's comparison depends on data
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %x, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  // CHECK: remark: loop: not counted: the condition depends on data
  %2:2 = stablehlo.while(%i = %zero, %v = %y) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %limit = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare LT, %v, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.and %1, %3 : tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.add %v, %v : tensor<f32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<f32>
  }
  // Steps of 1 at first, of 2 from 3 on: the guess does not hold.
  // CHECK: remark: loop: not counted: what the condition compares does not change evenly, or wraps around, within 9 iterations
  %5 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %1, %one, %two : tensor<i1>, tensor<i32>
    %4 = stablehlo.add %i, %3 : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }
  // CHECK: remark: loop: not counted: the condition never fails, unless an integer wraps around
  %6 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %1 = stablehlo.compare GE, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0, %2#1, %5, %6 : tensor<i32>, tensor<f32>, tensor<i32>, tensor<i32>
}
