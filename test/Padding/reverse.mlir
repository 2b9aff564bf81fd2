// In reverse order the padding of 7 rows comes first. Rows move over it: by what the program's size misses of each one.
// RUN: echo '{"tactics": [{"pad": [["x", 0, 4]], "poison": true}, {"axis": "m", "tile": [["pad\\(x\\)#0", 0]]}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh m=4 --stop-after=accumulate | FileCheck %s
// RUN: partita verify %s --schedule %t.json --mesh m=4 | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.json --mesh m=4 --exact | FileCheck %s --check-prefix=EXACT
// RUN: partita verify %s --schedule %t.json --mesh m=4 --relation | FileCheck %s --check-prefix=RELATION
// RUN: partita plan %s --schedule %t.json --mesh m=4 --stop-after=lower | FileCheck %s --check-prefix=LOCAL
// EQUAL: equal (ring+wide)
// EXACT: equal (ring)
// RELATION: equal (relation)
// CHECK: %[[BACK:.*]] = stablehlo.reverse {{.*}}, dims = [0, 1] : tensor<8x3xf32>
// CHECK: stablehlo.pad %[[BACK]], %{{.*}}, low = [-1, 0], high = [1, 0], interior = [0, 0]
// Nothing is gathered but the result.
// LOCAL: collective_permute
// LOCAL-NOT: all_gather
// LOCAL: stablehlo.reduce
module @reverse {
  func.func public @main(%x: tensor<7x3xf32> loc("x")) -> tensor<3xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %back = stablehlo.reverse %x, dims = [0, 1] : tensor<7x3xf32>
    %both = stablehlo.multiply %back, %x : tensor<7x3xf32>
    %sum = stablehlo.reduce(%both init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %sum : tensor<3xf32>
  }
}
