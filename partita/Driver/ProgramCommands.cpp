//===- ProgramCommands.cpp - commands about a program or a machine --------===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Driver/Commands.h"
#include "partita/Driver/Stages.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Program/ProgramText.h"
#include "partita/Program/Reader.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Report/AnalysisText.h"

namespace partita::driver {

Status runImport(const ImportCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  std::string text = clock.run("print", [&] { return printProgram(**module, options.locations); });
  return emit(options.common, std::move(text));
}

Status runRules(const RulesCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  Result<UserRules> userRules = parseUserRules(options.flatten.rules);
  if (!userRules)
    return userRules.error();
  Result<std::string> text = clock.run("rules", [&] { return printRules(**module, *userRules); });
  if (!text)
    return text.error();
  return emit(options.common, std::move(*text));
}

Status runGraph(const GraphCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  Result<Graph> graph = readGraphFile(files.front(), options.common, clock);
  if (!graph)
    return graph.error();
  return emit(options.common, printGraph(*graph));
}

/// Reads a flat program (`.json`), or imports and flattens a StableHLO program.
static Result<Graph> readOrFlatten(const AnalyzeCommand &options, llvm::StringRef path, StageClock &clock) {
  if (path.ends_with(".json"))
    return readGraphFile(path, options.common, clock);
  auto context = makeContext();
  auto module = importFile(path, *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  auto flattened = clock.run("flatten", [&] { return flatten(**module, options.flatten); });
  if (!flattened)
    return flattened.error();
  return std::move(flattened->graph);
}

Status runAnalyze(const AnalyzeCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  Result<Graph> graph = readOrFlatten(options, files.front(), clock);
  if (!graph)
    return graph.error();
  setActivity("analyzing the program");
  std::string text = clock.run("analyze", [&] {
    Analysis analysis(*graph);
    return options.json ? printAnalysisJson(analysis) : printAnalysis(analysis);
  });
  return emit(options.common, std::move(text));
}

Status runMachines(const MachinesCommand &options, Operands names) {
  MachineQuery query = options.query;
  if (!names.empty())
    query.machine = names.front();
  Result<std::string> text = answerMachineQuery(query);
  if (!text)
    return text.error();
  return emit(options.common, std::move(*text));
}

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

Status runDemo(const DemoCommand &options, Operands) {
  auto context = makeContext();
  auto module = parseProgram(example, "<demo>", *context, options.common.limits);
  if (!module)
    return module.error();
  if (Status error = importProgram(**module, ImportOptions(), options.common.limits))
    return error;
  return emit(options.common, "A two-layer network's training step, as JAX lowers it:\n" + std::string(example) +
                                  "\nThe same in normal form (calls inlined; what the partitioner will see):\n\n" +
                                  printProgram(**module, /*withLocations=*/false) + "\n");
}

} // namespace partita::driver
