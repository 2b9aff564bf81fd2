// Two matrix products, tactic by tactic: BP splits the batch, MP the columns of the first and the rows of the second
// matrix, Z3 stores both in pieces that are put together before they are used.
// RUN: split-file %s %t
// RUN: partita plan %t/program.mlir --mesh B=4,M=2 --schedule %t/bp.json --stop-after=loops | FileCheck %s --check-prefix=BP
// RUN: partita plan %t/program.mlir --mesh B=4,M=2 --schedule %t/mp.json --stop-after=loops | FileCheck %s --check-prefix=MP
// RUN: partita plan %t/program.mlir --mesh B=4,M=2 --schedule %t/z3.json --stop-after=loops > %t/z3.mlir
// RUN: FileCheck %s --check-prefix=Z3 < %t/z3.mlir
// RUN: partita-opt %t/z3.mlir | FileCheck %s --check-prefix=Z3
// RUN: partita eval %t/program.mlir --ring > %t/whole.txt
// RUN: partita eval %t/z3.mlir --ring | diff - %t/whole.txt

// BP:      %[[X1:.*]] = part.loop "B" size 4 [tile<0>] (%[[B:.*]]) {
// BP-NEXT:   %[[X:.*]] = part.slice %arg0 dim 0 at %[[B]] : tensor<256x8xf32> -> tensor<64x8xf32>
// BP-NEXT:   %[[P:.*]] = stablehlo.dot_general %[[X]], %arg1
// BP-NEXT:   part.yield %[[P]] : tensor<64x16xf32>
// BP-NEXT: } : tensor<256x16xf32>
// BP-NEXT: %[[X2:.*]] = part.loop "B" size 4 [tile<0>]
// BP-NEXT:   part.slice %[[X1]] dim 0
// BP-NEXT:   stablehlo.dot_general
// BP:      return %[[X2]]

// MP:      %[[X1:.*]] = part.loop "B" size 4 [tile<0>] (%[[B:.*]]) {
// MP-NEXT:   %[[X:.*]] = part.slice %arg0 dim 0 at %[[B]]
// MP-NEXT:   %[[P:.*]] = part.loop "M" size 2 [tile<1>] (%[[M:.*]]) {
// MP-NEXT:     %[[W:.*]] = part.slice %arg1 dim 1 at %[[M]] : tensor<8x16xf32> -> tensor<8x8xf32>
// MP-NEXT:     %[[Q:.*]] = stablehlo.dot_general %[[X]], %[[W]]
// MP-NEXT:     part.yield %[[Q]] : tensor<64x8xf32>
// MP-NEXT:   } : tensor<64x16xf32>
// MP-NEXT:   part.yield %[[P]] : tensor<64x16xf32>
// MP-NEXT: } : tensor<256x16xf32>
// MP-NEXT: part.loop "B" size 4 [tile<0>]
// MP-NEXT:   part.slice %[[X1]] dim 0
// MP-NEXT:   part.loop "M" size 2 [sum]
// MP-NEXT:     part.slice {{.*}} dim 1 {{.*}} : tensor<64x16xf32> -> tensor<64x8xf32>
// MP-NEXT:     part.slice %arg2 dim 0 {{.*}} : tensor<16x8xf32> -> tensor<8x8xf32>
// MP-NEXT:     stablehlo.dot_general

// Z3:      %[[W1:.*]] = part.loop "B" size 4 [tile<0>] (%[[B:.*]]) {
// Z3-NEXT:   %[[R:.*]] = part.slice %arg1 dim 0 at %[[B]] : tensor<8x16xf32> -> tensor<2x16xf32>
// Z3-NEXT:   %[[P:.*]] = part.loop "M" size 2 [tile<1>] (%[[M:.*]]) {
// Z3-NEXT:     %[[Q:.*]] = part.slice %[[R]] dim 1 at %[[M]] : tensor<2x16xf32> -> tensor<2x8xf32>
// Z3-NEXT:     part.yield %[[Q]]
// Z3:      %[[W2:.*]] = part.loop "M" size 2 [tile<0>]
// Z3-NEXT:   part.slice %arg2 dim 0
// Z3-NEXT:   part.loop "B" size 4 [tile<1>]
// Z3:        part.loop "M" size 2 [tile<1>]
// Z3-NEXT:     part.slice %[[W1]] dim 1
// Z3-NEXT:     stablehlo.dot_general
// Z3:        part.loop "M" size 2 [sum]
// Z3:          part.slice %[[W2]] dim 0
// Z3-NEXT:     stablehlo.dot_general

//--- program.mlir
func.func @main(%x: tensor<256x8xf32>, %w1: tensor<8x16xf32>, %w2: tensor<16x8xf32>) -> tensor<256x8xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<256x8xf32>, tensor<8x16xf32>) -> tensor<256x16xf32>
  %1 = stablehlo.dot_general %0, %w2, contracting_dims = [1] x [0] : (tensor<256x16xf32>, tensor<16x8xf32>) -> tensor<256x8xf32>
  return %1 : tensor<256x8xf32>
}

//--- bp.json
{"tactics": [{"name": "BP", "axis": "B", "tile": [["arg0", 0]]}]}

//--- mp.json
{"tactics": [
  {"name": "BP", "axis": "B", "tile": [["arg0", 0]]},
  {"name": "MP", "axis": "M", "tile": [["arg1", 1]]}]}

//--- z3.json
{"tactics": [
  {"name": "BP", "axis": "B", "tile": [["arg0", 0]]},
  {"name": "MP", "axis": "M", "tile": [["arg1", 1]]},
  {"name": "Z3", "axis": "B", "tile": [["arg1", 0], ["arg2", 1]]}]}
