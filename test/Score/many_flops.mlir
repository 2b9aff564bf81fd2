// A step of a large model has more flops than a time has picoseconds: they are counted in full, also in a loop.
// RUN: echo '{"tactics": []}' > %t.json
// RUN: partita score %s --mesh data=8 --machine h100-sxm:1x8 --schedule %t.json --json | FileCheck %s
// CHECK: "flops": 4611686018427387904
func.func @main(%a: tensor<1048576x1048576xbf16>, %b: tensor<1048576x1048576xbf16>) -> tensor<1048576x1048576xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n, %r = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<1048576x1048576xbf16>
    cond {
      %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<1048576x1048576xbf16>, tensor<1048576x1048576xbf16>) -> tensor<1048576x1048576xbf16>
      %k = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %k, %y : tensor<i32>, tensor<1048576x1048576xbf16>
    }
  return %r : tensor<1048576x1048576xbf16>
}
