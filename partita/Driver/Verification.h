//===- Verification.h - `partita verify` ----------------------------------===//

#ifndef PARTITA_DRIVER_VERIFICATION_H
#define PARTITA_DRIVER_VERIFICATION_H

#include "partita/Evaluate/Relation/RelationCheck.h"
#include "partita/Evaluate/Verify.h"

namespace partita {

/// What was found, as a JSON object on one line.
std::string printVerificationJson(const evaluate::Verification &found);

/// What was found, in words; nothing of a difference, which is an error.
std::string printVerification(const evaluate::Verification &found);

/// The error with exit code 1 for a difference.
Status toStatus(const evaluate::Verification &found);

/// What the static check found.
struct StaticCheck {
  evaluate::RelationCounts counts;
  /// Collectives in the local program.
  int64_t collectives = 0;
  /// Why the local program is refused: exit code 1.
  Status difference;
};

/// The static check alone; an error where it does not know programs of this form. `rules` are those of --rule.
Result<StaticCheck> checkStatically(mlir::ModuleOp original, mlir::ModuleOp local,
                                    const std::vector<std::string> &rules);

/// As of what was executed, and that nothing was.
std::string printStaticCheckJson(const StaticCheck &found);
std::string printStaticCheck(const StaticCheck &found);

} // namespace partita

#endif
