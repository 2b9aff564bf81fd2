//===- NamesFile.cpp - names from a user's file ---------------------------===//

#include "partita/Program/NamesFile.h"

#include "partita/Program/Names.h"
#include "partita/Support/InputFile.h"
#include "partita/Support/Spelling.h"

using namespace mlir;

namespace partita::program {

namespace {

/// Index of each name: arguments, then results. Empty where two values share the name.
using Index = llvm::StringMap<std::optional<unsigned>>;

} // namespace

static Index indexNames(func::FuncOp main) {
  Index index;
  auto add = [&](const std::string &name, const std::string &number, unsigned which) {
    auto [it, isNew] = index.try_emplace(name, which);
    if (!isNew && it->second != which)
      it->second = std::nullopt;
    index[number] = which;
  };
  unsigned numArguments = main.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i)
    add(nameArgument(main, i), "arg" + std::to_string(i), i);
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    add(nameResult(main, i), "result" + std::to_string(i), numArguments + i);
  return index;
}

static void rename(func::FuncOp main, unsigned which, StringRef name) {
  auto text = StringAttr::get(main.getContext(), name);
  if (which >= main.getNumArguments())
    return main.setResultAttr(which - main.getNumArguments(), "jax.result_info", text);
  BlockArgument argument = main.getArgument(which);
  argument.setLoc(NameLoc::get(text, argument.getLoc()));
}

/// `did you mean 'x'? `, if there is one name like it.
static std::string adviseSlip(StringRef name, const Index &index) {
  std::vector<StringRef> known;
  for (const auto &entry : index)
    known.push_back(entry.getKey());
  llvm::sort(known);
  std::optional<StringRef> meant = findNearestName(name, known);
  return meant ? "did you mean '" + meant->str() + "'? " : "";
}

Status applyNames(ModuleOp module, const JsonValue &names, StringRef file) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (names.kind != JsonValue::Kind::Object)
    return Error::badInput({file.str(), names.line, names.column}, "expected an object of names");
  Index index = indexNames(main);
  for (const JsonMember &member : names.members) {
    SourceLocation location{file.str(), member.line, member.column};
    auto found = index.find(member.name);
    if (found == index.end() || !found->second)
      return Error::badInput(location, "the program has no argument or result '" + member.name + "', or several")
          .withRemedy(adviseSlip(member.name, index) + "arg0, arg1, ... and result0, ... call each of them");
    if (member.value.kind != JsonValue::Kind::String || member.value.text.empty())
      return Error::badInput(location, "expected a name, in quotes");
    rename(main, *found->second, member.value.text);
  }
  return std::nullopt;
}

Status applyNamesFile(ModuleOp module, llvm::StringRef path, const Limits &limits) {
  Result<JsonValue> names = readJsonFile(path, limits);
  return names ? applyNames(module, *names, path) : names.error();
}

} // namespace partita::program
