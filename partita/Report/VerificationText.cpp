//===- VerificationText.cpp - result of `partita verify` as text and JSON -===//

#include "partita/Report/VerificationText.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace partita::report {

static constexpr llvm::StringLiteral nothingIsSplit = "nothing is split: every device computes the whole program\n";

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
    json.attribute("loc", mismatch.location.str());
    json.attribute("note", mismatch.note);
  });
}

std::string printVerificationJson(const Verification &found) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("equal", found.isEqual());
    json.attribute("executed", true);
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
    out << nothingIsSplit;
  return text;
}

Status toStatus(const Verification &found) {
  if (!found.mismatch)
    return std::nullopt;
  return Error::difference(found.mismatch->str(), found.mismatch->location);
}

static void writeCounts(llvm::json::OStream &json, const StaticCheck &found) {
  json.attribute("worst", nullptr);
  json.attribute("values", found.counts.values);
  json.attribute("ops", found.counts.ops);
  json.attribute("split_ops", found.counts.splitOps);
  json.attribute("collectives", found.collectives);
  json.attribute("vacuous", found.counts.splitOps == 0);
}

static void writeDifference(llvm::json::OStream &json, const Error &difference) {
  json.attributeObject("difference", [&] {
    json.attribute("mode", "relation");
    json.attribute("loc", difference.location.str());
    json.attribute("note", difference.reason);
  });
}

std::string printStaticCheckJson(const StaticCheck &found) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("equal", !found.difference);
    json.attribute("executed", false);
    json.attribute("mode", "relation");
    if (found.difference)
      writeDifference(json, *found.difference);
    else
      writeCounts(json, found);
  });
  return text + "\n";
}

std::string printStaticCheck(const StaticCheck &found) {
  if (found.difference)
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "equal (relation): " << found.counts.values << " values are pieces of the original's, " << found.counts.ops
      << " ops, " << found.counts.splitOps << " split ops, " << found.collectives << " collectives\n"
      << "nothing was run: each op was held against its rule\n";
  if (found.counts.splitOps == 0)
    out << nothingIsSplit;
  return text;
}

} // namespace partita::report
