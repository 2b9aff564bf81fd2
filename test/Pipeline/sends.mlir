// Products in parts over `model`: all devices of a stage have the same activations. A search tries to send a part from
// each of them. (Here it is as fast, within the error, to have no device compute with all rows.)
// RUN: echo '{"tactics": [{"name": "PP", "axis": "pipe", "pipeline": ["layers/.*"], "microbatches": 4}, {"name": "MP", "axis": "model", "tile": [["layers/up", 2], ["layers/down", 1]]}, {"name": "rest", "auto": {"goals": ["time"]}, "axes": ["model"]}]}' > %t.json
// RUN: echo '{"base": "h100-sxm:2x2", "name": "slow", "levels": {"node": {"bytes_per_second": "5 GB/s"}}}' > %t.machine.json
// RUN: partita plan %s --schedule %t.json --mesh pipe=2,model=2 --machine %t.machine.json | FileCheck %s
// CHECK: with single ops at pipeline_shift over model
module @layers {
  func.func public @main(%up: tensor<4x1024x4096xbf16> loc("layers/up"), %down: tensor<4x4096x1024xbf16> loc("layers/down"), %x: tensor<8192x1024xbf16> loc("batch")) -> tensor<8192x1024xbf16> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<8192x1024xbf16>
    cond {
      %end = stablehlo.constant dense<4> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %start = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.dynamic_slice %up, %i, %start, %start, sizes = [1, 1024, 4096] : (tensor<4x1024x4096xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xbf16>
      %2 = stablehlo.reshape %1 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %3 = stablehlo.dynamic_slice %down, %i, %start, %start, sizes = [1, 4096, 1024] : (tensor<4x4096x1024xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x1024xbf16>
      %4 = stablehlo.reshape %3 : (tensor<1x4096x1024xbf16>) -> tensor<4096x1024xbf16>
      %5 = stablehlo.dot_general %h, %2, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<8192x4096xbf16>
      %6 = stablehlo.tanh %5 : tensor<8192x4096xbf16>
      %7 = stablehlo.dot_general %6, %4, contracting_dims = [1] x [0] : (tensor<8192x4096xbf16>, tensor<4096x1024xbf16>) -> tensor<8192x1024xbf16>
      %8 = stablehlo.add %7, %h : tensor<8192x1024xbf16>
      %following = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %following, %8 : tensor<i32>, tensor<8192x1024xbf16>
    }
    return %0#1 : tensor<8192x1024xbf16>
  }
}
