// A step with a vocabulary of 7 and a batch of 3, on 4 devices: embedding, logits, softmax, gradients. Padding is
// poisoned, so that a mask which is missing shows.
// RUN: echo '{"tactics": [{"pad": [["params/wte", 0, 4], ["tokens", 0, 2]]}]}' > %t.json
// RUN: partita plan %s --schedule %t.json --mesh m=4 --stop-after=accumulate | FileCheck %s
// RUN: echo '{"tactics": [{"pad": [["params/wte", 0, 4], ["tokens", 0, 2]], "poison": true}, {"axis": "m", "tile": [["pad\\(params/wte\\)#0", 0]]}]}' > %t.poison.json
// RUN: partita verify %s --schedule %t.poison.json --mesh m=4 | FileCheck %s --check-prefix=EQUAL
// RUN: partita verify %s --schedule %t.poison.json --mesh m=4 --exact | FileCheck %s --check-prefix=EXACT
// RUN: echo '{"tactics": [{"axis": "m", "tile": [["params/wte", 0]]}]}' > %t.tile.json
// RUN: partita verify %s --schedule %t.tile.json --mesh m=4 | FileCheck %s --check-prefix=EQUAL
// RUN: partita plan %s --schedule %t.tile.json --mesh m=4 | FileCheck %s --check-prefix=TEXT
// RUN: partita plan %s --schedule %t.tile.json --mesh m=4 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=BORDER
// RUN: echo '{"tactics": [{"pad": [["params/wte", 0, 4]], "store": true}, {"axis": "m", "tile": [["params/wte", 0]]}]}' > %t.store.json
// RUN: partita plan %s --schedule %t.store.json --mesh m=4 --machine h100-sxm:1x4 | FileCheck %s --check-prefix=STORED
// RUN: partita verify %s --schedule %t.tile.json --mesh m=6 | FileCheck %s --check-prefix=EQUAL
// RUN: not partita plan %s --schedule %t.tile.json --mesh m=4 --no-padding 2>&1 | FileCheck %s --check-prefix=REFUSED
// EQUAL: equal (ring+wide)
// EXACT: equal (ring)
// TEXT: padding: vocabulary over m, padded 7 -> 8 (14%), dim 0 of params['wte']
// TEXT: each step pads 1 argument and cuts 1 result back: between steps, and in annotated.mlir, no axis splits these dims;
// BORDER: each step pads 1 argument and cuts 1 result back, which takes {{[0-9.]+}} us: between steps, and in
// STORED: padding: vocabulary over m, padded 7 -> 8 (14%), dim 0 of params['wte']
// STORED-NOT: each step pads
// REFUSED: 8 would divide
// The indices are clamped to 7 rows of the padded table, and the loss sees 3 rows of 4.
// CHECK: stablehlo.pad {{.*}} tensor<8x4xf32>
// CHECK: stablehlo.clamp
// CHECK: "stablehlo.gather"
// CHECK-SAME: tensor<8x4xf32>, tensor<4x1xi32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<4x8xf32>
// CHECK: stablehlo.select
// CHECK: stablehlo.reduce({{.*}} applies stablehlo.maximum
// CHECK: stablehlo.slice {{.*}} -> tensor<7x4xf32>
module @step {
  func.func public @main(%wte: tensor<7x4xf32> loc("params['wte']"), %tokens: tensor<3x1xi32> loc("tokens"), %labels: tensor<3xi32> loc("labels")) -> (tensor<7x4xf32> {jax.result_info = "params['wte']"}, tensor<f32> {jax.result_info = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %rate = stablehlo.constant dense<0.125> : tensor<7x4xf32>
    %x = "stablehlo.gather"(%wte, %tokens) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<7x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %logits = stablehlo.dot_general %x, %wte, contracting_dims = [1] x [1] : (tensor<3x4xf32>, tensor<7x4xf32>) -> tensor<3x7xf32>
    %max = stablehlo.reduce(%logits init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<3xf32>) -> tensor<3x7xf32>
    %shifted = stablehlo.subtract %logits, %maxs : tensor<3x7xf32>
    %e = stablehlo.exponential %shifted : tensor<3x7xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<3xf32>) -> tensor<3x7xf32>
    %p = stablehlo.divide %e, %sums : tensor<3x7xf32>
    %classes = stablehlo.iota dim = 1 : tensor<3x7xi32>
    %wanted = stablehlo.broadcast_in_dim %labels, dims = [0] : (tensor<3xi32>) -> tensor<3x7xi32>
    %is = stablehlo.compare EQ, %classes, %wanted : (tensor<3x7xi32>, tensor<3x7xi32>) -> tensor<3x7xi1>
    %onehot = stablehlo.convert %is : (tensor<3x7xi1>) -> tensor<3x7xf32>
    %d = stablehlo.subtract %p, %onehot : tensor<3x7xf32>
    %picked = stablehlo.multiply %onehot, %p : tensor<3x7xf32>
    %loss = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<f32>
    %dw = stablehlo.dot_general %d, %x, contracting_dims = [0] x [0] : (tensor<3x7xf32>, tensor<3x4xf32>) -> tensor<7x4xf32>
    %dx = stablehlo.dot_general %d, %wte, contracting_dims = [1] x [0] : (tensor<3x7xf32>, tensor<7x4xf32>) -> tensor<3x4xf32>
    %zeros = stablehlo.constant dense<0.0> : tensor<7x4xf32>
    %de = "stablehlo.scatter"(%zeros, %tokens, %dx) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<7x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<7x4xf32>
    %g = stablehlo.add %dw, %de : tensor<7x4xf32>
    %step = stablehlo.multiply %g, %rate : tensor<7x4xf32>
    %new = stablehlo.subtract %wte, %step : tensor<7x4xf32>
    return %new, %loss : tensor<7x4xf32>, tensor<f32>
  }
}
