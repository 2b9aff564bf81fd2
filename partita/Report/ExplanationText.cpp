//===- ExplanationText.cpp - explanations, for people and as JSON ---------===//

#include "partita/Graph/Paths.h"
#include "partita/Report/Explanation.h"
#include "partita/Report/MergedNames.h"
#include "partita/Report/SpecText.h"
#include "partita/Report/Units.h"
#include "partita/Search/Telling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

using Json = llvm::json::OStream;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static constexpr size_t maxMoves = 8;

llvm::StringRef getWord(Moved moved) {
  switch (moved) {
  case Moved::Value:
    return "value";
  case Moved::Slice:
    return "slice";
  case Moved::Gradient:
    return "gradient";
  case Moved::Operand:
    return "operand";
  }
  return "";
}

/// `needed by mlp/dot_general` in place of an op's whole name stack.
static std::string shortenCause(llvm::StringRef cause) {
  if (!cause.starts_with("needed by ") && !cause.starts_with("given by "))
    return cause.str();
  auto [verb, rest] = cause.split(" by ");
  return (verb + " by " + shortenPlace(rest.split(' ').second)).str();
}

/// Who is moved, and how: `its slices: all_gather over data, P('data') -> P()`.
static std::string describeMove(const MovedValue &entry) {
  std::string who = entry.moved == Moved::Value      ? ""
                    : entry.moved == Moved::Slice    ? "its slices: "
                    : entry.moved == Moved::Gradient ? "its gradient: "
                                                     : shortenPlace(entry.reshard.value) + ": ";
  const ScoreReshard &reshard = entry.reshard;
  return who + printStepWords(reshard.steps) + ", " + printSpec(reshard.from) + " -> " + printSpec(reshard.to);
}

namespace {

/// Reshards that differ in nothing but the value or loop that they stand in.
struct MoveLine {
  std::string what, why;
  int64_t count = 0, bytes = 0;
  std::optional<int64_t> timePs;
};

} // namespace

static std::vector<MoveLine> listMoves(llvm::ArrayRef<MovedValue> reshards) {
  std::vector<MoveLine> lines;
  for (const MovedValue &entry : reshards) {
    const ScoreReshard &reshard = entry.reshard;
    std::string what = describeMove(entry),
                why = shortenCause(reshard.cause) + (reshard.loc.empty() ? "" : " (" + reshard.loc + ")");
    auto isAlike = [&](const MoveLine &line) { return line.what == what && line.why == why; };
    auto found = llvm::find_if(lines, isAlike);
    if (found == lines.end())
      found = lines.insert(lines.end(), {what, why, 0, 0, std::nullopt});
    found->count += reshard.count;
    found->bytes += reshard.bytes;
    if (reshard.timePs)
      found->timePs = found->timePs.value_or(0) + *reshard.timePs;
  }
  return lines;
}

static void printMoves(const ValueExplanation &value, llvm::raw_ostream &out) {
  std::vector<MoveLine> lines = listMoves(value.reshards);
  if (lines.empty())
    return;
  out << "  moved in a step\n";
  for (const MoveLine &line : llvm::ArrayRef(lines).take_front(maxMoves)) {
    out << "    " << line.what << "\n";
    out << "      " << line.count << " x, " << printBytes(line.bytes)
        << (line.timePs ? ", " + printTime(*line.timePs) : "") << "; " << line.why << "\n";
  }
  if (lines.size() > maxMoves)
    out << "    and " << lines.size() - maxMoves << " more\n";
}

static std::string describeChoice(const OtherChoice &choice) {
  if (choice.dim)
    return "dim " + std::to_string(*choice.dim) + " over " + choice.axis;
  return "replicated over " + choice.axis;
}

/// A table, the fastest first.
static void printOthers(std::vector<OtherChoice> choices, llvm::raw_ostream &out) {
  if (choices.empty())
    return;
  llvm::sort(choices, [](const OtherChoice &a, const OtherChoice &b) {
    return std::tie(a.timePs, a.peakBytes, a.axis, a.dim) < std::tie(b.timePs, b.peakBytes, b.axis, b.dim);
  });
  size_t width = 14;
  for (const OtherChoice &choice : choices)
    width = std::max(width, printSpec(choice.sharding).size());
  auto pad = [&](const std::string &text) { return text + std::string(width - text.size(), ' '); };
  out << "  " << pad("alternatives") << "           Δtime       Δmemory\n";
  for (const OtherChoice &choice : choices)
    out << "    " << pad(printSpec(choice.sharding))
        << llvm::formatv("{0,14}{1,14}  {2}\n", printChange(choice.timePs, printTime),
                         printChange(choice.peakBytes, printBytes), describeChoice(choice));
}

