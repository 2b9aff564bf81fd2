//===- partita-opt.cpp - reads, checks, transforms and prints programs ----===//
//
// For developers of Partita: mlir-opt with our dialects and passes. Input is
// checked before MLIR's parser sees it, and parsed on a large stack.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Lower/Passes.h"
#include "partita/Program/BooleanHex.h"
#include "partita/Program/InputCheck.h"
#include "partita/Program/Passes/Passes.h"
#include "partita/Support/Containment.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Runs mlir-opt's main after checking the input.
static LogicalResult run(StringRef inputFile, StringRef outputFile, DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return failure();
  }
  partita::Limits limits;
  limits.maxFileBytes = INT64_MAX;
  // Text that mlir-opt accepts but our commands refuse (an empty module) stays allowed here.
  if (partita::Status refused = partita::program::checkProgramBytes(input->getBuffer(), inputFile, limits))
    if (!input->getBuffer().trim().empty()) {
      llvm::errs() << refused->str() << "\n";
      return failure();
    }
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (!partita::program::isBytecode(input->getBuffer()))
    if (std::optional<std::string> packed = partita::program::packBooleanHex(input->getBuffer()))
      input = llvm::MemoryBuffer::getMemBufferCopy(*packed, input->getBufferIdentifier());
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result = MlirOptMain(stream, std::move(input), registry, MlirOptMainConfig::createFromCLOptions());
  if (!partita::program::isBytecode(text))
    text = partita::program::unpackBooleanHex(std::move(text), partita::program::BooleanText::Bytes);
  output->os() << text;
  if (succeeded(result))
    output->keep();
  return result;
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  partita::registerAllDialects(registry);
  partita::program::registerPasses();
  partita::lower::registerLowerPasses();
  registerTransformsPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Partita's program workbench\n", registry);
  return partita::runOnLargeStack([&] { return asMainReturnCode(run(input, output, registry)); });
}
