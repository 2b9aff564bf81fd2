//===- OverviewText.cpp - an overview for a terminal and as JSON ----------===//

#include "partita/Report/Columns.h"
#include "partita/Report/Overview.h"
#include "partita/Report/TacticText.h"
#include "partita/Report/TimeBand.h"
#include "partita/Report/Units.h"
#include "partita/Search/SeedWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

namespace partita::report {

static constexpr size_t maxConflicts = 3;
static constexpr size_t maxName = 64, minName = 24, maxRowName = 72, maxLegend = 112;

namespace {

/// How many lines of each kind a page has.
struct PageSize {
  size_t parameters, others, collectives, rows, runnersUp;
};

} // namespace

/// The first one with which a page fits on a screen is taken, or else the last one.
static constexpr PageSize pageSizes[] = {{6, 3, 4, 3, 2}, {5, 3, 3, 3, 1}, {4, 2, 3, 2, 1}, {3, 1, 2, 1, 1}};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {

struct ArgumentLine {
  std::string name, spec, bytes;
};

} // namespace

static std::string describeBytes(int64_t localBytes, int64_t bytes) {
  return printBytes(localBytes) + (localBytes == bytes ? "" : " of " + printBytes(bytes));
}

/// In at most that many columns.
static std::string nameArgument(const OverviewArgument &argument, size_t width) {
  std::string count = argument.count > 1 ? " x" + std::to_string(argument.count) : "";
  return shortenName(argument.name, width - std::min(width, count.size())) + count;
}

/// One line for arguments whose names differ only in what is left out of them, as the moments of one parameter may.
static std::vector<OverviewArgument> joinSame(llvm::ArrayRef<OverviewArgument> list, size_t nameWidth) {
  std::vector<OverviewArgument> joined;
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (const OverviewArgument &argument : list) {
    std::string look = argument.type + " " + argument.spec;
    auto [found, isNew] = known.try_emplace({nameArgument(argument, nameWidth), look}, joined.size());
    if (isNew) {
      joined.push_back(argument);
      continue;
    }
    joined[found->second].count += argument.count;
    joined[found->second].bytes += argument.bytes;
    joined[found->second].localBytes += argument.localBytes;
  }
  return joined;
}

/// A line for arguments that have none of their own.
static ArgumentLine sumUp(llvm::ArrayRef<OverviewArgument> rest, std::string name, std::string spec) {
  int64_t bytes = 0, localBytes = 0;
  for (const OverviewArgument &argument : rest) {
    bytes += argument.bytes;
    localBytes += argument.localBytes;
  }
  return {std::move(name), std::move(spec), describeBytes(localBytes, bytes)};
}

/// All of them with their whole names if there is no size.
static std::vector<ArgumentLine> listLines(llvm::ArrayRef<OverviewArgument> arguments, const PageSize *size,
                                           size_t nameWidth) {
  std::vector<ArgumentLine> lines;
  std::vector<OverviewArgument> parameters, likeParameters, others, inputs;
  for (const OverviewArgument &argument : arguments) {
    bool isLike = argument.isAsParameter && size;
    (isLike                                  ? likeParameters
     : argument.kind == GroupKind::Parameter ? parameters
     : argument.kind == GroupKind::Input     ? inputs
                                             : others)
        .push_back(argument);
  }
  auto addSome = [&](llvm::ArrayRef<OverviewArgument> all, size_t most) {
    std::vector<OverviewArgument> list = size ? joinSame(all, nameWidth) : all.vec();
    size_t numShown = !size || list.size() <= most + 1 ? list.size() : most;
    for (const OverviewArgument &argument : llvm::ArrayRef(list).take_front(numShown))
      lines.push_back(
          {nameArgument(argument, nameWidth), argument.spec, describeBytes(argument.localBytes, argument.bytes)});
    if (numShown < list.size())
      lines.push_back(sumUp(llvm::ArrayRef(list).drop_front(numShown),
                            llvm::formatv("and {0} more, in the details", list.size() - numShown).str(), ""));
  };
  addSome(parameters, size ? size->parameters : 0);
  if (!likeParameters.empty())
    lines.push_back(sumUp(likeParameters, "optimizer state", "as its parameters"));
  addSome(others, size ? size->others : 0);
  addSome(inputs, size ? size->others : 0);
  return lines;
}

/// What the names of parts of axes mean that specs have: `data:(1)2: the major 2 of data`.
static std::string describeAxisParts(llvm::ArrayRef<ArgumentLine> lines) {
  std::set<std::string> parts;
  for (const ArgumentLine &line : lines)
    for (llvm::StringRef name : llvm::split(line.spec, '\''))
      if (name.contains(":("))
        parts.insert(name.str());
  std::vector<std::string> meanings;
  for (const std::string &part : parts) {
    auto [axis, rest] = llvm::StringRef(part).split(":(");
    auto [before, size] = rest.split(')');
    meanings.push_back(before == "1"
                           ? llvm::formatv("{0}: the major {1} of {2}", part, size, axis).str()
                           : llvm::formatv("{0}: the {1} of {2} behind its major {3}", part, size, axis, before).str());
  }
  return llvm::join(meanings, "; ");
}

namespace {

struct ArgumentTable {
  std::vector<ArgumentLine> lines;
  size_t nameWidth = 0, specWidth = 0, bytesWidth = 0;

