// Loops over mesh axes are run one position after the other; the pieces are put together.
// RUN: split-file %s %t
// RUN: partita eval %t/loops.mlir | FileCheck %s
// RUN: partita eval %t/loops.mlir --ring | FileCheck %s
// RUN: partita eval %t/loops.mlir --devices=2 | FileCheck %s --check-prefix=DEVICES
// RUN: not partita eval %t/differs.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: not partita eval %t/long.mlir --max-steps=1000 2>&1 | FileCheck %s --check-prefix=LONG

//--- loops.mlir
func.func @main() -> (tensor<4x2xi64>, tensor<2x4xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<i1>, tensor<2xi64>) {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  // 0 or 10 is added at positions 0 and 1.
  // CHECK: result0: tensor<4x2xi64> {{.*}} [1, 2, 3, 4, 11, 12, 13, 14]
  // CHECK: result1: tensor<2x4xi64> {{.*}} [1, 2, 11, 12, 3, 4, 13, 14]
  // CHECK: result2: tensor<2x2xi64> {{.*}} [12, 14, 16, 18]
  // CHECK: result3: tensor<2x2xi64> {{.*}} [11, 12, 13, 14]
  // DEVICES: device0.result0: tensor<4x2xi64> {{.*}} [1, 2, 3, 4, 11, 12, 13, 14]
  // DEVICES: device1.result0: tensor<4x2xi64> {{.*}} [1, 2, 3, 4, 11, 12, 13, 14]
  %0:4 = part.loop "x" size 2 [tile<0>, tile<1>, sum, sum<maximum>] (%p) {
    %1 = stablehlo.multiply %p, %ten : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<2x2xi64>
    %3 = stablehlo.add %x, %2 : tensor<2x2xi64>
    part.yield %3, %3, %3, %3 : tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>
  } : tensor<4x2xi64>, tensor<2x4xi64>, tensor<2x2xi64>, tensor<2x2xi64>
  // CHECK: result4: tensor<i1> {{.*}} [true]
  %4 = part.loop "x" size 3 [sum<xor>] (%p) {
    %1 = stablehlo.constant dense<true> : tensor<i1>
    part.yield %1 : tensor<i1>
  } : tensor<i1>
  // Columns by the outer loop, their elements added by the inner one: 1 + 3, 2 + 4.
  // CHECK: result5: tensor<2xi64> {{.*}} [4, 6]
  %5 = part.loop "x" size 2 [tile<0>] (%p) {
    %1 = part.slice %x dim 1 at %p : tensor<2x2xi64> -> tensor<2x1xi64>
    %2 = part.loop "y" size 2 [sum] (%q) {
      %3 = part.slice %1 dim 0 at %q : tensor<2x1xi64> -> tensor<1x1xi64>
      %column = stablehlo.reshape %3 : (tensor<1x1xi64>) -> tensor<1xi64>
      part.yield %column : tensor<1xi64>
    } : tensor<1xi64>
    part.yield %2 : tensor<1xi64>
  } : tensor<2xi64>
  return %0#0, %0#1, %0#2, %0#3, %4, %5 : tensor<4x2xi64>, tensor<2x4xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<i1>, tensor<2xi64>
}

//--- differs.mlir
// DIFFERS: differs.mlir:3:8: error: result 0 of the loop is 'any', but element [] is 0 at position 0 and 1 at position 1
func.func @main() -> tensor<i64> {
  %0 = part.loop "x" size 2 [any] (%p) {
    part.yield %p : tensor<i64>
  } : tensor<i64>
  return %0 : tensor<i64>
}

//--- long.mlir
// LONG: long.mlir:{{.*}} error: the evaluation has done too many ops when it comes to 'part.loop'
func.func @main() -> tensor<i64> {
  %0 = part.loop "x" size 9223372036854775807 [sum] (%p) {
    part.yield %p : tensor<i64>
  } : tensor<i64>
  return %0 : tensor<i64>
}
