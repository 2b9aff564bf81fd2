//===- PiecedCollectives.cpp - gathers and scatters beside products -------===//

#include "partita/Schedule/PiecedCollectives.h"

#include "partita/Machine/Reduce/Program.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::schedule {

static Error refuse(const JsonValue &at, llvm::StringRef file, std::string reason, std::string remedy = "") {
  return Error::badInput({file.str(), at.line, at.column}, std::move(reason)).withRemedy(std::move(remedy));
}

static Result<std::string> readName(const JsonValue &json, llvm::StringRef key, llvm::StringRef file) {
  const JsonValue *found = json.find(key);
  if (!found)
    return refuse(json, file, "the member \"" + key.str() + "\" is missing");
  if (found->kind != JsonValue::Kind::String)
    return refuse(*found, file, "expected the name of a value");
  return found->text;
}

static Result<PiecedCollective> readOne(const JsonValue &json, llvm::StringRef file) {
  constexpr llvm::StringRef known[] = {"collective", "value", "user"};
  if (json.kind != JsonValue::Kind::Object)
    return refuse(json, file, "expected an object");
  for (const JsonMember &member : json.members)
    if (!llvm::is_contained(known, member.name))
      return refuse(member.value, file, "unknown member \"" + member.name + "\"",
                    adviseName(member.name, known, "known"));
  const JsonValue *collective = json.find("collective");
  bool isText = collective && collective->kind == JsonValue::Kind::String;
  std::optional<StepKind> kind = isText ? findStepKind(collective->text) : std::nullopt;
  if (kind != StepKind::AllGather && kind != StepKind::ReduceScatter)
    return refuse(collective ? *collective : json, file, "expected a collective that runs in pieces",
                  "known are all_gather, reduce_scatter");
  PiecedCollective pieced;
  pieced.isScatter = kind == StepKind::ReduceScatter;
  pieced.location = {file.str(), json.line, json.column};
  Result<std::string> value = readName(json, "value", file);
  if (!value)
    return value.error();
  pieced.value = std::move(*value);
  if (pieced.isScatter)
    return pieced;
  Result<std::string> user = readName(json, "user", file);
  if (!user)
    return user.error();
  pieced.user = std::move(*user);
  return pieced;
}

Result<std::vector<PiecedCollective>> readPieced(const JsonValue &json, llvm::StringRef file) {
  if (json.kind != JsonValue::Kind::Array)
    return refuse(json, file, "\"matmul\" must be a list");
  std::vector<PiecedCollective> all;
  for (const JsonValue &element : json.elements) {
    Result<PiecedCollective> one = readOne(element, file);
    if (!one)
      return one.error();
    all.push_back(std::move(*one));
  }
  return all;
}

void writePieced(llvm::ArrayRef<PiecedCollective> pieced, llvm::json::OStream &json) {
  json.array([&] {
    for (const PiecedCollective &each : pieced)
      json.object([&] {
        json.attribute("collective", each.getCollective());
        json.attribute("value", each.value);
        if (!each.isScatter)
          json.attribute("user", each.user);
      });
  });
}

} // namespace partita::schedule
