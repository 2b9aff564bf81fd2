//===- JsonFuzzer.cpp - libFuzzer on the JSON reader ----------------------===//
//
// Any bytes must give a value or an error with a location inside the text.
// Reads numbers through both accessors, since these parse the text again.
//
//===----------------------------------------------------------------------===//

#include "partita/Support/Json.h"

#include <cstdlib>

using namespace partita;

/// Reads every number of `value`; positions must lie inside the text.
static void visit(const JsonValue &value, unsigned lines) {
  if (value.line < 1 || value.line > lines || value.column < 1)
    std::abort();
  if (value.kind == JsonValue::Kind::Number) {
    (void)value.getInteger();
    (void)value.getDouble();
  }
  for (const JsonValue &element : value.elements)
    visit(element, lines);
  for (const JsonMember &member : value.members) {
    // Names are unique, so that the member found by name is this one.
    if (value.find(member.name) != &member.value)
      std::abort();
    visit(member.value, lines);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  unsigned lines = text.count('\n') + 1;
  Result<JsonValue> value = parseJson(text, "input.json");
  if (value)
    visit(*value, lines);
  else if (value.error().location.line > lines || value.error().reason.empty())
    std::abort();
  return 0;
}
