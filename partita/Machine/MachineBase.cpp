//===- MachineBase.cpp - a machine file that changes a preset -------------===//

#include "partita/Machine/MachineBase.h"

#include "partita/Machine/MachineFile.h"
#include "partita/Machine/Presets.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::machine {

static Error failAt(llvm::StringRef file, const JsonValue &at, std::string reason, std::string remedy) {
  return Error::badInput(SourceLocation{file.str(), at.line, at.column}, std::move(reason))
      .withRemedy(std::move(remedy));
}

/// What comes from the preset stands where the file names it.
static void setPlaces(JsonValue &value, const JsonValue &at) {
  value.line = at.line;
  value.column = at.column;
  for (JsonValue &element : value.elements)
    setPlaces(element, at);
  for (JsonMember &member : value.members) {
    member.line = at.line;
    member.column = at.column;
    setPlaces(member.value, at);
  }
}

/// Figures and curves are one thing with their source.
static bool isMergeable(const JsonValue &value) {
  return value.kind == JsonValue::Kind::Object && !value.find("value") && !value.find("points");
}

static void merge(JsonValue &base, JsonValue changes) {
  if (!isMergeable(base) || !isMergeable(changes)) {
    base = std::move(changes);
    return;
  }
  base.line = changes.line;
  base.column = changes.column;
  for (JsonMember &change : changes.members) {
    auto found = llvm::find_if(base.members, [&](const JsonMember &member) { return member.name == change.name; });
    if (found == base.members.end()) {
      base.members.push_back(std::move(change));
      continue;
    }
    found->line = change.line;
    found->column = change.column;
    merge(found->value, std::move(change.value));
  }
}

/// Merges changes by the level's name into the preset's array of levels.
static Status mergeLevels(JsonValue &levels, JsonValue changes, llvm::StringRef file) {
  std::vector<std::string> names;
  for (const JsonValue &level : levels.elements)
    names.push_back(level.find("name")->text);
  for (JsonMember &change : changes.members) {
    auto found = llvm::find(names, change.name);
    if (found == names.end()) {
      llvm::SmallVector<llvm::StringRef, 4> known(names.begin(), names.end());
      JsonValue at;
      at.line = change.line;
      at.column = change.column;
      return failAt(file, at, "\"levels." + change.name + "\": the base has no level \"" + change.name + "\"",
                    adviseName(change.name, known, "its levels"));
    }
    merge(levels.elements[static_cast<size_t>(found - names.begin())], std::move(change.value));
  }
  return std::nullopt;
}

/// The preset as `partita machines --json` writes it; without a shape, that of its example.
static Result<JsonValue> readBase(const JsonValue &base, llvm::StringRef file) {
  if (base.kind != JsonValue::Kind::String)
    return failAt(file, base, "\"base\" is not a text", "name a preset, as \"h100-sxm:1x8\"");
  std::string name = base.text;
  for (const PresetInfo &info : listPresets())
    if (info.name == name)
      name += ":" + info.exampleShape.str();
  Result<Machine> machine = buildPreset(name);
  if (!machine)
    return failAt(file, base, "\"base\": " + machine.error().reason, machine.error().remedy);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeMachine(*machine, out);
  Result<JsonValue> json = parseJson(text, file);
  if (json)
    setPlaces(*json, base);
  return json;
}

Result<JsonValue> mergeWithBase(JsonValue object, llvm::StringRef file) {
  const JsonValue *named = object.find("base");
  if (!named)
    return object;
  Result<JsonValue> base = readBase(*named, file);
  if (!base)
    return base;
  if (!object.find("name"))
    return failAt(file, object, "the key \"name\" is missing in the machine",
                  "name it, so that its plans are not taken for those of " + named->text);
  auto levels = llvm::find_if(object.members, [](const JsonMember &member) { return member.name == "levels"; });
  if (levels != object.members.end() && levels->value.kind == JsonValue::Kind::Object) {
    auto own = llvm::find_if(base->members, [](const JsonMember &member) { return member.name == "levels"; });
    if (Status error = mergeLevels(own->value, std::move(levels->value), file))
      return *error;
    object.members.erase(levels);
  }
  merge(*base, std::move(object));
  return base;
}

} // namespace partita::machine
