//===- TacticText.cpp - what each tactic did, as text and as JSON ---------===//

#include "partita/Report/TacticText.h"

#include "partita/Report/SpecText.h"
#include "partita/Report/Units.h"

namespace partita::report {

/// The number of entries that are shown of each list; JSON has them all.
static constexpr size_t maxShown = 8;

static std::string quote(llvm::StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  stream << llvm::json::Value(text);
  return quoted;
}

template <typename T, typename Print>
static void printList(llvm::raw_ostream &out, const std::vector<T> &list, Print print) {
  for (const T &entry : llvm::ArrayRef(list).take_front(maxShown))
    print(entry);
  if (list.size() > maxShown)
    out << "    and " << list.size() - maxShown << " more\n";
}

static void printEntry(const EntryReport &entry, llvm::raw_ostream &out) {
  out << "  " << getWord(entry.kind) << " " << quote(entry.pattern) << ": " << entry.matched << " matched";
  if (entry.applied != entry.matched)
    out << ", " << entry.applied << " applied";
  if (entry.skipped != 0)
    out << ", " << entry.skipped << " without a dim that divides";
  out << "\n";
}

static void printGroup(const CellGroup &group, llvm::raw_ostream &out) {
  out << "    " << group.name << (group.count > 1 ? " x" + std::to_string(group.count) : "") << ": " << group.type
      << " as " << printSpec(group.sharding) << ", " << printBytes(group.localBytes) << " of "
      << printBytes(group.bytes) << "\n";
}

void printConflict(const ConflictReport &conflict, llvm::raw_ostream &out) {
  out << "  conflict over '" << conflict.axis << "': " << conflict.numOps << " ops could be split in "
      << conflict.sides.size() << " ways and are not split"
      << (conflict.count > 1 ? ", in " + std::to_string(conflict.count) + " places" : "") << "\n";
  for (const std::string &op : conflict.ops)
    out << "    " << op << "\n";
  out << "    choose by adding one of these to the tactic:\n";
  for (const ConflictReport::Side &side : conflict.sides)
    out << "      \"side\": [[" << quote(side.pattern) << ", " << side.dim << "]]\n";
}

static void printStop(const StopReport &stop, llvm::raw_ostream &out) {
  out << "    " << stop.op << (stop.location.empty() ? "" : " at " + stop.location) << ": " << stop.reason
      << (stop.count > 1 ? " (" + std::to_string(stop.count) + " ops)" : "") << "\n";
}

static void printWhole(const TacticReport &report, llvm::raw_ostream &out) {
  int64_t bytes = 0;
  uint32_t count = 0;
  for (const CellGroup &group : report.wholeArguments) {
    bytes += group.bytes;
    count += group.count;
  }
  if (count == 0)
    return;
  out << "  replicated so far: " << count << " arguments, " << printBytes(bytes) << "\n";
  constexpr size_t maxWhole = 3;
  for (const CellGroup &group : llvm::ArrayRef(report.wholeArguments).take_front(maxWhole))
    printGroup(group, out);
}

static void printTactic(const TacticReport &report, llvm::raw_ostream &out) {
  // The names of found tactics have their axis in them.
  bool hasAxis = report.axis.empty() || llvm::StringRef(report.name).contains(" over " + report.axis);
  out << "tactic " << report.name << (hasAxis ? "" : " over " + report.axis) << ": splits " << report.numSplitOps
      << " of " << report.numOps << " ops\n";
  for (const EntryReport &entry : report.entries)
    printEntry(entry, out);
  for (const std::string &refused : report.refused)
    out << "  left out: " << refused << "\n";
  if (!report.tiled.empty())
    out << "  split values:\n";
  printList(out, report.tiled, [&](const CellGroup &group) { printGroup(group, out); });
  printList(out, report.conflicts, [&](const ConflictReport &conflict) { printConflict(conflict, out); });
  if (!report.stops.empty())
    out << "  stops at:\n";
  printList(out, report.stops, [&](const StopReport &stop) { printStop(stop, out); });
  for (const CollectiveReport &entry : report.collectives)
    out << "  so far " << entry.count << " x " << entry.kind << " over " << entry.axes << ", "
        << printBytes(entry.bytes) << "\n";
  printWhole(report, out);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

template <typename T, typename Write>
static void writeList(llvm::json::OStream &json, llvm::StringRef key, const std::vector<T> &list, Write write) {
  json.attributeArray(key, [&] {
    for (const T &entry : list)
      json.object([&] { write(entry); });
  });
}

static void writeGroups(llvm::json::OStream &json, llvm::StringRef key, const std::vector<CellGroup> &groups) {
  writeList(json, key, groups, [&](const CellGroup &group) {
    json.attribute("name", group.name);
    json.attribute("type", group.type);
    json.attribute("sharding", group.sharding);
    json.attribute("count", group.count);
    json.attribute("bytes", group.bytes);
    json.attribute("local_bytes", group.localBytes);
  });
}

static void writeConflict(llvm::json::OStream &json, const ConflictReport &conflict) {
  json.attribute("axis", conflict.axis);
  json.attribute("count", conflict.count);
  json.attribute("ops", conflict.numOps);
  json.attributeArray("places", [&] {
    for (const std::string &op : conflict.ops)
      json.value(op);
  });
  json.attributeArray("sides", [&] {
    for (const ConflictReport::Side &side : conflict.sides)
      json.array([&] {
        json.value(side.pattern);
        json.value(side.dim);
      });
  });
}

void writeTactic(const TacticReport &report, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("tactic", report.name);
    json.attribute("axis", report.axis);
    json.attribute("ops", report.numOps);
    json.attribute("split_ops", report.numSplitOps);
    writeList(json, "entries", report.entries, [&](const EntryReport &entry) {
      json.attribute("action", getWord(entry.kind));
      json.attribute("pattern", entry.pattern);
      json.attribute("matched", entry.matched);
      json.attribute("applied", entry.applied);
      json.attribute("skipped", entry.skipped);
    });
    json.attributeArray("refused", [&] {
      for (const std::string &refused : report.refused)
        json.value(refused);
    });
    writeGroups(json, "tiled", report.tiled);
    writeList(json, "conflicts", report.conflicts,
              [&](const ConflictReport &conflict) { writeConflict(json, conflict); });
    writeList(json, "stops", report.stops, [&](const StopReport &stop) {
      json.attribute("op", stop.op);
      json.attribute("place", stop.location);
      json.attribute("reason", stop.reason);
      json.attribute("count", stop.count);
    });
    writeList(json, "collectives", report.collectives, [&](const CollectiveReport &entry) {
      json.attribute("kind", entry.kind);
      json.attribute("axes", entry.axes);
      json.attribute("count", entry.count);
      json.attribute("bytes", entry.bytes);
    });
    writeGroups(json, "replicated", report.wholeArguments);
  });
}

std::string printTactics(const Plan &plan, bool asJson) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!asJson) {
    for (const TacticReport &report : plan.outcome.reports)
      printTactic(report, out);
    return text;
  }
  {
    llvm::json::OStream json(out);
    json.object([&] {
      json.attribute("mesh", plan.getMesh().str());
      json.attributeArray("tactics", [&] {
        for (const TacticReport &report : plan.outcome.reports)
          writeTactic(report, json);
      });
    });
  }
  out << "\n";
  return text;
}

} // namespace partita::report
