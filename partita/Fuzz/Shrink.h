//===- Shrink.h - makes a failing case smaller ----------------------------===//
//
// A smaller case that fails with the same verdict is easier to debug. The
// search tries one removal after the other and keeps those that still fail.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_SHRINK_H
#define PARTITA_FUZZ_SHRINK_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

/// Removes rewrites, tactics, entries, results, ops and devices as long as the case still fails as `outcome` says: with
/// that verdict, and with a reason that begins alike. Each trial runs in a child process.
Case shrinkCase(const Case &input, const CaseOutcome &outcome);

} // namespace partita::fuzz

#endif