  size_t countColumns() const { return 2 + nameWidth + 2 + specWidth + 2 + bytesWidth; }
};

} // namespace

static ArgumentTable buildTable(llvm::ArrayRef<OverviewArgument> arguments, const PageSize *size, size_t nameWidth) {
  ArgumentTable table{listLines(arguments, size, nameWidth)};
  table.lines.insert(table.lines.begin(), {"argument", "sharding", "bytes per device"});
  for (const ArgumentLine &line : table.lines) {
    table.nameWidth = std::max(table.nameWidth, countColumns(line.name));
    table.specWidth = std::max(table.specWidth, countColumns(line.spec));
    table.bytesWidth = std::max(table.bytesWidth, countColumns(line.bytes));
  }
  return table;
}

static void printArguments(const Overview &overview, const PageSize *size, llvm::raw_ostream &out) {
  if (overview.arguments.empty())
    return;
  ArgumentTable table = buildTable(overview.arguments, size, size ? maxName : std::string::npos);
  // Long specs leave less room for names.
  if (size_t columns = table.countColumns(); size && columns > screenColumns) {
    size_t excess = columns - screenColumns;
    table =
        buildTable(overview.arguments, size, std::max(minName, table.nameWidth - std::min(table.nameWidth, excess)));
  }
  out << "\n";
  for (const ArgumentLine &line : table.lines)
    out << "  " << pad(line.name, table.nameWidth + 2) << pad(line.spec, table.specWidth + 2) << line.bytes << "\n";
  if (std::string parts = describeAxisParts(table.lines); !parts.empty())
    out << wrap("  ", parts);
}

//===----------------------------------------------------------------------===//
// Time and memory
//===----------------------------------------------------------------------===//

/// Classes that are named only if they matter.
static bool isMinor(llvm::StringRef word) { return word == "inputs" || word == "other"; }

static void printMemory(const Overview &overview, const Score &score, llvm::raw_ostream &out) {
  const ScorePrices &prices = *score.prices;
  int64_t missing = prices.peakBytes - prices.limitBytes;
  out << "  peak memory   " << (score.isLowerLimit() ? "at least " : "") << printBytes(prices.peakBytes)
      << printWidth(prices.peakWidthPpm) << " per device, of " << printBytes(prices.limitBytes) << ": "
      << (missing > 0            ? "does not fit, short by " + printBytes(missing)
          : score.isLowerLimit() ? "not known whether it fits"
                                 : "fits")
      << "\n";
  std::vector<std::string> parts;
  for (const auto &[word, bytes] : overview.memory)
    if (bytes > (isMinor(word) ? prices.peakBytes / 20 : 0))
      parts.push_back(word.str() + " " + printBytes(bytes));
  if (!parts.empty())
    out << wrap("                ", llvm::join(parts, ", "));
  if (std::string pool = describePool(score); !pool.empty())
    out << wrap("  memory pool   ", pool);
  if (std::string near = describeNearLimit(score); !near.empty())
    out << wrap("  overlap       ", near);
}

static void printCosts(const Overview &overview, const Score &score, llvm::raw_ostream &out) {
  const ScorePrices &prices = *score.prices;
  out << "\n  time          " << (score.isLowerLimit() ? "at least " : "") << printTime(prices.timePs)
      << printWidth(prices.timeWidthPpm) << ": compute " << printTime(prices.computePs) << ", exposed communication "
      << printTime(prices.exposedCommunicationPs);
  if (prices.mfu >= 0.001)
    out << llvm::formatv("; {0:F1}% of the peak flops (MFU)", 100 * prices.mfu);
  out << "\n";
  printMemory(overview, score, out);
}

/// Those that take longest, or move most, in their order.
static std::vector<const ScoreCollective *> chooseCollectives(llvm::ArrayRef<ScoreCollective> all, size_t most) {
  std::vector<const ScoreCollective *> chosen;
  for (const ScoreCollective &entry : all)
    chosen.push_back(&entry);
  if (all.size() <= most + 1)
    return chosen;
  auto getAmount = [](const ScoreCollective *entry) { return entry->timePs.value_or(entry->bytes); };
  llvm::sort(chosen, [&](auto *a, auto *b) { return std::pair(-getAmount(a), a) < std::pair(-getAmount(b), b); });
  chosen.resize(most);
  llvm::sort(chosen);
  return chosen;
}

static void printCollectives(const Score &score, const PageSize &size, llvm::raw_ostream &out) {
  std::vector<std::string> lines;
  std::vector<const ScoreCollective *> chosen = chooseCollectives(score.collectives, size.collectives);
  int64_t restPs = 0;
  for (const ScoreCollective &entry : score.collectives)
    restPs += llvm::is_contained(chosen, &entry) ? 0 : entry.timePs.value_or(0);
  for (const ScoreCollective *entry : chosen)
    lines.push_back(llvm::formatv("{0} x {1} over {2}, {3}", entry->count, entry->kind, llvm::join(entry->axes, ", "),
                                  printBytes(entry->bytes))
                        .str() +
                    (entry->timePs ? ", " + printTime(*entry->timePs) : ""));
  if (chosen.size() < score.collectives.size())
    lines.push_back(llvm::formatv("and {0} more", score.collectives.size() - chosen.size()).str() +
                    (restPs ? ", " + printTime(restPs) : ""));
  if (lines.empty())
    lines.push_back("none");
  for (size_t i = 0; i < lines.size(); ++i)
    out << wrap(i == 0 ? "  collectives   " : "                ", lines[i], 18);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::string describeMoreChanges(size_t count) {
  return count == 0 ? "" : count == 1 ? "; 1 more change" : "; " + std::to_string(count) + " more changes";
}

/// The first changes of a runner-up, `without batch over data; 2 more changes`. If there is no room for a change, its
/// axes are left out.
static std::string cutChanges(llvm::StringRef changes, size_t width) {
  if (changes.size() <= width)
    return changes.str();
  llvm::SmallVector<llvm::StringRef> parts;
  changes.split(parts, "; ");
  for (size_t numShown = parts.size() - 1; numShown > 0; --numShown) {
    std::string text =
        llvm::join(llvm::ArrayRef(parts).take_front(numShown), "; ") + describeMoreChanges(parts.size() - numShown);
    if (text.size() <= width)
      return text;
  }
  std::string rest = describeMoreChanges(parts.size() - 1);
  llvm::StringRef first = parts.front();
  if (first.size() + rest.size() > width)
    first = first.take_front(first.rfind(" over "));
  return cut(first, width - rest.size()) + rest;
}

/// `BP(all axes)` of a strategy over all axes of a mesh of three or more, which would leave no room for its other
/// words.
static std::string nameExpert(llvm::StringRef name, llvm::StringRef mesh) {
  std::vector<std::string> axes;
  for (llvm::StringRef axis : llvm::split(mesh, ','))
    axes.push_back(axis.split('=').first.str());
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, "(" + llvm::join(axes, ", ") + ")");
  return axes.size() < 3 ? name.str() : llvm::join(parts, "(all axes)");
}

static std::string nameRow(const OverviewRow &row) {
  if (row.kind == "unsplit" || row.kind == "rival" || row.kind == "variant")
    return cut(row.name, maxRowName);
  std::string kind = row.kind.str() + ": ";
  return kind + (row.kind == "runner-up" ? cutChanges(row.name, maxRowName - kind.size())
                                         : cut(row.name, maxRowName - kind.size()));
}

static bool isAlike(const OverviewRow &one, const OverviewRow &other) {
  return nameRow(one) == nameRow(other) && printTime(one.timePs) == printTime(other.timePs) &&
         printBytes(one.peakBytes) == printBytes(other.peakBytes);
}

/// The rows that are shown: the best few of each kind. A runner-up that costs the same as the plan, differs in the
/// order of its tactics alone, or reads as the one before it, says nothing.
static std::vector<OverviewRow> chooseRows(llvm::ArrayRef<OverviewRow> compared, const ScorePrices &prices,
                                           const PageSize &size) {
  std::vector<OverviewRow> rows;
  auto isSame = [&](const OverviewRow &row) {
    if (row.kind == "runner-up" && row.name == sameInAnotherOrder)
      return true;
    return row.kind == "runner-up" && printTime(row.timePs) == printTime(prices.timePs) &&
           printBytes(row.peakBytes) == printBytes(prices.peakBytes);
  };
  for (llvm::StringRef kind : {"rival", "variant", "mesh", "placement", "expert", "runner-up", "unsplit"}) {
    size_t most = kind == "runner-up" ? size.runnersUp : size.rows;
    for (const OverviewRow &row : compared)
      if (row.kind == kind && most > 0 && !isSame(row) && (rows.empty() || !isAlike(rows.back(), row))) {
        rows.push_back(row);
        --most;
      }
  }
  return rows;
}

static void printLegend(llvm::ArrayRef<OverviewRow> rows, llvm::raw_ostream &out) {
  std::vector<std::string> names, meanings;
  for (const OverviewRow &row : rows)
    if (row.kind == "expert")
      names.push_back(row.name);
  for (const SeedWord &entry : listSeedWords(names))
    meanings.push_back((entry.word + ": " + entry.meaning).str());
  std::string line;
  for (const std::string &meaning : meanings) {
    if (!line.empty() && line.size() + 2 + meaning.size() > maxLegend)
      out << "  " << std::exchange(line, "") << ";\n";
    line += (line.empty() ? "" : "; ") + meaning;
  }
  if (!line.empty())
    out << "  " << line << "\n";
}

/// What is to be said of a plan beside its figures.
static llvm::StringRef describeRow(const ScorePrices &prices, const OverviewRow &row) {
  if (row.peakBytes > prices.limitBytes)
    return "  does not fit";
  return row.isTooClose ? "  too close to call" : "";
}

static void printCompared(const Overview &overview, const Score &score, const PageSize &size, llvm::raw_ostream &out) {
  const ScorePrices &prices = *score.prices;
  std::vector<OverviewRow> rows = chooseRows(overview.compared, prices, size);
  for (OverviewRow &row : rows)
    if (row.kind == "expert")
      row.name = nameExpert(row.name, score.mesh);
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"unsplit", "this plan", prices.timePs, prices.peakBytes});
    size_t width = 13;
    for (const OverviewRow &row : rows)
      width = std::max(width, countColumns(nameRow(row)));
    out << "\n  " << pad("compared with", width) << llvm::formatv("{0,12}{1,14}\n", "time", "peak memory");
    for (const OverviewRow &row : rows)
      out << "  " << pad(nameRow(row), width)
          << llvm::formatv("{0,12}{1,14}{2}\n", printTime(row.timePs), printBytes(row.peakBytes),
                           describeRow(prices, row));
    printLegend(rows, out);
  }
  // The bound is of the program that is planned: with other microbatches, say, there may be a faster plan.
  bool isRewritten = !overview.memoryActions.empty() || !overview.padding.empty();
  llvm::StringRef ofWhat = isRewritten ? "of the program so rewritten" : "of this program";
  double share = double(prices.lowerBoundPs) / double(std::max<int64_t>(1, prices.timePs));
  if (share >= 0.9995)
    out << "  no plan " << ofWhat << " is faster\n";
  else if (share >= 0.01)
    out << "  no plan " << ofWhat << " is faster than " << printTime(prices.lowerBoundPs) << ": this one is at most "
        << llvm::formatv("{0:F1}%", 100 * (1 - share)) << " from the best\n";
}

