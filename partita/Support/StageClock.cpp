//===- StageClock.cpp - measures how long each stage of a run takes -------===//

#include "partita/Support/StageClock.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

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

} // namespace partita
