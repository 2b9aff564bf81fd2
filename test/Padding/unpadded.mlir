// Ops without a definition for padded operands see the elements alone, and so do those of which padding would be more than
// a third: a sort along the dim, a reverse, an argmax, a start index that moves along it. Empty shards, too: 2 rows over 8
// devices.
// RUN: echo '{"tactics": [{"pad": [["x", 0, 8]], "poison": true}, {"axis": "m", "tile": [["pad\\(x\\)#0", 0]]}]}' > %t.json
// RUN: partita verify %s --schedule %t.json --mesh m=8 | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh m=8 --relation | FileCheck %s --check-prefix=RELATION
// EQUAL: equal (ring+wide)
// RELATION: equal (relation)
module @others {
  func.func public @main(%x: tensor<2x6xf32> loc("x"), %i: tensor<i32> loc("i")) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>, tensor<6xi32>, tensor<6xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %y = stablehlo.exponential %x : tensor<2x6xf32>
    %sorted = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %back = stablehlo.reverse %y, dims = [0] : tensor<2x6xf32>
    %row = stablehlo.dynamic_slice %y, %i, %zero, sizes = [1, 6] : (tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %numbers = stablehlo.iota dim = 0 : tensor<2x6xi32>
    %best:2 = stablehlo.reduce(%y init: %least), (%numbers init: %zero) across dimensions = [0] : (tensor<2x6xf32>, tensor<2x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {
      %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %c, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
    %product = stablehlo.reduce(%y init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %sorted, %back, %row, %best#1, %product : tensor<2x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>, tensor<6xi32>, tensor<6xf32>
  }
}
