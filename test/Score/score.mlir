// What a plan costs: totals, collectives with cause and place, memory, what takes longest; the same as JSON; a trace.
// RUN: split-file %s %t
// RUN: partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --trace %t/trace.json | FileCheck %s
// CHECK: mlp.mlir on data=2,model=2, h100-sxm:1x4 (data=nvlink:2,model=nvlink:2)
// CHECK-NEXT: time {{.*}} MFU {{.*}}%, lower bound {{.*}}, simulated
// CHECK-NEXT: compute
// CHECK-NEXT: communication {{.*}} exposed
// CHECK-NEXT: peak memory {{.*}} per device, of 57.1 GB: fits
// CHECK: collective axes count bytes sent time
// CHECK-NEXT: all_reduce model 1 1.05 MB
// CHECK: all_reduce over model
// CHECK-NEXT: P('data') of partial sums over model to P('data')
// CHECK-NEXT: partial results are combined, tactic MP
// CHECK: memory: arguments
// CHECK: at the peak:
// CHECK: what takes longest

// RUN: FileCheck %s --check-prefix=TRACE < %t/trace.json
// TRACE: "traceEvents":[{"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"one step of one device"}}
// TRACE-SAME: {"ph":"M","name":"thread_name","pid":0,"tid":0,"args":{"name":"compute"}}
// TRACE-SAME: "name":"nvlink"
// TRACE-SAME: "ph":"X"
// TRACE-SAME: "ph":"C","name":"memory","pid":0,"ts":{{[0-9.]+}},"args":{"bytes":{{[1-9]}}
// TRACE-SAME: "name":"all_reduce {model}"

// RUN: partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --json | FileCheck %s --check-prefix=JSON
// JSON: "time_ps": {{[1-9]}}
// JSON-NEXT: "time_width_ppm": {{[1-9]}}
// JSON-NEXT: "simulated_ps": {{[1-9]}}
// JSON-NEXT: "compute_ps": {{[1-9]}}
// JSON-NEXT: "communication_ps": {{[1-9]}}
// JSON-NEXT: "exposed_communication_ps":
// JSON-NEXT: "simulated_exposed_ps":
// JSON-NEXT: "peak_bytes": {{[1-9]}}
// 84,942,979,072 bytes * .75 * .896: JAX's pool, and what a plan may take of it.
// JSON-NEXT: "peak_width_ppm": 95000
// JSON-NEXT: "limit_bytes": 57081681936
// JSON-NEXT: "fits": true
// JSON-NEXT: "memory_fraction": null
// JSON-NEXT: "near_limit": null
// 2 products of 1024 x 1024 x 1024.
// JSON-NEXT: "flops": 4294967296
// JSON-NEXT: "mfu": 0.
// JSON-NEXT: "lower_bound_ps": {{[0-9]+}}
// JSON-NEXT: "collectives": [
// JSON: "kind": "all_reduce"
// JSON: "count": 1
// JSON-NEXT: "bytes": 1048576
// JSON-NEXT: "wire_bytes":
// JSON-NEXT: "time_ps": {{[1-9]}}
// JSON: "reshards": [
// JSON: "exposed_ps": {{[1-9]}}
// JSON: "memory": {
// JSON: "at_peak": [
// JSON: "levels": [
// JSON: "split_flops": {
// JSON-NEXT: "data": 1.000000
// JSON-NEXT: "model": 1.000000
// JSON: "replicated":
// JSON: "unpriced": []

// Without the bound: 4,294,967,296 flops of 4 devices at 989.17e12 a second, and nothing that has to be searched for.
// RUN: partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --json --no-bound --timing 2>&1 | FileCheck %s --check-prefix=NOBOUND --implicit-check-not='"stage": "bound"'
// NOBOUND: "lower_bound_ps": 1085497

// Several plans are compared, the best first.
// RUN: partita score %t/mlp.mlir %t/dp.json %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=ALL
// ALL: plan time MFU compute comm. exposed peak
// ALL-DAG: dp.json
// ALL-DAG: mp.json

// A file of the list is read once, so it may be standard input.
// RUN: partita score %t/mlp.mlir - --mesh data=2,model=2 --machine h100-sxm:1x4 < %t/mp.json | FileCheck %s --check-prefix=STDIN
// STDIN: - on data=2,model=2, h100-sxm:1x4
// STDIN: all_reduce model 1 1.05 MB

// A limit that nothing fits into.
// RUN: partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --memory-limit 1MB | FileCheck %s --check-prefix=SMALL
// RUN: partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --memory-limit 1e6 | FileCheck %s --check-prefix=SMALL
// SMALL: of 1.00 MB: does not fit, short by
// RUN: not partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 --memory-limit 7apples 2>&1 | FileCheck %s --check-prefix=APPLES
// APPLES: error: --memory-limit '7apples' is not an amount of memory

