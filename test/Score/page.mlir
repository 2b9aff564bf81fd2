// Pages for a browser: of a plan, of scores side by side, and of a difference.

// RUN: rm -rf %t && split-file %s %t
// RUN: partita plan %t/mlp.mlir --schedule %t/bp.json --mesh data=2,model=2 --machine h100-sxm:1x4 -o %t/out > /dev/null
// RUN: FileCheck %s < %t/out/report.html
// CHECK: <!doctype html>
// CHECK: default-src 'none'
// CHECK: @observablehq/plot
// CHECK: id="partita-data">{"partita":"{{[^"]+}}","title":"main","plans":[{"name":"main"
// CHECK-SAME: "mesh":"data=2,model=2","machine":"h100-sxm:1x4"
// CHECK-SAME: "strategy":"batch over data; nothing over model","changes":[],"words":["bp"]
// CHECK-SAME: "figures":{"time_ps":{{[1-9]}}
// CHECK-SAME: "collectives":[]
// CHECK-SAME: {"name":"x","kind":"input","type":"512x256xf32","spec":"P('data')","count":1,"bytes":262144,"whole_bytes":524288}
// CHECK-SAME: "memory":{"classes":[
// CHECK-SAME: "timeline":{"total_ps":{{[1-9]}}
// Names of the program cannot end the element in which they stand.
// CHECK-SAME: bad\u003c/script>
// CHECK-SAME: "topology":{"levels":[

// Without a machine there is a page, too.
// RUN: partita plan %t/mlp.mlir --schedule %t/bp.json --mesh data=2,model=2 -o %t/whole > /dev/null
// RUN: FileCheck %s --check-prefix=WHOLE < %t/whole/report.html
// WHOLE: "figures":{"time_ps":null
// WHOLE-NOT: "timeline":{

// RUN: partita score %t/mlp.mlir %t/bp.json %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --html %t/score.html > /dev/null
// RUN: FileCheck %s --check-prefix=SCORE < %t/score.html
// SCORE: "plans":[{"name":"{{.*}}bp.json"
// SCORE-SAME: {"name":"{{.*}}mp.json"
// SCORE-NOT: "differences":[

// RUN: partita diff %t/mlp.mlir %t/bp.json %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --html %t/diff.html > /dev/null
// RUN: FileCheck %s --check-prefix=DIFF < %t/diff.html
// DIFF: "plans":[{"name":"{{.*}}bp.json"
// DIFF-SAME: "differences":[{"name":

// The same inputs give the same bytes.
// RUN: partita plan %t/mlp.mlir --schedule %t/bp.json --mesh data=2,model=2 --machine h100-sxm:1x4 -o %t/again > /dev/null
// RUN: cmp %t/out/report.html %t/again/report.html

// RUN: not partita score %t/mlp.mlir %t/bp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --html %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: cannot write

//--- bp.json
{"tactics": [{"name": "bp", "axis": "data", "tile": [["x", 0]]}]}
//--- mp.json
{"tactics": [{"name": "mp", "axis": "model", "tile": [["w1", 1]]}]}
//--- mlp.mlir
module @main {
  func.func @main(%x: tensor<512x256xf32> loc("x"), %w1: tensor<256x1024xf32> loc("w1"), %w2: tensor<1024x256xf32> loc("w2")) -> tensor<512x256xf32> {
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32> loc("bad</script>")
    %1 = stablehlo.tanh %0 : tensor<512x1024xf32>
    %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
    return %2 : tensor<512x256xf32>
  }
}
