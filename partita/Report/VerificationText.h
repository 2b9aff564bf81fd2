//===- VerificationText.h - result of `partita verify` as text and JSON ---===//

#ifndef PARTITA_REPORT_VERIFICATIONTEXT_H
#define PARTITA_REPORT_VERIFICATIONTEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Verify/StaticCheck.h"
#include "partita/Verify/Verify.h"

namespace partita::report {

/// The result as a JSON object on one line.
std::string printVerificationJson(const Verification &found);

/// The result in words; empty for a difference, which toStatus reports as an error.
std::string printVerification(const Verification &found);

/// The error with exit code 1 for a difference.
Status toStatus(const Verification &found);

/// The same for the static check; the text says that nothing was executed.
std::string printStaticCheckJson(const StaticCheck &found);
std::string printStaticCheck(const StaticCheck &found);

} // namespace partita::report

#endif
