// One rule of each kind, as the pass prints it: parallel, reduced, replicated and window factors, compound dims, control
// flow, and rules that the user and the program state for custom calls.
// RUN: partita-opt "--partita-test-rules=rule=mine=([b,i])->([b,i])" %s 2>&1 | FileCheck %s
// RUN: not partita-opt "--partita-test-rules=rule=tpu_custom_call=([b,i])->([b,i])" %s 2>&1 | FileCheck %s --check-prefix=BAKED

sdy.mesh @mesh = <["x"=2]>

// CHECK-NOT: sdy.mesh
func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>, %i: tensor<5x1xi32>, %n: tensor<i32>) {
  // CHECK: remark: rule: stablehlo.dot: ([a,b],[b,c])->([a,c]) reduce(add)={b}{{$}}
  %0 = stablehlo.dot %x, %y : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: remark: rule: stablehlo.reshape: ([a,b])->([(ab)]){{$}}
  %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<32xf32>
  // CHECK: remark: rule: stablehlo.gather: ([a,b],[c,_])->([c,b]) reduce(add)={a}
  %2 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}>
    : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  // CHECK: remark: rule: stablehlo.slice: ([a,b])->([a,c]) window={b,c}  // a dim that is cut stays whole
  %3 = stablehlo.slice %0 [0:4, 1:6] : (tensor<4x8xf32>) -> tensor<4x5xf32>
  // CHECK: remark: rule: stablehlo.slice: ([a,(bc)])->([a,b]) replicate={c} moved(1)={b} 
  %30 = stablehlo.slice %0 [0:4, 1:5] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  // The comparator belongs to its op.
  // CHECK: remark: rule: stablehlo.sort: ([a,b])->([a,b]) replicate={b}  // the sorted dim
  // CHECK-NOT: stablehlo.compare
  %4 = "stablehlo.sort"(%0) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // The body does not.
  // CHECK-NOT: stablehlo.while
  // CHECK: remark: rule: stablehlo.compare: ([],[])->([]){{$}}
  // CHECK: remark: rule: stablehlo.negate: ([a,b])->([a,b]){{$}}
  %5:2 = stablehlo.while(%k = %n, %v = %0) : tensor<i32>, tensor<4x8xf32>
  cond {
    %c = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %w = stablehlo.negate %v : tensor<4x8xf32>
    stablehlo.return %k, %w : tensor<i32>, tensor<4x8xf32>
  }
  // CHECK: remark: rule: stablehlo.custom_call: ([a,b])->([a,b]){{$}}
  %6 = stablehlo.custom_call @mine(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: remark: rule: stablehlo.custom_call: ([a,b])->([a,c]) replicate={b,c}  // what its sdy.sharding_rule keeps whole
  %7 = stablehlo.custom_call @other(%0) {sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=8} need_replication={j, k}, custom>}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: remark: rule: stablehlo.custom_call: ([a,b])->([c,d]) replicate={a,b,c,d}  // everything: a kernel compiled for these shapes
  // BAKED: error: {{.*}}rules.mlir:[[#@LINE+1]]:8: error: {{.*}}tpu_custom_call
  %8 = stablehlo.custom_call @tpu_custom_call(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
