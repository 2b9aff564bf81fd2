// A contrastive loss picks, for each image, the text of its own row. What it picks from is the batch, no vocabulary.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-NOT: vocabulary
// CHECK: batch 6
// CHECK-NOT: vocabulary
module @contrast {
  func.func public @main(%w: tensor<5x4xf32> loc("w"), %images: tensor<6x5xi32> loc("images"), %texts: tensor<6x5xi32> loc("texts")) -> tensor<6x1xf32> {
    %pixels = stablehlo.convert %images : (tensor<6x5xi32>) -> tensor<6x5xf32>
    %words = stablehlo.convert %texts : (tensor<6x5xi32>) -> tensor<6x5xf32>
    %a = stablehlo.dot_general %pixels, %w, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    %b = stablehlo.dot_general %words, %w, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    %scores = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x6xf32>
    %rows = stablehlo.iota dim = 0 : tensor<6x1x1xi32>
    %own = "stablehlo.gather"(%scores, %rows) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x6xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
    return %own : tensor<6x1xf32>
  }
}
