// The second loop reads what the first stacks, and the third what the second stacks, as gradients of gradients do. A
// loop is in one pair: the first two are one, and the third reads what it is given.
// RUN: partita verify %s --recompute '.*' --mesh data=2 --exact | FileCheck %s
// RUN: partita verify %s --keep '.*' --mesh data=2 --exact | FileCheck %s
// CHECK: equal
module {
  func.func @main(%x: tensor<8xf32> loc("x")) -> (tensor<8xf32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<4x8xf32>
    %first:3 = stablehlo.while(%i = %zero, %c = %x, %s = %zeros) : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      %sine = stablehlo.sine %c : tensor<8xf32> loc("first/sine")
      %row = stablehlo.reshape %sine : (tensor<8xf32>) -> tensor<1x8xf32>
      %stack = stablehlo.dynamic_update_slice %s, %row, %i, %start : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
      %next = stablehlo.tanh %c : tensor<8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next, %stack : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
    }
    %second:4 = stablehlo.while(%i = %zero, %c = %first#1, %s = %zeros, %given = %first#2) : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      %row = stablehlo.dynamic_slice %given, %i, %start, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
      %sine = stablehlo.reshape %row : (tensor<1x8xf32>) -> tensor<8xf32>
      %product = stablehlo.multiply %sine, %c : tensor<8xf32>
      %cosine = stablehlo.cosine %product : tensor<8xf32> loc("second/cosine")
      %put = stablehlo.reshape %cosine : (tensor<8xf32>) -> tensor<1x8xf32>
      %stack = stablehlo.dynamic_update_slice %s, %put, %i, %start : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %product, %stack, %given : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    }
    %third:3 = stablehlo.while(%i = %zero, %c = %second#1, %given = %second#2) : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      %row = stablehlo.dynamic_slice %given, %i, %start, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
      %cosine = stablehlo.reshape %row : (tensor<1x8xf32>) -> tensor<8xf32>
      %sum = stablehlo.add %cosine, %c : tensor<8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %sum, %given : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
    }
    return %third#1, %first#1 : tensor<8xf32>, tensor<8xf32>
  }
}
