// What a program says of shardings stands in its graph: on arguments, results, constraints, results of other ops and
// carried values. Axes of one device are left out.

// RUN: partita plan %s --stop-after=flatten | FileCheck %s
// RUN: partita plan %s --stop-after=flatten --ignore-shardings | FileCheck %s --check-prefix=IGNORED

// CHECK: "role":"constraint"
// CHECK: "mesh": [
// CHECK-NEXT: ["data",2],
// CHECK-NEXT: ["model",4]],
// CHECK-NEXT: "shardings": [
// CHECK-NEXT: {"cell":0,"dims":[{"axes":["data"]},{"open":true}]},
// CHECK-NEXT: {"cell":1,"dims":[{},{"axes":["model:(1)2"],"open":true,"priority":1}],"replicated":["data"]},
// CHECK-NEXT: {"cell":2,"dims":[{"axes":["data"],"open":true},{"open":true}]},
// CHECK-NEXT: {"cell":3,"dims":[{"axes":["data","model"]},{}]},
// CHECK-NEXT: {"cell":4,"dims":[{"axes":["data"]},{}]}]}

// IGNORED-NOT: constraint
// IGNORED: "mesh": [],
// IGNORED-NEXT: "shardings": []}

sdy.mesh @mesh = <["data"=2, "one"=1, "model"=4]>
sdy.mesh @alone = <["data"=1]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "one"}, {?}]>},
                %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model":(1)2, ?}p1], replicated={"data"}>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@alone, [{"data"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {?}]>]>} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"data", "model"}, {}]> : tensor<8x16xf32>
  return %1, %0 : tensor<8x16xf32>, tensor<8x16xf32>
}
