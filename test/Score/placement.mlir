// A plan whose mesh lies across nodes the wrong way round: what another placement would take, and what row-major takes.

// RUN: echo '{"tactics": [{"name": "MP", "axis": "model", "tile": [["w", 0]]}]}' > %t.json
// RUN: partita plan %s --mesh model=8,data=4 --machine h100-sxm:4x8 --schedule %t.json | FileCheck %s --check-prefix=GIVEN
// GIVEN: {{^}}  --placement model=nvlink,data=node would take {{.*}} us{{$}}

// RUN: partita score %s --mesh model=8,data=4 --machine h100-sxm:4x8 --schedule %t.json --placement model=nvlink,data=node | FileCheck %s --check-prefix=PLACED
// PLACED: {{^}}  placed as model=nvlink,data=node: {{.*}} us; row-major {{.*}} us{{$}}
// PLACED-NOT: would take

// RUN: partita score %s --mesh model=8,data=4 --machine h100-sxm:4x8 --schedule %t.json --json | FileCheck %s --check-prefix=JSON
// JSON: "better_placement": {
// JSON-NEXT: "placement": "model=nvlink,data=node",
// JSON-NEXT: "time_ps": {{[0-9]+}}

// One level: nothing to say.
// RUN: partita score %s --mesh model=4,data=2 --machine h100-sxm:1x8 --schedule %t.json | FileCheck %s --check-prefix=NONE
// NONE: h100-sxm:1x8
// NONE-NOT: would take

func.func @main(%x: tensor<512x4096xf32> loc("x"), %w: tensor<4096x4096xf32> loc("w")) -> tensor<512x4096xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x4096xf32>) -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}
