// Twelve pieces of padded zeros, of which every second is padding: which of the six others a device has does not matter,
// until a permute brings them to where 'b' is major and 'a' minor. The static check, which `plan` runs, sees that a part
// of 'b' and all of 'a' may number the six.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=3,b=4 --schedule %t/schedule.json -o %t/out > %t/report
// RUN: FileCheck %s < %t/out/local.mlir
// CHECK: stablehlo.collective_permute
// Zeros that a pad moves by more than a piece: one permute says less about the order of the pieces than the places where
// rows are put.
// RUN: partita plan %t/moved.mlir --mesh a=4,b=2 --schedule %t/moved.json -o %t/moved > %t/report
// RUN: FileCheck %s < %t/moved/local.mlir --check-prefix=MOVED
// MOVED: stablehlo.collective_permute
// MOVED: stablehlo.collective_permute
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

//--- moved.mlir
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%end: tensor<f32> loc("end"), %which: tensor<i32> loc("which")) -> (tensor<8xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}) {
    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
    %moved = stablehlo.pad %zeros, %end, low = [5], high = [-5], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32> loc("moved")
    %0 = "stablehlo.case"(%which) ({
      stablehlo.return %moved : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

//--- moved.json
{"tactics": [{"axis": "a", "assign": [["moved#0", 0]]}]}
