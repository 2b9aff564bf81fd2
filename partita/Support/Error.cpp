//===- Error.cpp - what went wrong, where, and what to do about it --------===//

#include "partita/Support/Error.h"

namespace partita {

std::string Place::str() const {
  if (line == 0)
    return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

static Error makeError(ExitCode code, Place place, std::string reason) {
  Error error;
  error.code = code;
  error.place = std::move(place);
  error.reason = std::move(reason);
  return error;
}

Error Error::usage(std::string reason) { return makeError(ExitCode::Usage, {}, std::move(reason)); }

Error Error::badInput(Place place, std::string reason) {
  return makeError(ExitCode::BadInput, std::move(place), std::move(reason));
}

Error Error::unsupported(Place place, std::string reason) {
  return makeError(ExitCode::Unsupported, std::move(place), std::move(reason));
}

Error Error::limit(Place place, std::string reason) {
  return makeError(ExitCode::Limit, std::move(place), std::move(reason));
}

Error Error::cannotReadOrWrite(Place place, std::string reason) {
  return makeError(ExitCode::CannotReadOrWrite, std::move(place), std::move(reason));
}

Error Error::internal(std::string reason) { return makeError(ExitCode::Internal, {}, std::move(reason)); }

std::string Error::str() const {
  std::string where = place.str();
  std::string text = (where.empty() ? "partita" : where) + ": error: " + reason;
  if (!remedy.empty())
    text += "\n  remedy: " + remedy;
  return text;
}

} // namespace partita
