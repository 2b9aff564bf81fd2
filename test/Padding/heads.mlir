// Three heads of 4 in one dim, over 2 devices: whole heads are padded, so that reshapes keep them. In a loop, too.
// RUN: echo '{"tactics": [{"pad": [["w", 1, 2]], "poison": true}, {"axis": "m", "tile": [["pad\\(w\\)#0", 1]]}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh m=2 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh m=2 | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh m=2 --relation | FileCheck %s --check-prefix=RELATION
// EQUAL: equal (ring+wide)
// RELATION: equal (relation)
// CHECK: stablehlo.pad {{.*}} tensor<8x16xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.reshape {{.*}} -> tensor<2x4x4xf32>
// CHECK: stablehlo.slice {{.*}} -> tensor<2x12xf32>
module @heads {
  func.func public @main(%x: tensor<2x8xf32> loc("x"), %w: tensor<8x12xf32> loc("w")) -> (tensor<2x12xf32>, tensor<2x4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x12xf32>) -> tensor<2x12xf32>
    %r:2 = stablehlo.while(%i = %zero, %v = %y) : tensor<i32>, tensor<2x12xf32>
     cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %h = stablehlo.reshape %v : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
      %t = stablehlo.tanh %h : tensor<2x3x4xf32>
      %s = stablehlo.reduce(%t init: %none) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3xf32>
      %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
      %u = stablehlo.add %t, %b : tensor<2x3x4xf32>
      %f = stablehlo.reshape %u : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
      stablehlo.return %j, %f : tensor<i32>, tensor<2x12xf32>
    }
    %h = stablehlo.reshape %r#1 : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
    %sum = stablehlo.reduce(%h init: %none) applies stablehlo.add across dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    return %r#1, %sum : tensor<2x12xf32>, tensor<2x4xf32>
  }
}
