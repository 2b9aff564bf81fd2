//===- StaticCheck.cpp - checks local programs without running them -------===//

#include "partita/Verify/StaticCheck.h"

#include "partita/Verify/Verify.h"

namespace partita::verify {

Result<StaticCheck> checkStatically(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules) {
  Result<UserRules> userRules = parseUserRules(rules);
  if (!userRules)
    return userRules.error();
  StaticCheck found;
  found.collectives = countCollectiveOps(local);
  Status error = checkRelation(original, local, *userRules, &found.counts);
  if (error && error->code != ExitCode::BadInput)
    return std::move(*error);
  if (error)
    found.difference = Error::difference(error->reason, error->location).withRemedy(error->remedy);
  return found;
}

Result<bool> checkLowered(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules) {
  Result<UserRules> userRules = parseUserRules(rules);
  if (!userRules)
    return userRules.error();
  Status error = checkRelation(original, local, *userRules);
  if (!error)
    return true;
  if (error->code == ExitCode::Unsupported)
    return false;
  Error defect = Error::internal("the local program does not compute what the program does: " + error->reason);
  defect.location = error->location;
  return std::move(defect).withRemedy(
      "this is a defect of Partita; please report it with the program and the schedule. --no-check writes the local "
      "program all the same, and `partita verify` executes it");
}

} // namespace partita::verify
