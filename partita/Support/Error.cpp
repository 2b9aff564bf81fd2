//===- Error.cpp - what went wrong, where, and what to do about it --------===//

#include "partita/Support/Error.h"

namespace partita {

std::string SourceLocation::str() const {
  if (line == 0)
    return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

static Error makeError(ExitCode code, SourceLocation location, std::string reason) {
  Error error;
  error.code = code;
  error.location = std::move(location);
  error.reason = std::move(reason);
  return error;
}

Error Error::usage(std::string reason) { return makeError(ExitCode::Usage, {}, std::move(reason)); }

Error Error::badInput(SourceLocation location, std::string reason) {
  return makeError(ExitCode::BadInput, std::move(location), std::move(reason));
}

Error Error::unsupported(SourceLocation location, std::string reason) {
  return makeError(ExitCode::Unsupported, std::move(location), std::move(reason));
}

Error Error::limit(SourceLocation location, std::string reason) {
  return makeError(ExitCode::Limit, std::move(location), std::move(reason));
}

Error Error::cannotReadOrWrite(SourceLocation location, std::string reason) {
  return makeError(ExitCode::CannotReadOrWrite, std::move(location), std::move(reason));
}

Error Error::internal(std::string reason) { return makeError(ExitCode::Internal, {}, std::move(reason)); }

Error Error::difference(std::string reason, SourceLocation location) {
  return makeError(ExitCode::Difference, std::move(location), std::move(reason));
}

Error Error::doesNotFit(std::string reason) { return makeError(ExitCode::DoesNotFit, {}, std::move(reason)); }

Error Error::unpriced(std::string reason) { return makeError(ExitCode::Unpriced, {}, std::move(reason)); }

Error Error::cutShort(std::string reason) { return makeError(ExitCode::CutShort, {}, std::move(reason)); }

Error Error::interrupted(std::string reason) { return makeError(ExitCode::Interrupted, {}, std::move(reason)); }

std::string Error::str() const {
  std::string where = location.str();
  std::string text = (where.empty() ? "partita" : where) + ": error: " + reason;
  if (!remedy.empty())
    text += "\n  remedy: " + remedy;
  return text;
}

} // namespace partita
