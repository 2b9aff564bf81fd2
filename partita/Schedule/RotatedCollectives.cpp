//===- RotatedCollectives.cpp - collectives of a loop in other iterations -===//

#include "partita/Schedule/RotatedCollectives.h"

#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::schedule {

static Error refuse(const JsonValue &at, llvm::StringRef file, std::string reason, std::string remedy = "") {
  return Error::badInput({file.str(), at.line, at.column}, std::move(reason)).withRemedy(std::move(remedy));
}

static Result<RotatedCollective> readOne(const JsonValue &json, llvm::StringRef file) {
  constexpr llvm::StringRef known[] = {"value", "user"};
  if (json.kind != JsonValue::Kind::Object)
    return refuse(json, file, "expected an object");
  for (const JsonMember &member : json.members)
    if (!llvm::is_contained(known, member.name))
      return refuse(member.value, file, "unknown member \"" + member.name + "\"",
                    adviseName(member.name, known, "known"));
  RotatedCollective rotated;
  rotated.location = {file.str(), json.line, json.column};
  for (auto [key, text] : {std::pair(known[0], &rotated.value), std::pair(known[1], &rotated.user)}) {
    const JsonValue *found = json.find(key);
    if (!found && key == "user")
      continue;
    if (!found)
      return refuse(json, file, "the member \"" + key.str() + "\" is missing");
    if (found->kind != JsonValue::Kind::String)
      return refuse(*found, file, "expected the name of a value");
    *text = found->text;
  }
  return rotated;
}

Result<std::vector<RotatedCollective>> readRotated(const JsonValue &json, llvm::StringRef file) {
  if (json.kind != JsonValue::Kind::Array)
    return refuse(json, file, "\"rotate\" must be a list");
  std::vector<RotatedCollective> all;
  for (const JsonValue &element : json.elements) {
    Result<RotatedCollective> one = readOne(element, file);
    if (!one)
      return one.error();
    all.push_back(std::move(*one));
  }
  return all;
}

void writeRotated(llvm::ArrayRef<RotatedCollective> rotated, llvm::json::OStream &json) {
  json.array([&] {
    for (const RotatedCollective &each : rotated)
      json.object([&] {
        json.attribute("value", each.value);
        if (!each.user.empty())
          json.attribute("user", each.user);
      });
  });
}

} // namespace partita::schedule