/// `side of dim 1 over model` for the action `side 1 model`.
static std::string describeAction(llvm::StringRef action) {
  llvm::SmallVector<llvm::StringRef> words;
  action.split(words, ' ');
  if (words.size() == 3)
    return (words[0] + " of dim " + words[1] + " over " + words[2]).str();
  return words.size() == 2 ? (words[0] + " over " + words[1]).str() : action.str();
}

/// All but the name.
static std::string describeValue(const ValueExplanation &value) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << value.type << " as " << printSpec(value.sharding) << ", " << printBytes(value.localBytes)
      << (value.localBytes == value.bytes ? "" : " of " + printBytes(value.bytes)) << " per device"
      << (value.loc.empty() ? "" : " (" + value.loc + ")") << "\n";
  for (const AxisReason &reason : value.axes)
    out << "  " << llvm::join(reason.axes, ", ") << ": " << reason.reason << "\n";
  // The reasons above say who tiled it.
  for (const auto &[action, tactic] : value.actions)
    if (!llvm::StringRef(action).starts_with("tile") && !llvm::StringRef(action).starts_with("atomic"))
      out << "  " << describeAction(action) << ", by tactic '" << tactic << "'\n";
  printMoves(value, out);
  if (value.others)
    printOthers(*value.others, out);
  return text;
}

namespace {

/// Values of which the same is said, and whose names differ in numbers alone: those of layers.
struct AlikeValues {
  std::vector<std::string> names;
  std::string pattern, description;
};

} // namespace

std::string printConstraints(llvm::ArrayRef<PartitionRule> rules) {
  std::string text = "{\"shardings\": [";
  llvm::raw_string_ostream out(text);
  for (const PartitionRule &rule : rules) {
    out << (&rule == rules.data() ? "\n " : ",\n ");
    llvm::json::OStream json(out);
    writePartitionRule(rule, json);
  }
  out << "],\n\"tactics\": []}\n";
  return text;
}

std::string printExplanations(llvm::ArrayRef<ValueExplanation> values) {
  std::vector<AlikeValues> groups;
  for (const ValueExplanation &value : values) {
    AlikeValues single{{value.name}, collapseNumbers(value.name), describeValue(value)};
    auto isAlike = [&](const AlikeValues &group) {
      return group.pattern == single.pattern && group.description == single.description;
    };
    if (auto found = llvm::find_if(groups, isAlike); found != groups.end())
      found->names.push_back(value.name);
    else
      groups.push_back(std::move(single));
  }
  std::string text;
  for (const AlikeValues &group : groups) {
    size_t count = group.names.size();
    text += mergeNames(group.names) + (count > 1 ? " x" + std::to_string(count) + ": each " : ": ") + group.description;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeDim(Json &json, std::optional<uint32_t> dim) {
  if (dim)
    json.attribute("dim", *dim);
  else
    json.attribute("dim", nullptr);
}

static void writeAxes(Json &json, llvm::ArrayRef<AxisReason> axes) {
  for (const AxisReason &reason : axes)
    json.object([&] {
      json.attribute("axes", llvm::json::Array(reason.axes));
      writeDim(json, reason.dim);
      json.attribute("reason", reason.reason);
    });
}

static void writeOthers(Json &json, llvm::ArrayRef<OtherChoice> others) {
  for (const OtherChoice &choice : others)
    json.object([&] {
      json.attribute("axis", choice.axis);
      writeDim(json, choice.dim);
      json.attribute("sharding", choice.sharding);
      json.attribute("time_ps", choice.timePs);
      json.attribute("peak_bytes", choice.peakBytes);
    });
}

static void writeValue(Json &json, const ValueExplanation &value) {
  json.attribute("name", value.name);
  json.attribute("type", value.type);
  json.attribute("sharding", value.sharding);
  json.attribute("loc", value.loc);
  json.attribute("bytes", value.bytes);
  json.attribute("local_bytes", value.localBytes);
  json.attributeArray("axes", [&] { writeAxes(json, value.axes); });
  json.attributeArray("actions", [&] {
    for (const auto &[action, tactic] : value.actions)
      json.object([&] {
        json.attribute("action", action);
        json.attribute("tactic", tactic);
      });
  });
  json.attributeArray("reshards", [&] {
    for (const MovedValue &entry : value.reshards)
      json.object([&] {
        json.attribute("moved", getWord(entry.moved));
        writeReshard(entry.reshard, json);
      });
  });
  if (value.others)
    json.attributeArray("others", [&] { writeOthers(json, *value.others); });
  else
    json.attribute("others", nullptr);
}

std::string printExplanationsJson(llvm::ArrayRef<ValueExplanation> values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json json(stream);
  json.object([&] {
    json.attributeArray("values", [&] {
      for (const ValueExplanation &value : values)
        json.object([&] { writeValue(json, value); });
    });
  });
  return text + "\n";
}

} // namespace partita::report
