// The generic form reads back as the program it was printed from.
// RUN: partita-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: partita-opt --mlir-print-op-generic %s | partita-opt | FileCheck %s --check-prefix=PRETTY

// GENERIC: "stablehlo.compare"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}>
// PRETTY: stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
