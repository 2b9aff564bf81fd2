// A scalar is broadcast to two sizes at one place, and the pieces that a device has of them have the shape of each other's:
// the static check, which `plan` runs, holds each against its own.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh data=2,model=4 --schedule %t/schedule.json --details | FileCheck %s
// CHECK: tactic rest over data
//--- schedule.json
{"tactics": [
  {"name": "first", "axis": "model", "tile": [["y", 0], ["x", 1]]},
  {"name": "rest", "axis": "data", "tile": [["y", 0], ["x", 0]]}]}
//--- program.mlir
module @m {
  func.func public @main(%arg0: tensor<16x32xf32> loc("x"), %arg1: tensor<32x32xf32> loc("y"), %arg2: tensor<f32> loc("z")) -> (tensor<16x32xf32> {jax.result_info = "result[0]"}, tensor<32x32xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.negate %arg2 : tensor<f32> loc(#loc)
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1024xf32> loc(#loc)
    %2 = stablehlo.reshape %1 : (tensor<1024xf32>) -> tensor<32x32x1xf32> loc(#loc)
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<32x32x1xf32>, tensor<f32>) -> tensor<32x32xf32> loc(#loc)
    %4 = stablehlo.multiply %arg1, %3 : tensor<32x32xf32> loc(#loc)
    %5 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<512xf32> loc(#loc)
    %6 = stablehlo.reshape %5 : (tensor<512xf32>) -> tensor<16x32x1xf32> loc(#loc)
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32> loc(#loc)
    %8 = stablehlo.multiply %arg0, %7 : tensor<16x32xf32> loc(#loc)
    return %8, %4 : tensor<16x32xf32>, tensor<32x32xf32> loc(#loc)
  }
}
#loc = loc("f")
