//===- Demo.cpp - what import does to an embedded example -----------------===//

#include "partita/Report/Demo.h"

#include "partita/Program/Import/Import.h"
#include "partita/Program/ProgramText.h"
#include "partita/Program/Reader.h"

namespace partita::report {

/// One step of gradient descent on a two-layer network, as JAX writes it: nested jits are calls.
static constexpr const char *example = R"mlir(
module @jit_train_step {
  func.func public @main(
      %w1: tensor<64x256xf32> {tf.aliasing_output = 0 : i32} loc("params['w1']"),
      %w2: tensor<256x64xf32> {tf.aliasing_output = 1 : i32} loc("params['w2']"),
      %x: tensor<32x64xf32> loc("batch['x']"))
      -> (tensor<64x256xf32> {jax.result_info = "result[0]['w1']"}, tensor<256x64xf32> {jax.result_info = "result[0]['w2']"}) {
    %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %r = call @relu(%h) : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %y = stablehlo.dot_general %r, %w2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
    %e = stablehlo.subtract %y, %x : tensor<32x64xf32>
    %g2 = stablehlo.dot_general %r, %e, contracting_dims = [0] x [0] : (tensor<32x256xf32>, tensor<32x64xf32>) -> tensor<256x64xf32>
    %dr = stablehlo.dot_general %e, %w2, contracting_dims = [1] x [1] : (tensor<32x64xf32>, tensor<256x64xf32>) -> tensor<32x256xf32>
    %g1 = stablehlo.dot_general %x, %dr, contracting_dims = [0] x [0] : (tensor<32x64xf32>, tensor<32x256xf32>) -> tensor<64x256xf32>
    %n1 = stablehlo.subtract %w1, %g1 : tensor<64x256xf32>
    %n2 = stablehlo.subtract %w2, %g2 : tensor<256x64xf32>
    return %n1, %n2 : tensor<64x256xf32>, tensor<256x64xf32>
  }
  func.func private @relu(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<32x256xf32>
    %r = stablehlo.maximum %x, %zeros : tensor<32x256xf32>
    return %r : tensor<32x256xf32>
  }
}
)mlir";

Result<std::string> printDemo(mlir::MLIRContext &context, const Limits &limits) {
  auto module = parseProgram(example, "<demo>", context, limits);
  if (!module)
    return module.error();
  if (Status error = importProgram(**module, ImportOptions(), limits))
    return std::move(*error);
  return "A two-layer network's training step, as JAX lowers it:\n" + std::string(example) +
         "\nThe same in normal form (calls inlined; what the partitioner will see):\n\n" +
         printProgram(**module, /*withLocations=*/false) + "\n";
}

} // namespace partita::report
