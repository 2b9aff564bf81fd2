// Near the memory limit XLA gives up overlap: the report says what that takes of the memory, and what a step takes
// without it.
// RUN: split-file %s %t
// DEFINE: %{score} = partita score %t/mlp.mlir --schedule %t/specs.json --mesh data=4 --no-bound

// RUN: %{score} --machine h100-sxm:1x4 --memory-limit 210MB | FileCheck %s
// CHECK: peak memory
// CHECK-NEXT: overlap may be given up near the limit: it takes 50.3 MB of the peak; without it a step takes
// RUN: %{score} --machine h100-sxm:1x4 --memory-limit 210MB --json | FileCheck %s --check-prefix=JSON
// JSON: "near_limit": {
// JSON-NEXT: "overlap_bytes": 50331648,
// JSON-NEXT: "synchronous_ps": {{[1-9]}}

// Nothing is said far from the limit, and where nothing overlaps.
// RUN: %{score} --machine h100-sxm:1x4 --json | FileCheck %s --check-prefix=FAR
// RUN: %{score} --machine cpu-host:4 --memory-limit 210MB --json | FileCheck %s --check-prefix=FAR
// FAR: "near_limit": null

//--- mlp.mlir
func.func @main(%x: tensor<4096x4096xf32> loc("x"), %w1: tensor<4096x4096xf32> loc("w1"),
                %w2: tensor<4096x4096xf32> loc("w2")) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = stablehlo.dot_general %0, %w2, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}

//--- specs.json
[["x", ["data"]], ["w.", ["data"]]]
