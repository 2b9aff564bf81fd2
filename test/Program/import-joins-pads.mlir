// A pad of zeros before a convolution, or of init values before a window, becomes the padding of that op.
// RUN: partita-opt --partita-import --split-input-file %s | FileCheck %s

// As flax writes a causal convolution.
// CHECK-LABEL: @main(%arg0: tensor<1x48x8xf32>
// CHECK-NOT: stablehlo.pad
// CHECK: stablehlo.convolution(%arg0, %arg1)
// CHECK-SAME: pad = {{\[\[}}3, 0]]
func.func public @main(%x: tensor<1x48x8xf32>, %k: tensor<4x8x8xf32>) -> tensor<1x48x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %z, low = [0, 3, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x48x8xf32>, tensor<f32>) -> tensor<1x51x8xf32>
  %0 = stablehlo.convolution(%p, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x51x8xf32>, tensor<4x8x8xf32>) -> tensor<1x48x8xf32>
  return %0 : tensor<1x48x8xf32>
}

// -----

// The gradient of an average pool: elements two apart.
// CHECK-LABEL: @main(%arg0: tensor<4x6xf32>
// CHECK-NOT: stablehlo.pad
// CHECK: "stablehlo.reduce_window"(%arg0
// CHECK-SAME: base_dilations = array<i64: 1, 2>, padding = dense<{{\[\[}}0, 0], [2, 1]]>
func.func public @main(%x: tensor<4x6xf32>) -> tensor<4x12xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %j = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f32>) -> tensor<f32>
  %p = stablehlo.pad %x, %z, low = [0, 2], high = [0, 1], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x14xf32>
  %0 = "stablehlo.reduce_window"(%p, %j) <{window_dimensions = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x14xf32>, tensor<f32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}

// -----

// Other values, features, and elements that are cut off stay: -0 is not what a convolution pads with.
// CHECK-LABEL: @main(%arg0: tensor<1x48x7xf32>
// CHECK-COUNT-3: stablehlo.pad
func.func public @main(%x: tensor<1x48x7xf32>, %k: tensor<3x7x8xf32>, %l: tensor<3x8x8xf32>) -> (tensor<1x48x8xf32>, tensor<1x46x8xf32>, tensor<1x44x8xf32>) {
  %n = stablehlo.constant dense<-0.0> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %n, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x48x7xf32>, tensor<f32>) -> tensor<1x50x7xf32>
  %0 = stablehlo.convolution(%p, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x50x7xf32>, tensor<3x7x8xf32>) -> tensor<1x48x8xf32>
  %q = stablehlo.pad %x, %z, low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x48x7xf32>, tensor<f32>) -> tensor<1x48x8xf32>
  %1 = stablehlo.convolution(%q, %l) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x48x8xf32>, tensor<3x8x8xf32>) -> tensor<1x46x8xf32>
  %r = stablehlo.pad %x, %z, low = [0, -2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x48x7xf32>, tensor<f32>) -> tensor<1x46x7xf32>
  %2 = stablehlo.convolution(%r, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x46x7xf32>, tensor<3x7x8xf32>) -> tensor<1x44x8xf32>
  return %0, %1, %2 : tensor<1x48x8xf32>, tensor<1x46x8xf32>, tensor<1x44x8xf32>
}
