//===- OptionTable.cpp - declares every option once -----------------------===//

#include "partita/Support/OptionTable.h"

#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace partita {

namespace {

/// `, 1 or more` where there is no limit to speak of.
std::string describeRange(int64_t min, int64_t max) {
  if (max == std::numeric_limits<int64_t>::max())
    return ", " + std::to_string(min) + " or more";
  return " from " + std::to_string(min) + " to " + std::to_string(max);
}

/// Sets the field that belongs to one flag.
class SetField : public OptionVisitor {
public:
  SetField(llvm::StringRef flag, std::optional<std::string> value) : flag(flag), value(std::move(value)) {}

  void integer(OptionInfo info, int64_t &field, int64_t min, int64_t max) override {
    if (!begin(info, /*needsValue=*/true))
      return;
    int64_t parsed;
    if (llvm::StringRef(*value).getAsInteger(10, parsed) || parsed < min || parsed > max)
      return reject("expects a whole number" + describeRange(min, max));
    field = parsed;
  }

  void toggle(OptionInfo info, bool &field) override {
    if (begin(info, /*needsValue=*/false))
      field = true;
  }

  void text(OptionInfo info, std::string &field) override {
    if (begin(info, /*needsValue=*/true))
      field = *value;
  }

  void list(OptionInfo info, std::vector<std::string> &field) override {
    if (begin(info, /*needsValue=*/true))
      field.push_back(*value);
  }

  void choice(OptionInfo info, std::string &field, llvm::ArrayRef<llvm::StringRef> words) override {
    if (!begin(info, /*needsValue=*/true))
      return;
    if (!llvm::is_contained(words, *value)) {
      reject("expects one of " + llvm::join(words, ", "));
      if (std::optional<llvm::StringRef> meant = findNearestName(*value, words))
        error->remedy = "did you mean '" + meant->str() + "'?";
      return;
    }
    field = *value;
  }

  bool found = false;
  bool usedValue = false;
  Status error;

private:
  bool begin(const OptionInfo &info, bool needsValue) {
    if (info.flag != flag)
      return false;
    found = true;
    usedValue = needsValue;
    if (needsValue && !value)
      reject("needs a value");
    return !error;
  }

  void reject(const std::string &reason) {
    error = Error::usage("--" + flag.str() + " " + reason + (value ? ", not '" + *value + "'" : ""));
  }

  llvm::StringRef flag;
  std::optional<std::string> value;
};

/// Lists the flags.
class CollectFlags : public OptionVisitor {
public:
  void integer(OptionInfo info, int64_t &, int64_t, int64_t) override { flags.push_back(info.flag); }
  void toggle(OptionInfo info, bool &) override { flags.push_back(info.flag); }
  void text(OptionInfo info, std::string &) override { flags.push_back(info.flag); }
  void list(OptionInfo info, std::vector<std::string> &) override { flags.push_back(info.flag); }
  void choice(OptionInfo info, std::string &, llvm::ArrayRef<llvm::StringRef>) override { flags.push_back(info.flag); }

  std::vector<llvm::StringRef> flags;
};

class PrintField : public OptionVisitor {
public:
  explicit PrintField(llvm::raw_ostream &out) : out(out) {}

  void integer(OptionInfo info, int64_t &field, int64_t min, int64_t max) override {
    std::string upper = max == INT64_MAX ? "" : std::to_string(max);
    print(info, "=N", std::to_string(min) + ".." + upper + ", default " + std::to_string(field));
  }
  void toggle(OptionInfo info, bool &) override { print(info, "", ""); }
  void text(OptionInfo info, std::string &field) override {
    print(info, "=" + llvm::StringRef(info.unit).upper(), field.empty() ? "" : "default " + field);
  }
  void list(OptionInfo info, std::vector<std::string> &) override {
    print(info, "=" + llvm::StringRef(info.unit).upper(), "may be repeated");
  }
  void choice(OptionInfo info, std::string &field, llvm::ArrayRef<llvm::StringRef> words) override {
    print(info, "=" + llvm::join(words, "|"), field.empty() ? "" : "default " + field);
  }

private:
  void print(const OptionInfo &info, const std::string &value, const std::string &range) {
    out << "  --" << info.flag << value << "\n      " << info.help;
    if (!range.empty())
      out << " (" << (value == "=N" ? info.unit.str() + ", " : "") << range << ")";
    out << "\n";
  }

  llvm::raw_ostream &out;
};

} // namespace

/// Handles the flag at `index`. If its value is the next argument, advances `index` past it.
static Status parseFlag(llvm::ArrayRef<std::string> arguments, size_t &index, VisitOptions visit) {
  auto [flag, inlineValue] = llvm::StringRef(arguments[index]).drop_front(2).split('=');
  bool isInline = llvm::StringRef(arguments[index]).contains('=');
  std::optional<std::string> value;
  if (isInline)
    value = inlineValue.str();
  // A flag is no value of another; a value that begins like one is written behind a '='.
  else if (index + 1 < arguments.size() && !llvm::StringRef(arguments[index + 1]).starts_with("--"))
    value = arguments[index + 1];
  SetField setter(flag, value);
  visit(setter);
  if (!setter.found) {
    CollectFlags known;
    visit(known);
    std::optional<llvm::StringRef> meant = findNearestName(flag, known.flags);
    return Error::usage("unknown option --" + flag.str())
        .withRemedy(meant ? "did you mean --" + meant->str() + "?" : "see --help for the options of this command");
  }
  if (!setter.usedValue && isInline)
    return Error::usage("--" + flag.str() + " takes no value");
  if (setter.usedValue && !isInline)
    ++index;
  return setter.error;
}

Status parseFlags(llvm::ArrayRef<std::string> arguments, VisitOptions visit, std::vector<std::string> &positional) {
  for (size_t index = 0; index < arguments.size(); ++index) {
    llvm::StringRef argument = arguments[index];
    if (argument == "--") {
      llvm::append_range(positional, arguments.drop_front(index + 1));
      return std::nullopt;
    }
    if (!argument.starts_with("-") || argument == "-") {
      positional.push_back(argument.str());
      continue;
    }
    if (!argument.starts_with("--") && argument != "-o")
      return Error::usage("unknown option " + argument.str()).withRemedy("options start with --");
    if (argument == "-o") {
      std::string output[] = {"--output", index + 1 < arguments.size() ? arguments[index + 1] : ""};
      size_t inner = 0;
      if (Status error =
              parseFlag(llvm::ArrayRef(output).take_front(index + 1 < arguments.size() ? 2 : 1), inner, visit))
        return error;
      ++index;
      continue;
    }
    if (Status error = parseFlag(arguments, index, visit))
      return error;
  }
  return std::nullopt;
}

void printOptions(llvm::raw_ostream &out, VisitOptions visit) {
  PrintField printer(out);
  visit(printer);
}

} // namespace partita