static std::string describeUnpriced(const ScoreUnpriced &entry) {
  return llvm::formatv("{0} x {1}", entry.count, entry.target.empty() ? entry.op : entry.target).str() +
         (entry.runs == entry.count ? "" : llvm::formatv(", {0} runs", entry.runs).str()) +
         (entry.places.empty() ? "" : " (" + llvm::join(entry.places, ", ") + ")");
}

static void printWarnings(const Overview &overview, const Score &score, llvm::raw_ostream &out) {
  for (const ScoreUnpriced &entry : score.prices ? llvm::ArrayRef(score.unpriced) : llvm::ArrayRef<ScoreUnpriced>())
    out << wrap("  ", "no price: " + describeUnpriced(entry), 4);
  for (const ConflictReport &conflict : llvm::ArrayRef(overview.conflicts).take_front(maxConflicts))
    printConflict(conflict, out);
  if (overview.conflicts.size() > maxConflicts)
    out << "  and " << overview.conflicts.size() - maxConflicts << " more conflicts\n";
  for (const std::string &note : overview.notes)
    out << wrap("  ", note, 4);
}

/// All arguments with their whole names if `isLong`.
static std::string printSized(const Overview &overview, const Score &score, const PageSize &size, bool isLong) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (std::string unpriced = printUnpriced(score); !unpriced.empty())
    out << wrap("", llvm::StringRef(unpriced).rtrim(), 2);
  out << score.name << " on " << score.mesh << (score.machine.empty() ? "" : " of " + score.machine) << "\n"
      << wrap("strategy: ", overview.strategy);
  for (size_t i = 0; i < overview.memoryActions.size(); ++i)
    out << wrap(i == 0 ? "program:  " : "          ", overview.memoryActions[i]);
  if (!overview.padding.empty())
    out << wrap("padding:  ", overview.padding);
  if (std::string assumed = describeAssumedTrips(score); !assumed.empty())
    out << assumed << "\n";
  printArguments(overview, isLong ? nullptr : &size, out);
  if (score.prices)
    printCosts(overview, score, out);
  else
    out << "\n";
  printCollectives(score, size, out);
  if (score.prices)
    printCompared(overview, score, size, out);
  printWarnings(overview, score, out);
  return text;
}