// A program that carries its shardings; a local program; a list of specs by pattern.
// RUN: partita plan %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 -o %t/out > /dev/null
// RUN: partita score %t/mlp.mlir --annotated %t/out/annotated.mlir --machine h100-sxm:1x4 | FileCheck %s --check-prefix=OTHER
// RUN: partita score %t/mlp.mlir --local %t/out/local.mlir --machine h100-sxm:1x4 | FileCheck %s --check-prefix=OTHER
// RUN: partita score %t/mlp.mlir --schedule %t/specs.json --mesh data=2,model=2 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=OTHER
// OTHER: on data=2,model=2, h100-sxm:1x4
// OTHER: all_reduce model 1 1.05 MB

// The plan and its report hold the score.
// RUN: FileCheck %s --check-prefix=PLAN < %t/out/plan.json
// PLAN: "machine": "h100-sxm:1x4",
// PLAN-NEXT: "placement": "data=nvlink:2,model=nvlink:2",
// PLAN-NEXT: "device_order": null,
// PLAN: "cost": {"time_ps":{{[1-9]}}
// RUN: FileCheck %s --check-prefix=REPORT < %t/out/report.json
// REPORT: "time_ps": {{[1-9]}}
// RUN: FileCheck %s --check-prefix=TRACE < %t/out/trace.json

// A plan keeps its placement: the order of devices that the user's mesh must have.
// RUN: partita plan %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:2x2 --placement data=nvlink,model=node -o %t/placed > /dev/null
// RUN: FileCheck %s --check-prefix=PLACED < %t/placed/plan.json
// PLACED: "placement": "data=nvlink,model=node",
// PLACED-NEXT: "device_order": [0,2,1,3],
// RUN: partita score %t/mlp.mlir --plan %t/placed/plan.json --machine h100-sxm:2x2 | FileCheck %s --check-prefix=REPLAYED
// REPLAYED: h100-sxm:2x2 (data=nvlink,model=node)

// Sharding dumps and logical axis rules, as MaxText has them; the dump brings its mesh.
// RUN: partita score %t/mlp.mlir --schedule %t/dump.json --machine h100-sxm:1x4 | FileCheck %s --check-prefix=OTHER
// RUN: partita score %t/mlp.mlir --schedule %t/logical.json --mesh data=2,model=2 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/"x"/"y"/' %t/dump.json > %t/wrong.json
// RUN: not partita score %t/mlp.mlir --schedule %t/wrong.json --machine h100-sxm:1x4 2>&1 | FileCheck %s --check-prefix=DUMP
// DUMP: wrong.json:1:2: error: the pattern {{.*}} matches no argument

// Where two plans differ.
// RUN: partita diff %t/mlp.mlir %t/dp.json %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=DIFF
// DIFF: first: {{.*}}dp.json
// DIFF: first second difference
// DIFF: communication {{.*}} +
// DIFF: collectives count bytes time
// DIFF-NEXT: all_reduce over model 0 -> 1 0 B -> 1.05 MB +
// DIFF: arguments that are split otherwise
// DIFF-NEXT: -1.05 MB w1: tensor<1024x1024xbf16>, P() -> P(None, 'model')
// DIFF: groups of values differ
// The second product is partial, and combined.
// DIFF: not moved -> all_reduce {model}
// RUN: partita diff %t/mlp.mlir %t/mp.json %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=SAME
// SAME: 0 groups of values differ

// What is missing.
// RUN: not partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: there is no machine to score the plan on
// RUN: not partita score %t/mlp.mlir --schedule %t/mp.json --mesh data=2,model=2 --machine h100-sxm:1x8 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error:
// RUN: not partita score %t/mlp.mlir --local %t/mlp.mlir --machine h100-sxm:1x4 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: error: @main has 0 manual computations

//--- mlp.mlir
func.func @main(%x: tensor<1024x1024xbf16> loc("x"), %w1: tensor<1024x1024xbf16> loc("w1"),
                %w2: tensor<1024x1024xbf16> loc("w2")) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0]
    : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %1 = stablehlo.tanh %0 : tensor<1024x1024xbf16>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0]
    : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %2 : tensor<1024x1024xbf16>
}

//--- mp.json
{"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}, {"name": "MP", "axis": "model", "tile": [["w1", 1]]}]}

//--- dp.json
{"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]}

//--- specs.json
[["x", ["data"]], ["w1", [null, "model"]], ["w.", ["model", null]]]

//--- dump.json
{"x": {"mesh": {"axis_names": ["data", "stage", "model"], "shape": {"data": 2, "stage": 1, "model": 2}},
       "partition_spec": [["data", "stage"]]},
 "w1": {"partition_spec": [null, "model"]}, "w2": {"partition_spec": ["model"]}}

//--- logical.json
{"logical_axis_rules": [["batch", "data"], ["mlp", "model"], ["embed", null]],
 "logical_axes": {"x": ["batch", "embed"], "w1": ["embed", "mlp"], "w2": ["mlp", "embed"]}}
