//===- Error.h - what went wrong, where, and what to do about it ----------===//
//
// Every failure that input can cause is a value of this type: a location, a
// reason, a remedy, and the exit code of the command-line tool.
//
//   if (sizes.empty())
//     return Error::badInput(location, "the mesh has no axis").withRemedy("write it as data=4,model=2");
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_ERROR_H
#define PARTITA_SUPPORT_ERROR_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace partita {

/// Exit codes of the command-line tool; documented in docs/design.md.
enum class ExitCode : int {
  Done = 0,
  Difference = 1,
  Usage = 2,
  CutShort = 10,
  DoesNotFit = 11,
  Unpriced = 12,
  BadInput = 65,
  Unsupported = 69,
  Internal = 70,
  CannotReadOrWrite = 74,
  Limit = 75,
  Interrupted = 130,
  /// As shells say it: 128 + SIGPIPE.
  ClosedPipe = 141,
};

/// A position in a file, counted from 1; line 0 is the file as a whole.
struct SourceLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  /// `file:line:col`, or `file` alone.
  std::string str() const;
};

struct Error {
  ExitCode code = ExitCode::Internal;
  SourceLocation location;
  std::string reason;
  std::string remedy;

  static Error usage(std::string reason);
  static Error badInput(SourceLocation location, std::string reason);
  static Error unsupported(SourceLocation location, std::string reason);
  static Error limit(SourceLocation location, std::string reason);
  static Error cannotReadOrWrite(SourceLocation location, std::string reason);
  static Error internal(std::string reason);
  /// A comparison found a difference.
  static Error difference(std::string reason, SourceLocation location = {});
  /// The plan was made, but needs more memory than the machine has.
  static Error doesNotFit(std::string reason);
  /// The plan was made, but ops without a price leave its time and fit unknown.
  static Error unpriced(std::string reason);
  /// The search ended early, although it had to be complete.
  static Error cutShort(std::string reason);
  static Error interrupted(std::string reason);

  Error &&withRemedy(std::string text) && {
    remedy = std::move(text);
    return std::move(*this);
  }

  /// `file:line:col: error: reason` and, on a line of its own, the remedy.
  std::string str() const;
};

/// A value, or the error that prevented it.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success, or the error.
using Status = std::optional<Error>;

} // namespace partita

#endif
