// Words of dims: windows slide along the space of an image, and what a parameter is contracted with is no sequence.

// RUN: partita analyze %s | FileCheck %s

// CHECK: colors:
// CHECK-DAG: batch 4
// CHECK-DAG: space 16
// CHECK-DAG: space 18
// CHECK-NOT: sequence
module @model {
  func.func public @main(%image: tensor<4x16x18x3xf32> loc("image"), %kernel: tensor<3x3x3x8xf32> loc("kernel"), %rows: tensor<4x24xf32> loc("rows"), %w: tensor<24x24xf32> loc("w")) -> (tensor<4x16x18x8xf32>, tensor<4x24xf32>) {
    %y = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x16x18x3xf32>, tensor<3x3x3x8xf32>) -> tensor<4x16x18x8xf32>
    %z = stablehlo.dot_general %rows, %w, contracting_dims = [1] x [0] : (tensor<4x24xf32>, tensor<24x24xf32>) -> tensor<4x24xf32>
    %sum = stablehlo.add %z, %rows : tensor<4x24xf32>
    return %y, %sum : tensor<4x16x18x8xf32>, tensor<4x24xf32>
  }
}
