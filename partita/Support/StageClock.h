//===- StageClock.h - measures how long each stage of a run takes ---------===//

#ifndef PARTITA_SUPPORT_STAGECLOCK_H
#define PARTITA_SUPPORT_STAGECLOCK_H

#include "llvm/ADT/StringRef.h"

#include <chrono>

namespace partita {

/// Times the stages of one run. If `prints`, writes one JSON object per stage to standard error when the stage ends:
/// `{"stage": "parse", "ms": 12.3, "cpu_ms": 11.9}`.
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
  /// Wall-clock time, and processor time of this process.
  struct Moment {
    std::chrono::steady_clock::time_point wall;
    double processorMs = 0;
  };

  static Moment now();
  static void print(llvm::StringRef stage, const Moment &start, const Moment &end);

  bool prints;
};

} // namespace partita

#endif
