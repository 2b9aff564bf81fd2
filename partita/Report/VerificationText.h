//===- VerificationText.h - `partita verify` -----------------------------===//

#ifndef PARTITA_REPORT_VERIFICATIONTEXT_H
#define PARTITA_REPORT_VERIFICATIONTEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Verify/StaticCheck.h"
#include "partita/Verify/Verify.h"

namespace partita::report {

/// What was found, as a JSON object on one line.
std::string printVerificationJson(const Verification &found);

/// What was found, in words; nothing of a difference, which is an error.
std::string printVerification(const Verification &found);

/// The error with exit code 1 for a difference.
Status toStatus(const Verification &found);

/// As of what was executed, and that nothing was.
std::string printStaticCheckJson(const StaticCheck &found);
std::string printStaticCheck(const StaticCheck &found);

} // namespace partita::report

#endif
