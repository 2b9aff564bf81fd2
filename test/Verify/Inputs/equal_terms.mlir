module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a"} (%u: tensor<1x4xf32>, %v: tensor<1x4xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %two = stablehlo.constant dense<2> : tensor<i64>
      %a = stablehlo.broadcast_in_dim %u, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
      %b = stablehlo.broadcast_in_dim %v, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
      %start = stablehlo.multiply %number, %two : tensor<i64>
      %columns = stablehlo.dynamic_slice %a, %zero, %start, sizes = [3, 2] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
      %own = stablehlo.dot_general %columns, %b, contracting_dims = [0] x [0] : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %next = stablehlo.add %number, %one : tensor<i64>
      %turned = stablehlo.remainder %next, %two : tensor<i64>
      %behind = stablehlo.multiply %turned, %two : tensor<i64>
      %others = stablehlo.dynamic_slice %a, %zero, %behind, sizes = [3, 2] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
      %other = stablehlo.dot_general %others, %b, contracting_dims = [0] x [0] : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %arrived = "stablehlo.collective_permute"(%other) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %sum = stablehlo.add %own, %arrived : tensor<2x4xf32>
      %more = stablehlo.add %sum, %arrived : tensor<2x4xf32>
      sdy.return %sum : tensor<2x4xf32>
    } : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