std::string printOverview(const Overview &overview, const Score &score, bool isLong) {
  std::string text;
  for (const PageSize &size : pageSizes) {
    text = printSized(overview, score, size, isLong);
    if (isLong || llvm::count(text, '\n') <= int64_t(screenLines))
      break;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void writeOverview(const Overview &overview, llvm::json::OStream &json) {
  json.attribute("strategy", overview.strategy);
  if (!overview.memoryActions.empty())
    json.attributeArray("memory_actions", [&] {
      for (const std::string &line : overview.memoryActions)
        json.value(line);
    });
  if (!overview.padding.empty())
    json.attribute("padding", overview.padding);
  json.attributeArray("arguments", [&] {
    for (const OverviewArgument &argument : overview.arguments)
      json.object([&] {
        json.attribute("kind", getWord(argument.kind));
        json.attribute("name", argument.name);
        json.attribute("type", argument.type);
        json.attribute("spec", argument.spec);
        json.attribute("as_parameter", argument.isAsParameter);
        json.attribute("count", argument.count);
        json.attribute("bytes", argument.bytes);
        json.attribute("local_bytes", argument.localBytes);
      });
  });
  json.attributeObject("memory", [&] {
    for (const auto &[word, bytes] : overview.memory)
      json.attribute(word, bytes);
  });
  std::vector<std::string> names;
  json.attributeArray("compared", [&] {
    for (const OverviewRow &row : overview.compared)
      json.object([&] {
        json.attribute("kind", row.kind);
        json.attribute("name", row.name);
        json.attribute("time_ps", row.timePs);
        json.attribute("peak_bytes", row.peakBytes);
        if (row.isTooClose)
          json.attribute("too_close", true);
        if (row.kind == "expert")
          names.push_back(row.name);
      });
  });
  json.attributeObject("legend", [&] {
    for (const SeedWord &entry : listSeedWords(names))
      json.attribute(entry.word, entry.meaning);
  });
  json.attributeArray("notes", [&] {
    for (const std::string &note : overview.notes)
      json.value(note);
  });
}

} // namespace partita::report
