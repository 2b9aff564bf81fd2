//===- Interrupt.h - remembers that the user pressed Ctrl-C ---------------===//

#ifndef PARTITA_SUPPORT_INTERRUPT_H
#define PARTITA_SUPPORT_INTERRUPT_H

namespace partita {

/// From now on the first SIGINT is only noted, so that long work can stop and return its best result so far. A second
/// SIGINT ends the process as usual.
void catchInterrupts();

/// Whether a SIGINT arrived since `catchInterrupts`.
bool isInterrupted();

} // namespace partita

#endif
