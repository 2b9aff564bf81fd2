//===- Containment.h - turns a crash of the work into an error message ----===//
//
// The command-line tool does its work in a child process, on a large stack. If
// the child dies of a signal, the parent says what was being done and where a
// reproducer was saved, and exits with code 70. Never used inside Python's
// process.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_CONTAINMENT_H
#define PARTITA_SUPPORT_CONTAINMENT_H

#include "partita/Support/OptionTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace partita {

/// Notes what the process is doing, for the parent's message. Cheap; may also be called without containment.
void setActivity(llvm::StringRef activity);

/// The process that started the tool.
struct ContainmentOptions {
  /// A process that waits for the tool; the tool ends when it ends. 0: none.
  int64_t caller = 0;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"caller", "process", "Number of a process: the command ends when that process does"}, caller, 0,
                    INT32_MAX);
  }
};

/// From now on this process ends when `caller`, which started it, ends; at once if it has ended already. The system
/// watches the thread of the caller that started this process, so that thread must be the one that waits.
void endWithCaller(int64_t caller);

struct Contained {
  /// The work's own exit code, or ExitCode::Internal after a crash.
  int exitCode;
  /// Empty unless it crashed: the message for the user.
  std::string crash;
};

/// Runs `work` in a child process and waits for it. After a crash, saves a reproducer (the command, and those of the
/// files `inputs` that can be read) in a new folder below `reproducerFolder`.
Contained runContained(llvm::function_ref<int()> work, llvm::ArrayRef<std::string> command,
                       llvm::ArrayRef<std::string> inputs, llvm::StringRef reproducerFolder);

/// Runs `work` on a stack large enough for any input within the default limits.
int runOnLargeStack(llvm::function_ref<int()> work);

} // namespace partita

#endif
