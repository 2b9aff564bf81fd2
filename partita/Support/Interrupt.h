//===- Interrupt.h - asks whether the user wants an end -------------------===//

#ifndef PARTITA_SUPPORT_INTERRUPT_H
#define PARTITA_SUPPORT_INTERRUPT_H

namespace partita {

/// From now on the first SIGINT is only noted, so that long work can end with what it has; a second one ends the
/// process as usual.
void catchInterrupts();

/// Whether there was one since.
bool isInterrupted();

} // namespace partita

#endif
