//===- OverviewText.cpp - an overview for a terminal and as JSON ----------===//

#include "partita/Report/Overview.h"
#include "partita/Report/TacticText.h"
#include "partita/Report/TimeBand.h"
#include "partita/Report/Units.h"
#include "partita/Search/SeedWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

static constexpr size_t maxParameters = 8, maxOthers = 5, maxCollectives = 6, maxRows = 3, maxRunnersUp = 2,
                        maxConflicts = 3;
static constexpr size_t maxName = 64, maxRowName = 64, maxLegend = 112;

/// A text that is too long without its middle: the end of a change names the axis.
static std::string cut(llvm::StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  size_t end = (width - 3) / 2;
  return text.take_front(width - 3 - end).str() + "..." + text.take_back(end).str();
}

static std::string pad(const std::string &text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

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

static ArgumentLine makeLine(const OverviewArgument &argument) {
  std::string count = argument.count > 1 ? " x" + std::to_string(argument.count) : "";
  return {shortenName(argument.name, maxName - count.size()) + count, argument.spec,
          describeBytes(argument.localBytes, argument.bytes)};
}

/// A line for arguments that have none of their own.
static ArgumentLine sumUp(llvm::ArrayRef<const OverviewArgument *> rest, std::string name, std::string spec) {
  int64_t bytes = 0, localBytes = 0;
  for (const OverviewArgument *argument : rest) {
    bytes += argument->bytes;
    localBytes += argument->localBytes;
  }
  return {std::move(name), std::move(spec), describeBytes(localBytes, bytes)};
}

static std::vector<ArgumentLine> listLines(llvm::ArrayRef<OverviewArgument> arguments, bool isLong) {
  std::vector<ArgumentLine> lines;
  std::vector<const OverviewArgument *> parameters, likeParameters, others, inputs;
  for (const OverviewArgument &argument : arguments) {
    bool isLike = argument.isAsParameter && !isLong;
    (isLike                                  ? likeParameters
     : argument.kind == GroupKind::Parameter ? parameters
     : argument.kind == GroupKind::Input     ? inputs
                                             : others)
        .push_back(&argument);
  }
  auto addSome = [&](llvm::ArrayRef<const OverviewArgument *> list, size_t most) {
    size_t numShown = isLong || list.size() <= most + 1 ? list.size() : most;
    for (const OverviewArgument *argument : list.take_front(numShown))
      lines.push_back(makeLine(*argument));
    if (numShown < list.size())
      lines.push_back(sumUp(list.drop_front(numShown),
                            llvm::formatv("and {0} more, in the details", list.size() - numShown).str(), ""));
  };
  addSome(parameters, maxParameters);
  if (!likeParameters.empty())
    lines.push_back(sumUp(likeParameters, "optimizer state", "as its parameters"));
  addSome(others, maxOthers);
  addSome(inputs, maxOthers);
  return lines;
}

static void printArguments(const Overview &overview, bool isLong, llvm::raw_ostream &out) {
  std::vector<ArgumentLine> lines = listLines(overview.arguments, isLong);
  if (lines.empty())
    return;
  lines.insert(lines.begin(), {"argument", "sharding", "bytes per device"});
  size_t nameWidth = 0, specWidth = 0;
  for (const ArgumentLine &line : lines) {
    nameWidth = std::max(nameWidth, line.name.size());
    specWidth = std::max(specWidth, line.spec.size());
  }
  out << "\n";
  for (const ArgumentLine &line : lines)
    out << "  " << pad(line.name, nameWidth + 2) << pad(line.spec, specWidth + 2) << line.bytes << "\n";
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
    out << "                " << llvm::join(parts, ", ") << "\n";
  if (std::string pool = describePool(score); !pool.empty())
    out << "  memory pool   " << pool << "\n";
  if (std::string near = describeNearLimit(score); !near.empty())
    out << "  overlap       " << near << "\n";
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

static void printCollectives(const Score &score, llvm::raw_ostream &out) {
  std::vector<std::string> lines;
  for (const ScoreCollective &entry : llvm::ArrayRef(score.collectives).take_front(maxCollectives))
    lines.push_back(llvm::formatv("{0} x {1} over {2}, {3}", entry.count, entry.kind, llvm::join(entry.axes, ", "),
                                  printBytes(entry.bytes))
                        .str() +
                    (entry.timePs ? ", " + printTime(*entry.timePs) : ""));
  if (score.collectives.size() > maxCollectives)
    lines.push_back(llvm::formatv("and {0} more", score.collectives.size() - maxCollectives).str());
  if (lines.empty())
    lines.push_back("none");
  for (size_t i = 0; i < lines.size(); ++i)
    out << (i == 0 ? "  collectives   " : "                ") << lines[i] << "\n";
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The first changes of a runner-up, `without batch over data; ...`, and how many more there are.
static std::string cutChanges(llvm::StringRef changes, size_t width) {
  llvm::SmallVector<llvm::StringRef> parts;
  changes.split(parts, "; ");
  for (size_t count = parts.size(); count > 1 && changes.size() > width; --count) {
    std::string kept = llvm::join(llvm::ArrayRef(parts).take_front(count - 1), "; ");
    std::string text = kept + "; " + std::to_string(parts.size() - count + 1) + " more";
    if (text.size() <= width || count == 2)
      return cut(text, width);
  }
  return cut(changes, width);
}

static std::string nameRow(const OverviewRow &row) {
  if (row.kind == "unsplit" || row.kind == "rival" || row.kind == "variant")
    return cut(row.name, maxRowName);
  std::string kind = row.kind.str() + ": ";
  return kind + (row.kind == "runner-up" ? cutChanges(row.name, maxRowName - kind.size())
                                         : cut(row.name, maxRowName - kind.size()));
}

/// The rows that are shown: the best few of each kind. A runner-up that costs the same as the plan says nothing.
static std::vector<OverviewRow> chooseRows(llvm::ArrayRef<OverviewRow> compared, const ScorePrices &prices) {
  std::vector<OverviewRow> rows;
  auto isSame = [&](const OverviewRow &row) {
    return row.kind == "runner-up" && printTime(row.timePs) == printTime(prices.timePs) &&
           printBytes(row.peakBytes) == printBytes(prices.peakBytes);
  };
  for (llvm::StringRef kind : {"rival", "variant", "mesh", "placement", "expert", "runner-up", "unsplit"}) {
    size_t most = kind == "runner-up" ? maxRunnersUp : maxRows;
    for (const OverviewRow &row : compared)
      if (row.kind == kind && most > 0 && !isSame(row)) {
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

static void printCompared(const Overview &overview, const Score &score, llvm::raw_ostream &out) {
  const ScorePrices &prices = *score.prices;
  std::vector<OverviewRow> rows = chooseRows(overview.compared, prices);
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"unsplit", "this plan", prices.timePs, prices.peakBytes});
    size_t width = 13;
    for (const OverviewRow &row : rows)
      width = std::max(width, nameRow(row).size());
    out << "\n  " << pad("compared with", width) << llvm::formatv("{0,12}{1,14}\n", "time", "peak memory");
    for (const OverviewRow &row : rows)
      out << "  " << pad(nameRow(row), width)
          << llvm::formatv("{0,12}{1,14}{2}\n", printTime(row.timePs), printBytes(row.peakBytes),
                           describeRow(prices, row));
    printLegend(rows, out);
  }
  double share = double(prices.lowerBoundPs) / double(std::max<int64_t>(1, prices.timePs));
  if (share >= 0.9995)
    out << "  no plan is faster\n";
  else if (share >= 0.01)
    out << "  no plan is faster than " << printTime(prices.lowerBoundPs) << ": this one is at most "
        << llvm::formatv("{0:F1}%", 100 * (1 - share)) << " from the best\n";
}

static void printWarnings(const Overview &overview, const Score &score, llvm::raw_ostream &out) {
  for (const ScoreUnpriced &entry : score.prices ? llvm::ArrayRef(score.unpriced) : llvm::ArrayRef<ScoreUnpriced>())
    out << "  no price: " << entry.count << " x " << (entry.target.empty() ? entry.op : entry.target)
        << (entry.runs == entry.count ? "" : llvm::formatv(", {0} runs", entry.runs).str())
        << (entry.places.empty() ? "" : " (" + llvm::join(entry.places, ", ") + ")") << "\n";
  for (const ConflictReport &conflict : llvm::ArrayRef(overview.conflicts).take_front(maxConflicts))
    printConflict(conflict, out);
  if (overview.conflicts.size() > maxConflicts)
    out << "  and " << overview.conflicts.size() - maxConflicts << " more conflicts\n";
  for (const std::string &note : overview.notes)
    out << "  " << note << "\n";
}

std::string printOverview(const Overview &overview, const Score &score, bool isLong) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << printUnpriced(score) << score.name << " on " << score.mesh
      << (score.machine.empty() ? "" : " of " + score.machine) << "\nstrategy: " << overview.strategy << "\n";
  for (size_t i = 0; i < overview.memoryActions.size(); ++i)
    out << (i == 0 ? "program:  " : "          ") << overview.memoryActions[i] << "\n";
  if (!overview.padding.empty())
    out << "padding:  " << overview.padding << "\n";
  if (std::string assumed = describeAssumedTrips(score); !assumed.empty())
    out << assumed << "\n";
  printArguments(overview, isLong, out);
  if (score.prices)
    printCosts(overview, score, out);
  else
    out << "\n";
  printCollectives(score, out);
  if (score.prices)
    printCompared(overview, score, out);
  printWarnings(overview, score, out);
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
