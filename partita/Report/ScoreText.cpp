//===- ScoreText.cpp - a score for a terminal -----------------------------===//

#include "partita/Report/Score.h"

#include "partita/Machine/MemoryPool.h"
#include "partita/Report/SpecText.h"
#include "partita/Report/TimeBand.h"
#include "partita/Report/Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita::report {

static constexpr size_t maxTop = 10;

/// The target of a custom call, or the name of another op.
static std::string nameUnpriced(const ScoreUnpriced &entry) { return entry.target.empty() ? entry.op : entry.target; }

std::optional<bool> Score::fits() const {
  if (!prices || (isLowerLimit() && prices->fits()))
    return std::nullopt;
  return prices->fits();
}

std::optional<int64_t> Score::getPoolPercent() const {
  return prices && !isLowerLimit() ? prices->poolPercent : std::nullopt;
}

std::string describePool(const Score &score) {
  std::optional<int64_t> percent = score.getPoolPercent();
  return percent ? "does not fit in JAX's default pool; fits with " + printPool(*percent) : "";
}

std::string describeNearLimit(const Score &score) {
  if (!score.prices || score.isLowerLimit() || !score.prices->nearLimit)
    return "";
  const NearLimit &near = *score.prices->nearLimit;
  std::string memory = near.overlapBytes > 0 ? "it takes " + printBytes(near.overlapBytes) + " of the peak; " : "";
  return "may be given up near the limit: " + memory + "without it a step takes " + printTime(near.synchronousPs);
}

