// A slice of a split constant of zeros: each device masks what it does not have, and what they have is combined by `or`.
// The static check, which `plan` runs, sees that zeros combined are zeros.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh a=2 --schedule %t/schedule.json -o %t/out > %t/report
// RUN: FileCheck %s < %t/out/local.mlir
// CHECK: stablehlo.all_reduce
// CHECK: stablehlo.or
//--- schedule.json
{"tactics": [{"axis": "a", "tile": [["zeros#1", 0]]}]}
//--- program.mlir
module {
  func.func @main(%start: tensor<i32>, %index: tensor<1xi32>, %update: tensor<5xi1>) -> (tensor<7xi1>, tensor<8xi1>) {
    %zeros = stablehlo.constant dense<false> : tensor<8xi1> loc("zeros")
    %set = "stablehlo.scatter"(%zeros, %index, %update) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%a: tensor<i1>, %b: tensor<i1>):
      stablehlo.return %b : tensor<i1>
    }) : (tensor<8xi1>, tensor<1xi32>, tensor<5xi1>) -> tensor<8xi1>
    %part = stablehlo.dynamic_slice %zeros, %start, sizes = [7] : (tensor<8xi1>, tensor<i32>) -> tensor<7xi1>
    return %part, %set : tensor<7xi1>, tensor<8xi1>
  }
}
