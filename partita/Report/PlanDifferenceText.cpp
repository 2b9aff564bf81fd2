//===- PlanDifferenceText.cpp - a plan difference as text and JSON --------===//

#include "partita/Report/PlanDifference.h"
#include "partita/Report/SpecText.h"
#include "partita/Report/Units.h"

#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

static constexpr size_t maxGroups = 25;

static void printTotals(const PlanDifference &difference, llvm::raw_ostream &out) {
  out << llvm::formatv("  {0,-24}{1,12}{2,12}{3,13}\n", "", "first", "second", "difference");
  auto row = [&](llvm::StringRef name, const int64_t (&values)[2], std::string (*print)(int64_t)) {
    out << llvm::formatv("  {0,-24}{1,12}{2,12}{3,13}\n", name, print(values[0]), print(values[1]),
                         printChange(values[1] - values[0], print));
  };
  row("time", difference.timePs, printTime);
  row("compute", difference.computePs, printTime);
  row("communication", difference.communicationPs, printTime);
  row("exposed communication", difference.exposedPs, printTime);
  row("peak memory per device", difference.peakBytes, printBytes);
}

static void printCollectives(const PlanDifference &difference, llvm::raw_ostream &out) {
  if (difference.collectives.empty())
    return;
  out << llvm::formatv("\n  {0,-34}{1,16}{2,24}{3,13}\n", "collectives", "count", "bytes", "time");
  for (const CollectiveDifference &entry : difference.collectives)
    out << llvm::formatv("  {0,-34}{1,16}{2,24}{3,13}\n", entry.kind + " over " + entry.axes,
                         llvm::formatv("{0} -> {1}", entry.count[0], entry.count[1]).str(),
                         printBytes(entry.bytes[0]) + " -> " + printBytes(entry.bytes[1]),
                         printChange(entry.timePs[1] - entry.timePs[0], printTime));
}

/// Prints the shardings of the program's arguments, which the plans decide themselves.
static void printArguments(const PlanDifference &difference, llvm::raw_ostream &out) {
  bool isFirst = true;
  for (const GroupDifference &group : difference.groups) {
    if (!group.isArgument || group.shardings[0] == group.shardings[1])
      continue;
    if (std::exchange(isFirst, false))
      out << "\n  arguments that are split otherwise\n";
    out << llvm::formatv("  {0,12}  {1}{2}: {3}, {4} -> {5}\n", printChange(group.bytes, printBytes), group.name,
                         group.count > 1 ? " x" + std::to_string(group.count) : "", group.type,
                         printSpec(group.shardings[0]), printSpec(group.shardings[1]));
  }
}

static void printGroup(const GroupDifference &group, llvm::raw_ostream &out) {
  out << llvm::formatv("  {0,11}{1,11}{2,12}  {3}{4}: {5}\n", printChange(group.computePs, printTime),
                       printChange(group.communicationPs, printTime), printChange(group.bytes, printBytes),
                       shortenName(group.name, 70), group.count > 1 ? " x" + std::to_string(group.count) : "",
                       group.type);
  std::string indent(38, ' ');
  bool isSplitAlike = group.shardings[0] == group.shardings[1];
  out << indent << printSpec(group.shardings[0]) << (isSplitAlike ? "" : " -> " + printSpec(group.shardings[1]))
      << (group.loc.empty() ? "" : "  " + group.loc) << "\n";
  if (group.moves[0] == group.moves[1] && group.communicationPs == 0)
    return;
  auto describe = [](const std::string &moves) { return moves.empty() ? std::string("not moved") : moves; };
  out << indent << describe(group.moves[0]);
  if (group.moves[0] != group.moves[1])
    out << " -> " << describe(group.moves[1]);
  out << "\n";
}

std::string printDifference(const PlanDifference &difference) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "first:  " << difference.first << "\nsecond: " << difference.second << "\n\n";
  printTotals(difference, out);
  printCollectives(difference, out);
  printArguments(difference, out);
  out << "\n" << difference.groups.size() << " groups of values differ, " << difference.numEqual << " values do not\n";
  if (difference.groups.empty())
    return text;
  out << llvm::formatv("\n  {0,11}{1,11}{2,12}  {3}\n", "compute", "comm.", "bytes", "value: first -> second");
  for (const GroupDifference &group : llvm::ArrayRef(difference.groups).take_front(maxGroups))
    printGroup(group, out);
  if (difference.groups.size() <= maxGroups)
    return text;
  int64_t compute = 0, communication = 0;
  for (const GroupDifference &group : llvm::ArrayRef(difference.groups).drop_front(maxGroups)) {
    compute += group.computePs;
    communication += group.communicationPs;
  }
  out << llvm::formatv("  {0,11}{1,11}{2,12}  and {3} more groups; --json has all\n", printChange(compute, printTime),
                       printChange(communication, printTime), "", difference.groups.size() - maxGroups);
  return text;
}

namespace {

class DifferenceWriter {
public:
  explicit DifferenceWriter(llvm::raw_ostream &out) : json(out, /*IndentSize=*/1) {}

  void write(const PlanDifference &difference) {
    json.object([&] {
      pair("plans", difference.first, difference.second);
      pair("time_ps", difference.timePs);
      pair("compute_ps", difference.computePs);
      pair("communication_ps", difference.communicationPs);
      pair("exposed_communication_ps", difference.exposedPs);
      pair("peak_bytes", difference.peakBytes);
      json.attributeArray("collectives", [&] {
        for (const CollectiveDifference &entry : difference.collectives)
          write(entry);
      });
      json.attribute("equal_values", difference.numEqual);
      json.attributeArray("differences", [&] {
        for (const GroupDifference &group : difference.groups)
          write(group);
      });
    });
    json.flush();
  }

private:
  template <typename T> void pair(llvm::StringRef key, const T &first, const T &second) {
    json.attributeArray(key, [&] {
      json.value(first);
      json.value(second);
    });
  }
  template <typename T> void pair(llvm::StringRef key, const T (&values)[2]) { pair(key, values[0], values[1]); }

  void write(const CollectiveDifference &entry) {
    json.object([&] {
      json.attribute("kind", entry.kind);
      json.attribute("axes", entry.axes);
      pair("count", entry.count);
      pair("bytes", entry.bytes);
      pair("time_ps", entry.timePs);
    });
  }
  void write(const GroupDifference &group) {
    json.object([&] {
      json.attribute("value", group.name);
      json.attribute("type", group.type);
      json.attribute("loc", group.loc);
      json.attribute("argument", group.isArgument);
      json.attribute("count", group.count);
      json.attribute("first", group.shardings[0]);
      json.attribute("second", group.shardings[1]);
      pair("moves", group.moves);
      json.attribute("compute_ps", group.computePs);
      json.attribute("communication_ps", group.communicationPs);
      json.attribute("bytes", group.bytes);
    });
  }

  llvm::json::OStream json;
};

} // namespace

std::string printDifferenceJson(const PlanDifference &difference) {
  std::string text;
  llvm::raw_string_ostream out(text);
  DifferenceWriter(out).write(difference);
  out << "\n";
  return text;
}

} // namespace partita::report