std::string describeUnpriced(const Score &score) {
  int64_t count = 0;
  std::vector<std::string> names;
  bool areCalls = true;
  for (const ScoreUnpriced &entry : score.unpriced) {
    count += entry.count;
    areCalls &= !entry.target.empty();
    if (std::string name = nameUnpriced(entry); !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  }
  if (count == 0)
    return "";
  llvm::StringRef what =
      areCalls ? (count == 1 ? "custom call has" : "custom calls have") : (count == 1 ? "op has" : "ops have");
  return llvm::formatv("{0} {1} no price ({2}): time and fit are not known", count, what, llvm::join(names, ", "));
}

std::string printUnpriced(const Score &score) {
  return !score.prices || !score.isLowerLimit() ? "" : describeUnpriced(score) + "\n";
}

Status checkPriced(const Score &score) {
  if (!score.prices || !score.isLowerLimit())
    return std::nullopt;
  return Error::unpriced(describeUnpriced(score))
      .withRemedy("the figures are lower limits; give a call a rule and its work: "
                  "--rule 'TARGET=([b,s])->([b,s]) flops=N'");
}

static void printTotals(const Score &score, const ScorePrices &prices, llvm::raw_ostream &out) {
  llvm::StringRef least = score.isLowerLimit() ? "at least " : "";
  auto line = [&](llvm::StringRef key, const std::string &value, const std::string &note = "") {
    out << llvm::formatv("  {0,-22}{1,-12}", key, least + value) << (least.empty() ? "" : " ") << note << "\n";
  };
  std::string width = printWidth(prices.timeWidthPpm);
  line("time", printTime(prices.timePs) + width,
       (width.empty() ? "" : " ") + llvm::formatv("MFU {0:F1}%, lower bound {1}, simulated {2}", 100 * prices.mfu,
                                                  printTime(prices.lowerBoundPs), printTime(prices.simulatedPs))
                                        .str());
  line("compute", printTime(prices.computePs), printShare(prices.computePs, prices.timePs));
  line("communication", printTime(prices.communicationPs),
       "exposed " + printTime(prices.exposedCommunicationPs) + ", " +
           printShare(prices.exposedCommunicationPs, prices.timePs));
  int64_t room = prices.limitBytes - prices.peakBytes;
  std::string peakWidth = printWidth(prices.peakWidthPpm);
  line("peak memory", printBytes(prices.peakBytes) + peakWidth,
       (peakWidth.empty() ? "" : " ") + llvm::formatv("per device, of {0}: {1}", printBytes(prices.limitBytes),
                                                      room < 0 ? "does not fit, short by " + printBytes(-room)
                                                      : score.isLowerLimit() ? "not known whether it fits"
                                                                             : "fits")
                                            .str());
  if (std::string pool = describePool(score); !pool.empty())
    out << llvm::formatv("  {0,-22}{1}\n", "memory pool", pool);
  if (std::string near = describeNearLimit(score); !near.empty())
    out << llvm::formatv("  {0,-22}{1}\n", "overlap", near);
}

static void printCollectives(const Score &score, llvm::raw_ostream &out) {
  if (score.collectives.empty()) {
    out << "  no collectives\n";
    return;
  }
  out << llvm::formatv("\n  {0,-20}{1,-18}{2,8}{3,12}{4,12}{5,12}\n", "collective", "axes", "count", "bytes", "sent",
                       "time");
  for (const ScoreCollective &entry : score.collectives)
    out << llvm::formatv("  {0,-20}{1,-18}{2,8}{3,12}{4,12}{5,12}\n", entry.kind, llvm::join(entry.axes, ","),
                         entry.count, printBytes(entry.bytes), printBytes(entry.wireBytes),
                         entry.timePs ? printTime(*entry.timePs) : "-");
}

static void printReshards(const Score &score, llvm::raw_ostream &out) {
  if (score.reshards.empty())
    return;
  std::vector<const ScoreReshard *> order;
  for (const ScoreReshard &entry : score.reshards)
    order.push_back(&entry);
  llvm::sort(order, [](const ScoreReshard *a, const ScoreReshard *b) {
    return std::tuple(-a->timePs.value_or(0), -a->bytes, a) < std::tuple(-b->timePs.value_or(0), -b->bytes, b);
  });
  out << "\n  largest reshards\n";
  for (const ScoreReshard *entry : llvm::ArrayRef(order).take_front(maxTop)) {
    out << llvm::formatv("  {0,10}{1,7} x{2,11}  {3}\n", entry->timePs ? printTime(*entry->timePs) : "-", entry->count,
                         printBytes(entry->bytes), printStepWords(entry->steps));
    out << llvm::formatv("             {0}: {1} to {2}\n", shorten(entry->value, 60), printSpec(entry->from),
                         printSpec(entry->to));
    out << llvm::formatv("             {0}{1}{2}\n", entry->loc.empty() ? "" : entry->loc + ": ",
                         shorten(entry->cause, 80), entry->tactic.empty() ? "" : ", tactic " + entry->tactic);
  }
  if (order.size() > maxTop)
    out << "             and " << order.size() - maxTop << " more\n";
}

static void printMemory(const ScoreMemory &memory, llvm::raw_ostream &out) {
  out << llvm::formatv("\n  memory: arguments {0}, results {1} of which {2} in buffers of arguments, temporaries {3}\n",
                       printBytes(memory.arguments), printBytes(memory.results), printBytes(memory.aliased),
                       printBytes(memory.temporaries));
  std::vector<std::pair<std::string, int64_t>> categories;
  for (const ScoreAlive &entry : memory.atPeak) {
    auto found = llvm::find_if(categories, [&](const auto &known) { return known.first == entry.category; });
    if (found == categories.end())
      categories.push_back({entry.category, entry.bytes});
    else
      found->second += entry.bytes;
  }
  llvm::sort(categories, [](const auto &a, const auto &b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  out << "  at the peak:";
  bool isFirst = true;
  for (const auto &[name, bytes] : categories)
    out << (std::exchange(isFirst, false) ? " " : "; ") << name << " " << printBytes(bytes);
  out << "\n";
  for (const ScoreAlive &entry : llvm::ArrayRef(memory.atPeak).take_front(5))
    out << llvm::formatv("  {0,10}  {1}{2}\n", printBytes(entry.bytes), shorten(entry.value, 80),
                         entry.loc.empty() ? "" : "  (" + entry.loc + ")");
}

static void printTop(const ScorePrices &prices, llvm::raw_ostream &out) {
  out << "\n  what takes longest\n";
  for (const ScoreItem &item : llvm::ArrayRef(prices.top).take_front(maxTop))
    out << llvm::formatv("  {0,10}{1,8}{2,7} x  {3}{4}\n", printTime(item.timePs),
                         printShare(item.timePs, prices.timePs), item.count, shorten(item.what, 76),
                         item.loc.empty() ? "" : "  " + item.loc);
}

std::string describePlacing(const Score &score) {
  std::string text;
  if (score.rowMajor)
    text = "placed as " + score.placement + ": " + printTime(score.prices->timePs) + "; row-major " +
           printTime(score.rowMajor->timePs);
  if (score.betterPlacement)
    text += (text.empty() ? "" : "; ") + ("--placement " + score.betterPlacement->placement) + " would take " +
            printTime(score.betterPlacement->timePs);
  return text;
}

std::vector<std::string> describeReductions(const Score &score) {
  std::vector<std::string> lines;
  for (const CollectiveProgram &program : score.reductions) {
    std::string sizes;
    if (program.leastBytes == program.mostBytes)
      sizes = ", " + printBytes(program.leastBytes) + ",";
    else if (program.mostBytes < INT64_MAX)
      sizes = ", " + printBytes(program.leastBytes) + " to " + printBytes(program.mostBytes) + ",";
    else if (program.leastBytes > 0)
      sizes = ", from " + printBytes(program.leastBytes) + " on,";
    lines.push_back(getName(program.goal).str() + " over " + llvm::join(program.axes, ", ") + sizes + " runs as " +
                    printProgramSteps(program));
  }
  if (score.withoutReductionsPs && score.prices)
    lines.push_back("collectives in steps: " + printTime(score.prices->timePs) + "; each as one " +
                    printTime(*score.withoutReductionsPs));
  return lines;
}

/// `1 product runs in pieces beside its gather`.
static std::string countProducts(int64_t count, llvm::StringRef collective) {
  return llvm::formatv("{0} product{1} in pieces beside {2} {3}{4}", count, count == 1 ? " runs" : "s run",
                       count == 1 ? "its" : "their", collective, count == 1 ? "" : "s")
      .str();
}

std::string describePieces(const Score &score) {
  int64_t scatters = llvm::count_if(score.pieced, [](const PiecedCollective &each) { return each.isScatter; });
  std::string text;
  if (score.productsInPieces > 0)
    text = countProducts(score.productsInPieces, "gather");
  if (scatters > 0)
    text += (text.empty() ? "" : ", ") + countProducts(scatters, "scatter");
  if (!text.empty() && score.withoutPiecesPs && score.prices)
    text += ": " + printTime(score.prices->timePs) + "; as one each " + printTime(*score.withoutPiecesPs);
  return text;
}

static std::string count(int64_t number, llvm::StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

std::string describeRotated(const Score &score) {
  if (score.rotated.empty())
    return "";
  int64_t reductions = llvm::count_if(score.rotated, [](const RotatedCollective &each) { return each.user.empty(); });
  int64_t gathers = static_cast<int64_t>(score.rotated.size()) - reductions;
  bool isOne = score.rotatedLoops == 1;
  std::string text = count(score.rotatedLoops, "loop");
  if (gathers > 0)
    text += (isOne ? " gathers " : " gather ") + count(gathers, "parameter") + " an iteration ahead";
  if (reductions > 0)
    text += (gathers > 0 ? "," : "") + std::string(isOne ? " reduces " : " reduce ") + count(reductions, "gradient") +
            " an iteration later";
  if (score.withoutRotatedPs && score.prices)
    text += ": " + printTime(score.prices->timePs) + "; in the same iteration " + printTime(*score.withoutRotatedPs);
  return text;
}

std::string describeAssumedTrips(const Score &score) {
  if (!score.prices || score.prices->assumedLoops == 0)
    return "";
  int64_t loops = score.prices->assumedLoops, trips = score.prices->assumedTrips;
  return llvm::formatv("{0} run{1} an unknown number of times: times count {2} trip{3} of {4} (--assume-trips=N says "
                       "how many)",
                       loops == 1 ? "a loop" : std::to_string(loops) + " loops", loops == 1 ? "s" : "", trips,
                       trips == 1 ? "" : "s", loops == 1 ? "it" : "each")
      .str();
}

static void print(const Score &score, llvm::raw_ostream &out) {
  if (score.prices && score.isLowerLimit())
    out << describeUnpriced(score) << "\n";
  out << score.name << " on " << score.mesh;
  if (!score.machine.empty())
    out << ", " << score.machine << " (" << score.placement << ")";
  out << "\n";
  if (std::string assumed = describeAssumedTrips(score); !assumed.empty())
    out << "  " << assumed << "\n";
  if (std::string placing = describePlacing(score); !placing.empty())
    out << "  " << placing << "\n";
  for (const std::string &line : describeReductions(score))
    out << "  " << line << "\n";
  for (const std::string &moved : {describePieces(score), describeRotated(score)})
    if (!moved.empty())
      out << "  " << moved << "\n";
  if (score.prices)
    printTotals(score, *score.prices, out);
  printCollectives(score, out);
  printReshards(score, out);
  for (const ScoreUnpriced &entry : score.unpriced)
    out << "  not priced: " << entry.count << " x " << entry.op << (entry.target.empty() ? "" : " @" + entry.target)
        << (entry.runs == entry.count ? "" : llvm::formatv(", {0} runs", entry.runs).str())
        << (entry.places.empty() ? "" : " (" + llvm::join(entry.places, ", ") + ")") << "\n";
  if (!score.prices)
    return;
  for (const ScoreReplicated &entry : llvm::ArrayRef(score.prices->replicated).take_front(5))
    out << "  replicated: " << shorten(entry.value, 70) << ", " << printBytes(entry.bytes)
        << (entry.reason.empty() ? "" : " (" + entry.reason + ")") << "\n";
  printMemory(score.prices->memory, out);
  printTop(*score.prices, out);
}

std::string printScore(const Score &score) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(score, out);
  return text;
}

std::string printScores(llvm::ArrayRef<Score> scores) {
  if (scores.size() == 1)
    return printScore(scores.front());
  std::string text;
  llvm::raw_string_ostream out(text);
  std::vector<const Score *> order;
  size_t width = 8;
  for (const Score &score : scores) {
    order.push_back(&score);
    width = std::max(width, std::min<size_t>(48, score.name.size()));
  }
  auto key = [](const Score *score) {
    const ScorePrices &prices = *score->prices;
    return std::tuple(!prices.fits(), prices.fits() ? prices.timePs : prices.peakBytes, score);
  };
  llvm::sort(order, [&](const Score *a, const Score *b) { return key(a) < key(b); });
  auto limited = llvm::find_if(scores, [](const Score &score) { return score.isLowerLimit(); });
  if (limited != scores.end())
    out << describeUnpriced(*limited) << "; the figures are lower limits\n";
  out << "plan" << std::string(width - 2, ' ')
      << llvm::formatv("{0,10}{1,8}{2,11}{3,11}{4,11}{5,10}  {6}\n", "time", "MFU", "compute", "comm.", "exposed",
                       "peak", "");
  for (const Score *score : order) {
    const ScorePrices &prices = *score->prices;
    std::string name = shorten(score->name, width);
    out << name << std::string(width + 2 - name.size(), ' ')
        << llvm::formatv("{0,10}{1,8}{2,11}{3,11}{4,11}{5,10}  {6}\n", printTime(prices.timePs),
                         llvm::formatv("{0:F1}%", 100 * prices.mfu).str(), printTime(prices.computePs),
                         printTime(prices.communicationPs), printTime(prices.exposedCommunicationPs),
                         printBytes(prices.peakBytes),
                         !prices.fits()          ? "short by " + printBytes(prices.peakBytes - prices.limitBytes)
                         : score->isLowerLimit() ? "not known"
                                                 : "fits");
  }
  return text;
}

} // namespace partita::report
