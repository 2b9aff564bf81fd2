// Twelve pieces of padded zeros, of which every second is padding: which of the six others a device has does not matter,
// until a permute brings them to where 'b' is major and 'a' minor. The static check, which `plan` runs, sees that a part
// of 'b' and all of 'a' may number the six.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=3,b=4 --schedule %t/schedule.json -o %t/out > %t/report
// RUN: FileCheck %s < %t/out/local.mlir
// CHECK: stablehlo.collective_permute
//--- program.mlir
module {
  func.func @main(%padding: tensor<f32> loc("padding"), %w: tensor<5xf32>) -> (tensor<12xf32> {jax.result_info = "out"}) {
    %zeros = stablehlo.constant dense<0.0> : tensor<6x5xf32>
    %padded = stablehlo.pad %zeros, %padding, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<12x5xf32>
    %product = stablehlo.dot %padded, %w : (tensor<12x5xf32>, tensor<5xf32>) -> tensor<12xf32>
    return %product : tensor<12xf32>
  }
}

//--- schedule.json
{"tactics": [{"axis": "b", "tile": [["out", 0]]}, {"axis": "a", "tile": [["out", 0]]}]}
