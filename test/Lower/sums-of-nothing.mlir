// Products that contract a dim of size 0 are zeros of any size: the static check, which `plan` runs, holds each against
// the one of its own size, also where two of them are equal and a third is not.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=2 --schedule %t/schedule.json
//--- schedule.json
{"tactics": []}
//--- program.mlir
module @m {
  func.func public @main(%arg0: tensor<0x16xf32>, %arg1: tensor<12x16xf32>, %arg2: tensor<i1>, %arg3: tensor<i32>, %arg4: tensor<16x2xf32>, %arg5: tensor<12x0xf32>) -> (tensor<16x2xf32>, tensor<12x16xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<0x2xf32>
    %0 = stablehlo.dot_general %arg5, %cst, contracting_dims = [1] x [0] : (tensor<12x0xf32>, tensor<0x2xf32>) -> tensor<12x2xf32>
    %1 = stablehlo.dot_general %arg5, %cst, contracting_dims = [1] x [0] : (tensor<12x0xf32>, tensor<0x2xf32>) -> tensor<12x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<12x2xf32>
    %3 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0] : (tensor<12x0xf32>, tensor<0x16xf32>) -> tensor<12x16xf32>
    %4:2 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %arg4) : tensor<i32>, tensor<16x2xf32>
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %5 = stablehlo.dot_general %arg1, %2, contracting_dims = [0] x [0] : (tensor<12x16xf32>, tensor<12x2xf32>) -> tensor<16x2xf32>
      %6 = stablehlo.add %iterArg_0, %5 : tensor<16x2xf32>
      stablehlo.return %iterArg, %6 : tensor<i32>, tensor<16x2xf32>
    }
    return %4#1, %3 : tensor<16x2xf32>, tensor<12x16xf32>
  }
}
