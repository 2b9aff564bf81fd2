// What a device computes of ../uniform_pieces.mlir: products of pieces that devices pass on.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x6xf32> {jax.result_info = "out.y0", sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, tensor<8x6xf32> {jax.result_info = "out.y4", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"a"}]>] out_shardings=[<@mesh, [{}, {"a"}]>, <@mesh, [{"a"}, {}]>] manual_axes={"a"} (%arg2: tensor<6x8xf32>, %arg3: tensor<6x6xf32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<0> : tensor<1x4x6xui8>
      %3 = "stablehlo.gather"(%arg2, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<1x4x6xui8>) -> tensor<4x6xf32>
      %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %5:2 = stablehlo.optimization_barrier %3, %arg3 : tensor<4x6xf32>, tensor<6x6xf32>
      %6 = stablehlo.dot_general %5#0, %5#1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %7:2 = stablehlo.optimization_barrier %4, %arg3 : tensor<4x6xf32>, tensor<6x6xf32>
      %8 = stablehlo.dot_general %7#0, %7#1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
      %9 = stablehlo.concatenate %6, %8, %6, %8, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<16x6xf32>
      %c_0 = stablehlo.constant dense<-4> : tensor<i64>
      %10 = stablehlo.multiply %2, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<8> : tensor<i64>
      %11 = stablehlo.add %10, %c_1 : tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %12 = stablehlo.dynamic_slice %9, %11, %c_2, sizes = [8, 6] : (tensor<16x6xf32>, tensor<i64>, tensor<i64>) -> tensor<8x6xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x9xf32>
      %c_3 = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
      %14 = stablehlo.dynamic_slice %c_3, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %15 = stablehlo.reshape %14 : (tensor<1xi64>) -> tensor<i64>
      %c_4 = stablehlo.constant dense<0> : tensor<i64>
      %16 = stablehlo.dynamic_slice %12, %c_4, %15, sizes = [8, 3] : (tensor<8x6xf32>, tensor<i64>, tensor<i64>) -> tensor<8x3xf32>
      %c_5 = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
      %17 = stablehlo.dynamic_slice %c_5, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %18 = stablehlo.reshape %17 : (tensor<1xi64>) -> tensor<i64>
      %c_6 = stablehlo.constant dense<0> : tensor<i64>
      %19 = stablehlo.dynamic_update_slice %13, %16, %c_6, %18 : (tensor<8x9xf32>, tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<8x9xf32>
      %c_7 = stablehlo.constant dense<0> : tensor<i64>
      %c_8 = stablehlo.constant dense<0> : tensor<i64>
      %20 = stablehlo.dynamic_slice %12, %c_8, %c_7, sizes = [8, 3] : (tensor<8x6xf32>, tensor<i64>, tensor<i64>) -> tensor<8x3xf32>
      %21 = "stablehlo.collective_permute"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<8x3xf32>) -> tensor<8x3xf32>
      %c_9 = stablehlo.constant dense<[3, 0]> : tensor<2xi64>
      %22 = stablehlo.dynamic_slice %c_9, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %23 = stablehlo.reshape %22 : (tensor<1xi64>) -> tensor<i64>
      %c_10 = stablehlo.constant dense<0> : tensor<i64>
      %24 = stablehlo.dynamic_update_slice %19, %21, %c_10, %23 : (tensor<8x9xf32>, tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<8x9xf32>
      %25 = stablehlo.slice %24 [0:8, 3:6] : (tensor<8x9xf32>) -> tensor<8x3xf32>
      sdy.return %25, %3 : tensor<8x3xf32>, tensor<4x6xf32>
    } : (tensor<6x8xf32>, tensor<6x12xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>)
    return %0#0, %0#1 : tensor<8x6xf32>, tensor<8x6xf32>
  }
}
