// Without a memory limit, a step on GPUs may use what JAX's pool gives: 75% of the memory, of which a plan may
// take 89.6%: XLA plans with 95%, and estimates may be 6% short.
// The report says which pool a plan needs.
// RUN: split-file %s %t
// DEFINE: %{score} = partita score %t/add.mlir --schedule %t/none.json --mesh data=4 --machine

// The step takes 3 x 400 B = 1200 B. A device of 1600 B: .75 * .896 * 1600 B = 1075 B, and .84 * .896 * 1600 B = 1204 B.
// RUN: %{score} %t/gpu.json | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: peak memory 1.20 kB ± 10% per device, of 1.07 kB: does not fit, short by 125 B
// DEFAULT-NEXT: memory pool does not fit in JAX's default pool; fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.84
// RUN: %{score} %t/gpu.json --json | FileCheck %s --check-prefix=JSON
// JSON: "limit_bytes": 1075
// JSON-NEXT: "fits": false
// JSON-NEXT: "memory_fraction": 0.84

// A limit that is given, and an environment that has such a pool: it fits, and the setting is named all the same.
// RUN: %{score} %t/gpu.json --memory-limit 90% | FileCheck %s --check-prefix=GIVEN
// GIVEN: of 1.44 kB: fits
// GIVEN-NEXT: memory pool does not fit in JAX's default pool; fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.84
// RUN: env XLA_PYTHON_CLIENT_MEM_FRACTION=.84 %{score} %t/gpu.json | FileCheck %s --check-prefix=SET
// RUN: env XLA_CLIENT_MEM_FRACTION=0.84 %{score} %t/gpu.json | FileCheck %s --check-prefix=SET
// SET: of 1.20 kB: fits
// SET-NEXT: memory pool does not fit in JAX's default pool; fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.84

// Nothing is said where the default is enough, where no pool is large enough, and on other platforms.
// RUN: sed 's/1600/1800/' %t/gpu.json > %t/large.json
// RUN: %{score} %t/large.json | FileCheck %s --check-prefix=QUIET --implicit-check-not="memory pool"
// RUN: sed 's/1600/1300/' %t/gpu.json > %t/small.json
// RUN: %{score} %t/small.json | FileCheck %s --check-prefix=QUIET --implicit-check-not="memory pool"
// RUN: sed 's/cuda/tpu/' %t/gpu.json > %t/tpu.json
// RUN: env XLA_PYTHON_CLIENT_MEM_FRACTION=lots %{score} %t/tpu.json | FileCheck %s --check-prefix=QUIET --implicit-check-not="memory pool"
// QUIET: peak memory 1.20 kB

// A machine file may give its own pool: .9 * .896 * 1600 B = 1290 B.
// RUN: sed 's/"memory_bytes"/"pool_ppm": "90%%", "memory_bytes"/' %t/gpu.json > %t/own.json
// RUN: %{score} %t/own.json | FileCheck %s --check-prefix=OWN --implicit-check-not="memory pool"
// OWN: of 1.29 kB: fits

// Bad settings are refused where they count.
// RUN: not env XLA_PYTHON_CLIENT_MEM_FRACTION=lots %{score} %t/gpu.json 2>&1 | FileCheck %s --check-prefix=LOTS
// LOTS: error: XLA_PYTHON_CLIENT_MEM_FRACTION='lots' is not a share of the memory
// LOTS-NEXT: remedy: write it as JAX reads it, .92 for 92%, or unset it
// RUN: not env XLA_PYTHON_CLIENT_MEM_FRACTION=.5 XLA_CLIENT_MEM_FRACTION=.5 %{score} %t/gpu.json 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: XLA_PYTHON_CLIENT_MEM_FRACTION and XLA_CLIENT_MEM_FRACTION are both set
// RUN: env XLA_PYTHON_CLIENT_MEM_FRACTION=lots %{score} %t/gpu.json --memory-limit 90% | FileCheck %s --check-prefix=GIVEN

// A search that finds no plan that fits says it, too: the whole program takes 300 B on each of 4 devices.
// RUN: sed 's/1600/400/' %t/gpu.json > %t/short.json
// RUN: not partita plan %t/add.mlir --mesh data=4 --machine %t/short.json 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: error: no plan was found that fits: it is short by {{[0-9.]+ [kMG]?B}} of memory
// SEARCH-NEXT: remedy: what was found is given all the same; it fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.84; take more devices, or raise --memory-limit

//--- add.mlir
func.func @main(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %0 = stablehlo.add %x, %y : tensor<100xf32>
  return %0 : tensor<100xf32>
}

//--- none.json
{"tactics": []}

//--- gpu.json
{"base": "h100-sxm:1x4", "name": "small", "platform": "cuda", "device": {"memory_bytes": 1600}}
