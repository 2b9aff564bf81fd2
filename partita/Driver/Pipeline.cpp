//===- Pipeline.cpp - the stages, one after the other ---------------------===//

#include "partita/Driver/Pipeline.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Program/BooleanHex.h"
#include "partita/Program/NamesFile.h"
#include "partita/Program/Reader.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace mlir;

namespace partita {

StageClock::Moment StageClock::now() {
  timespec processor = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
  return {std::chrono::steady_clock::now(), double(processor.tv_sec) * 1e3 + double(processor.tv_nsec) * 1e-6};
}

void StageClock::print(llvm::StringRef stage, const Moment &start, const Moment &end) {
  double ms = std::chrono::duration<double, std::milli>(end.wall - start.wall).count();
  llvm::errs() << "{\"stage\": \"" << stage << "\", \"ms\": " << llvm::format("%.3f", ms)
               << ", \"cpu_ms\": " << llvm::format("%.3f", end.processorMs - start.processorMs) << "}\n";
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// Those of `--names`.
static Status giveNames(ModuleOp module, const Options &options) {
  if (options.names.empty())
    return std::nullopt;
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(options.names, options.limits);
  if (!buffer)
    return buffer.error();
  Result<JsonValue> names = parseJson((*buffer)->getBuffer(), options.names);
  return names ? applyNames(module, *names, options.names) : names.error();
}

Result<OwningOpRef<ModuleOp>> runImport(llvm::StringRef path, MLIRContext &context, const Options &options,
                                        StageClock &clock) {
  auto module = clock.run("parse", [&] { return readProgram(path, context, options.limits); });
  if (!module)
    return module;
  Status error = clock.run("import", [&] { return importProgram(**module, options.import, options.limits); });
  if (error) {
    if (error->place.file.empty())
      error->place.file = path.str();
    return std::move(*error);
  }
  if (Status wrong = giveNames(**module, options))
    return std::move(*wrong);
  return module;
}

std::string printProgram(ModuleOp module, const Options &options) {
  OpPrintingFlags flags;
  // Whatever is printed was verified when it was made.
  flags.assumeVerified();
  if (options.locations)
    flags.enableDebugInfo();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return unpackBooleanHex(std::move(text), BooleanText::Words);
}

} // namespace partita
