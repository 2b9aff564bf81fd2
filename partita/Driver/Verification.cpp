//===- Verification.cpp - `partita verify` --------------------------------===//

#include "partita/Driver/Verification.h"

#include "partita/Evaluate/Relation/RelationCheck.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace partita {

using evaluate::Mismatch;
using evaluate::Verification;

/// JSON has no infinity.
static llvm::json::Value toJson(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static void writeMismatch(llvm::json::OStream &json, const Mismatch &mismatch) {
  json.attributeObject("difference", [&] {
    json.attribute("mode", mismatch.mode);
    json.attribute("result", mismatch.result);
    json.attribute("name", mismatch.name);
    json.attribute("device", mismatch.device);
    json.attribute("index", llvm::json::Array(mismatch.index));
    json.attribute("expected", mismatch.expected);
    json.attribute("actual", mismatch.actual);
    json.attribute("loc", mismatch.place.str());
    json.attribute("note", mismatch.note);
  });
}

std::string printVerificationJson(const Verification &found) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("equal", found.isEqual());
    json.attribute("mode", found.mode);
    json.attribute("worst", toJson(found.worst));
    json.attribute("split_ops", found.splitOps);
    json.attribute("collectives", found.collectives);
    json.attribute("vacuous", found.isVacuous());
    if (found.mismatch)
      writeMismatch(json, *found.mismatch);
  });
  return text + "\n";
}

std::string printVerification(const Verification &found) {
  if (found.mismatch)
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "equal (" << found.mode << "): " << found.splitOps << " split ops, " << found.collectives << " collectives";
  if (found.mode != "ring")
    out << "; the largest error is " << llvm::format("%.3g", found.worst) << " of its bound";
  out << "\n";
  if (found.isVacuous())
    out << "nothing is split: every device computes the whole program\n";
  return text;
}

Status toStatus(const Verification &found) {
  if (!found.mismatch)
    return std::nullopt;
  Error error = Error::badInput(found.mismatch->place, found.mismatch->str());
  error.code = ExitCode::Difference;
  return error;
}

Status checkStatically(mlir::ModuleOp original, mlir::ModuleOp local, const std::vector<std::string> &rules) {
  Result<UserRules> userRules = parseUserRules(rules);
  if (!userRules)
    return userRules.error();
  Status error = evaluate::checkRelation(original, local, *userRules);
  if (error && error->code == ExitCode::BadInput)
    error->code = ExitCode::Difference;
  return error;
}

} // namespace partita
