//===- ExplanationText.cpp - explanations, for people and as JSON ---------===//

#include "partita/Report/Explanation.h"
#include "partita/Report/Units.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

using Json = llvm::json::OStream;

static std::string printChoice(const OtherChoice &choice) {
  if (choice.dim)
    return "split along dim " + std::to_string(*choice.dim) + " over " + choice.axis;
  return "whole over " + choice.axis;
}

static void printReshard(const ValueExplanation &value, const ScoreReshard &reshard, llvm::raw_ostream &out) {
  out << "  " << (reshard.value == value.name ? "" : reshard.value + ": ") << reshard.from << " -> " << reshard.to
      << ": " << reshard.steps << ", " << reshard.count << " x, " << printBytes(reshard.bytes);
  if (reshard.timePs)
    out << ", " << printTime(*reshard.timePs);
  out << ", " << reshard.cause;
  if (!reshard.loc.empty())
    out << " (" << reshard.loc << ")";
  out << "\n";
}

static void printValue(const ValueExplanation &value, llvm::raw_ostream &out) {
  out << value.name << ": " << value.type << " as " << value.sharding;
  if (!value.loc.empty())
    out << " (" << value.loc << ")";
  out << "\n";
  for (const AxisReason &reason : value.axes)
    out << "  " << llvm::join(reason.axes, ", ") << ": " << reason.reason << "\n";
  for (const auto &[action, tactic] : value.actions)
    out << "  " << action << ", by tactic '" << tactic << "'\n";
  for (const ScoreReshard &reshard : value.reshards)
    printReshard(value, reshard, out);
  if (!value.others)
    return;
  out << "  alternatives, each decided first: time and memory change\n";
  for (const OtherChoice &choice : *value.others)
    out << llvm::formatv("  {0,12} {1,12}  {2}\n", printChange(choice.timePs, printTime),
                         printChange(choice.peakBytes, printBytes), printChoice(choice));
}

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
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const ValueExplanation &value : values)
    printValue(value, out);
  return text;
}

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
      json.attribute("time_ps", choice.timePs);
      json.attribute("peak_bytes", choice.peakBytes);
    });
}

static void writeValue(Json &json, const ValueExplanation &value) {
  json.attribute("name", value.name);
  json.attribute("type", value.type);
  json.attribute("sharding", value.sharding);
  json.attribute("loc", value.loc);
  json.attributeArray("axes", [&] { writeAxes(json, value.axes); });
  json.attributeArray("actions", [&] {
    for (const auto &[action, tactic] : value.actions)
      json.object([&] {
        json.attribute("action", action);
        json.attribute("tactic", tactic);
      });
  });
  json.attributeArray("reshards", [&] {
    for (const ScoreReshard &reshard : value.reshards)
      json.object([&] { writeReshard(reshard, json); });
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
