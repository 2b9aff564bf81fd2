//===- Json.h - JSON that keeps order and positions -----------------------===//
//
// Files that people write (schedules, machines, plans) are read with this
// reader: object members keep their order, duplicates are errors, and every
// value knows its line and column, so that an error can name its location.
// Writing goes through llvm::json::OStream, which keeps order as well.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_JSON_H
#define PARTITA_SUPPORT_JSON_H

#include "partita/Support/Error.h"

#include <cstdint>
#include <vector>

namespace partita {

struct JsonMember;

struct JsonValue {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Null;
  unsigned line = 0;
  unsigned column = 0;
  bool boolean = false;
  /// A string's contents, or a number as it was written.
  std::string text;
  std::vector<JsonValue> elements;
  std::vector<JsonMember> members;

  /// The member of that name, or null.
  const JsonValue *find(llvm::StringRef name) const;

  /// The number as an integer; nothing if it is not one, or too large.
  std::optional<int64_t> getInteger() const;
  /// The number as a double; nothing if it is not a number or not finite.
  std::optional<double> getDouble() const;
};

struct JsonMember {
  std::string name;
  unsigned line = 0;
  unsigned column = 0;
  JsonValue value;
};

/// The parser refuses text that is nested deeper.
inline constexpr unsigned maxJsonDepth = 512;

/// The value that `text` holds. `file` is used in errors only.
Result<JsonValue> parseJson(llvm::StringRef text, llvm::StringRef file);

} // namespace partita

#endif
