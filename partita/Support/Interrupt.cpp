//===- Interrupt.cpp - asks whether the user wants an end -----------------===//

#include "partita/Support/Interrupt.h"

#include <csignal>

namespace partita {

/// Signals are the process's: there is no other place for this.
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
