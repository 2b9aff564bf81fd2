// A kernel is one op: the products that its decomposition spells count as flops, what is between them is nowhere.
// RUN: split-file %s %t
// RUN: partita score %t/kernel.mlir --schedule %t/none.json --mesh d=1 --machine h100-sxm:1x1 --json | FileCheck %s --check-prefix=KERNEL
// RUN: partita score %t/plain.mlir --schedule %t/none.json --mesh d=1 --machine h100-sxm:1x1 --json | FileCheck %s --check-prefix=PLAIN
// 4 * 2048 * 2048 * 64 flops, in both.
// KERNEL: "flops": 1073741824
// Only the result.
// KERNEL: "temporaries": 262144,
// KERNEL: "unpriced": []
// The scores, 8 MiB, beside it.
// PLAIN: "flops": 1073741824
// PLAIN: "temporaries": 8650752,
// Split over two devices, each has half of them.
// RUN: partita score %t/kernel.mlir --schedule %t/rows.json --mesh d=2 --machine h100-sxm:1x2 --json | FileCheck %s --check-prefix=SPLIT
// SPLIT: "split_flops": {
// SPLIT-NEXT: "d": 1.000000

//--- kernel.mlir
func.func @main(%q: tensor<2048x64xbf16> loc("q"), %k: tensor<2048x64xbf16> loc("k")) -> tensor<2048x64xbf16> {
  %0 = stablehlo.composite "partita.kernel.attention" %q, %k {composite_attributes = {rule = "([t,k],[s,k])->([t,k]) replicate={s,k}"}, decomposition = @attention} : (tensor<2048x64xbf16>, tensor<2048x64xbf16>) -> tensor<2048x64xbf16>
  return %0 : tensor<2048x64xbf16>
}
func.func private @attention(%q: tensor<2048x64xbf16>, %k: tensor<2048x64xbf16>) -> tensor<2048x64xbf16> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xbf16>, tensor<2048x64xbf16>) -> tensor<2048x2048xbf16>
  %1 = stablehlo.dot_general %0, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xbf16>, tensor<2048x64xbf16>) -> tensor<2048x64xbf16>
  return %1 : tensor<2048x64xbf16>
}

//--- plain.mlir
func.func @main(%q: tensor<2048x64xbf16> loc("q"), %k: tensor<2048x64xbf16> loc("k")) -> tensor<2048x64xbf16> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xbf16>, tensor<2048x64xbf16>) -> tensor<2048x2048xbf16>
  %1 = stablehlo.dot_general %0, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xbf16>, tensor<2048x64xbf16>) -> tensor<2048x64xbf16>
  return %1 : tensor<2048x64xbf16>
}

//--- none.json
{"tactics": []}

//--- rows.json
{"tactics": [{"name": "BP", "axis": "d", "tile": [["q", 0]]}]}
