// What is wrong in a schedule is an error with its place and exit code 65; on the command line it is 2.

// RUN: split-file %s %t
// RUN: not partita plan %t/f.mlir --mesh data=4 --schedule %t/nothing.json 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not partita plan %t/f.mlir --mesh data=4 --no-padding --schedule %t/size.json 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not partita plan %t/f.mlir --mesh data=4 --schedule %t/twice.json 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not partita plan %t/f.mlir --mesh data=4 --schedule %t/python.json 2>&1 | FileCheck %s --check-prefix=PYTHON
// RUN: not partita plan %t/f.mlir --mesh data=4 --schedule %t/auto.json 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: not partita plan %t/f.mlir --mesh data=4 --schedule %t/missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not partita plan %t/large.mlir --mesh model=8 --no-padding --schedule %t/vocabulary.json 2>&1 | FileCheck %s --check-prefix=VOCABULARY
// RUN: not partita plan %t/large.mlir --mesh model=8 --schedule %t/axis.json 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not partita plan %t/large.mlir --mesh model=8 --schedule %t/name.json 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not partita plan %t/large.mlir --mesh model=8 --schedule %t/member.json 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: not partita plan %t/large.mlir --mesh model=8 --schedule %t/none.json --machine h100-sxm:1x8 --placement model=nvlnk 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not partita plan %t/f.mlir --schedule %t/size.json 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not partita plan %t/f.mlir --mesh data=4 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not partita plan %t/sharded.mlir --mesh data=2 --schedule %t/none.json 2>&1 | FileCheck %s --check-prefix=SHARDED
// RUN: partita plan %t/sharded.mlir --mesh data=2 --schedule %t/none.json --ignore-shardings | FileCheck %s --check-prefix=IGNORED
// RUN: partita plan %t/sharded.mlir --mesh data=4 --schedule %t/none.json --details | FileCheck %s --check-prefix=PROGRAM

// NOTHING: nothing.json:1:[[#]]: error: tactic 'A': the pattern 'y' matches no value of the program
// NOTHING-NEXT: remedy: patterns match whole names;
// SIZE: size.json:1:[[#]]: error: tactic 'A' cannot tile x (tensor<8x6xf32>) along dim 1 over 'data': its dim 1 of size 6 does not divide by the 4 devices of 'data'
// SIZE-NEXT: remedy: 8 would divide; "optional": true
// VOCABULARY: its dim 0 of size 50257 does not divide by the 8 devices of 'model'
// VOCABULARY-NEXT: remedy: 50264 would divide; 50304 also by 128;
// AXIS: axis.json:1:[[#]]: error: 'modle' is not an axis of the mesh
// AXIS-NEXT: remedy: did you mean 'model'?
// NAME: name.json:1:[[#]]: error: tactic 'A': the pattern 'embeding' matches no value of the program
// NAME-NEXT: remedy: did you mean 'embedding'?
// MEMBER: member.json:1:[[#]]: error: unknown member "tiel"
// MEMBER-NEXT: remedy: did you mean 'tile'?
// PLACE: error: placement on h100-sxm:1x8: there is no level 'nvlnk'
// PLACE-NEXT: remedy: did you mean 'nvlink'?
// TWICE: twice.json:2:[[#]]: error: tactic 'B' cannot tile x (tensor<8x6xf32>) along dim 1 over 'data': 'data' already splits its dim 0, since tactic 'A'
// PYTHON: python.json:1:[[#]]: error: '\d' is not POSIX extended syntax
// PYTHON-NEXT: [0-9]
// AUTO: error: a search needs a machine to plan for
// MISSING: missing.json
// MESH: error: there is no mesh
// NEITHER: error: there is nothing to plan with
// IGNORED: strategy: nothing is split
// SHARDED: error: the program is sharded over data=4, and the mesh data=2 has another size of it
// SHARDED-NEXT: --ignore-shardings
// PROGRAM: tactic shardings: splits 1 of 1 ops

//--- f.mlir
func.func @main(%x: tensor<8x6xf32> loc("x")) -> tensor<8x6xf32> {
  %0 = stablehlo.negate %x : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

//--- large.mlir
func.func @main(%x: tensor<50257x6xf32> loc("embedding")) -> tensor<50257x6xf32> {
  %0 = stablehlo.negate %x : tensor<50257x6xf32>
  return %0 : tensor<50257x6xf32>
}

//--- vocabulary.json
{"tactics": [{"name": "A", "axis": "model", "tile": [["embedding", 0]]}]}

//--- axis.json
{"tactics": [{"name": "A", "axis": "modle", "tile": [["embedding", 0]]}]}

//--- name.json
{"tactics": [{"name": "A", "axis": "model", "tile": [["embeding", 0]]}]}

//--- member.json
{"tactics": [{"name": "A", "axis": "model", "tiel": [["embedding", 0]]}]}

//--- sharded.mlir
sdy.mesh @mesh = <["data"=4]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x6xf32> {
  return %x : tensor<8x6xf32>
}

//--- none.json
{"tactics": []}

//--- nothing.json
{"tactics": [{"name": "A", "axis": "data", "tile": [["y", 0]]}]}

//--- size.json
{"tactics": [{"name": "A", "axis": "data", "tile": [["x", 1]]}]}

//--- twice.json
{"tactics": [{"name": "A", "axis": "data", "tile": [["x", 0]]},
             {"name": "B", "axis": "data", "tile": [["x", 1]]}]}

//--- python.json
{"tactics": [{"name": "A", "axis": "data", "tile": [["x\\d", 0]]}]}

//--- auto.json
{"tactics": [{"name": "A", "auto": {"goals": ["time"]}, "axes": ["data"]}]}
