//===- Shrink.h - smaller cases that fail alike ---------------------------===//

#ifndef PARTITA_FUZZ_SHRINK_H
#define PARTITA_FUZZ_SHRINK_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

/// Takes away tactics, entries, results, ops and devices as long as the case still gives `verdict`. Each trial runs in
/// a child process.
Case shrinkCase(const Case &input, Verdict verdict);

} // namespace partita::fuzz

#endif
