//===- Interrupt.cpp - remembers that the user pressed Ctrl-C -------------===//

#include "partita/Support/Interrupt.h"

#include <csignal>

namespace partita {

/// Global because signals belong to the process.
static volatile std::sig_atomic_t wasInterrupted = 0;

static void note(int) {
  wasInterrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

void catchInterrupts() {
  wasInterrupted = 0;
  std::signal(SIGINT, note);
}

bool isInterrupted() { return wasInterrupted != 0; }

} // namespace partita
