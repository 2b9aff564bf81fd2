// Under ZeRO the sums are kept split, and gradients are scattered in each turn. Without, they are reduced once.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --schedule %t/zero.json --mesh data=2 --stop-after=lower | FileCheck %s --check-prefix=ZERO
// RUN: partita plan %t/program.mlir --schedule %t/once.json --mesh data=2 --stop-after=lower | FileCheck %s --check-prefix=ONCE
// RUN: partita plan %t/program.mlir --schedule %t/named.json --mesh data=2 --stop-after=lower | FileCheck %s --check-prefix=ZERO
// RUN: partita verify %t/program.mlir --schedule %t/zero.json --mesh data=2 | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %t/program.mlir --schedule %t/once.json --mesh data=2 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal (ring+wide)
// ZERO: stablehlo.while{{.*}} tensor<i64>, tensor<2xf32>
// ZERO: "stablehlo.reduce_scatter"
// ZERO: stablehlo.return {{.*}} tensor<i64>, tensor<2xf32>
// ONCE: stablehlo.while{{.*}} tensor<i64>, tensor<4xf32>
// ONCE: stablehlo.return {{.*}} tensor<i64>, tensor<4xf32>
// ONCE: "stablehlo.reduce_scatter"
//--- zero.json
{"tactics": [{"name": "a", "temporal": {"micro": 2}}, {"preset": "fsdp", "axis": "data"}]}
//--- once.json
{"tactics": [{"name": "a", "temporal": {"micro": 2}, "scatter": "none"}, {"preset": "fsdp", "axis": "data"}]}
//--- named.json
{"tactics": [{"name": "a", "temporal": {"micro": 2}, "tile": [["batch.x", 0]], "scatter": "data"},
             {"axis": "data", "tile": [["batch.x", 0]]}, {"axis": "data", "tile": [["m", 0]]}]}
//--- program.mlir
module @step {
  func.func public @main(%w: tensor<4xf32> loc("params"), %m: tensor<4xf32> loc("m"), %x: tensor<8x4xf32> loc("batch.x")) -> (tensor<4xf32> {jax.result_info = "params"}, tensor<4xf32> {jax.result_info = "m"}) {
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %e = stablehlo.tanh %p : tensor<8xf32>
    %g = stablehlo.dot_general %e, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %k = stablehlo.multiply %g, %g : tensor<4xf32>
    %n = stablehlo.add %m, %k : tensor<4xf32>
    %s = stablehlo.multiply %n, %g : tensor<4xf32>
    %v = stablehlo.subtract %w, %s : tensor<4xf32>
    return %v, %n : tensor<4xf32>, tensor<4xf32>
  }
}
