//===- Verification.h - `partita verify` ----------------------------------===//

#ifndef PARTITA_DRIVER_VERIFICATION_H
#define PARTITA_DRIVER_VERIFICATION_H

#include "partita/Evaluate/Verify.h"

namespace partita {

/// What was found, as a JSON object on one line.
std::string printVerificationJson(const evaluate::Verification &found);

/// What was found, in words; nothing of a difference, which is an error.
std::string printVerification(const evaluate::Verification &found);

/// The error with exit code 1 for a difference.
Status toStatus(const evaluate::Verification &found);

/// The static check alone: what it refuses is a difference, exit code 1. `rules` are those of --rule.
Status checkStatically(mlir::ModuleOp original, mlir::ModuleOp local, const std::vector<std::string> &rules);

} // namespace partita

#endif
