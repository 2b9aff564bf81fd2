//===- Pipeline.h - the stages, one after the other -----------------------===//
//
// Each stage is a call from a room; this is the only place that knows their
// order. Every stage runs through `StageClock`, which times it and notes what is
// being done.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_PIPELINE_H
#define PARTITA_DRIVER_PIPELINE_H

#include "partita/Driver/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <chrono>

namespace partita {

/// Times the stages of one run; prints them as they end if `--timing` asks for it.
class StageClock {
public:
  explicit StageClock(bool prints) : prints(prints) {}

  template <typename Work> auto run(llvm::StringRef stage, Work work) {
    Moment start = now();
    auto result = work();
    if (prints)
      print(stage, start, now());
    return result;
  }

private:
  /// By the clock on the wall, and in time that the processor spent on this process.
  struct Moment {
    std::chrono::steady_clock::time_point wall;
    double processorMs = 0;
  };

  static Moment now();
  static void print(llvm::StringRef stage, const Moment &start, const Moment &end);

  bool prints;
};

/// A context that knows all dialects and allows no others.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Reads `path` and brings it to the normal form.
Result<mlir::OwningOpRef<mlir::ModuleOp>> runImport(llvm::StringRef path, mlir::MLIRContext &context,
                                                    const Options &options, StageClock &clock);

/// The program as text, as `options` ask for it.
std::string printProgram(mlir::ModuleOp module, const Options &options);

} // namespace partita

#endif
