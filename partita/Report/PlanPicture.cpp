//===- PlanPicture.cpp - what the page of a plan shows --------------------===//

#include "partita/Report/PlanPicture.h"

#include "partita/Cost/ExchangePrice.h"
#include "partita/Graph/Paths.h"
#include "partita/Report/MergedNames.h"
#include "partita/Report/Overview.h"
#include "partita/Report/PaddingText.h"
#include "partita/Report/RewriteText.h"
#include "partita/Schedule/ArgumentKinds.h"
#include "partita/Schedule/TacticReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace partita::report {

static constexpr size_t maxPoints = 1500, maxCurvePoints = 800, maxLines = 300, maxValues = 8, maxSteps = 3;
static constexpr int64_t maxOrderedDevices = 4096;

//===----------------------------------------------------------------------===//
// Specs
//===----------------------------------------------------------------------===//

static std::string printDim(const Axes &axes, const DimAxes &dim) {
  std::vector<std::string> names = getNames(axes, dim);
  if (names.empty())
    return "None";
  std::string text = "'" + llvm::join(names, "', '") + "'";
  return names.size() == 1 ? text : "(" + text + ")";
}

std::string printPartitionSpec(const Axes &axes, const Sharding &sharding) {
  std::vector<std::string> dims;
  for (const DimAxes &dim : sharding.dims)
    dims.push_back(printDim(axes, dim));
  while (!dims.empty() && dims.back() == "None")
    dims.pop_back();
  return "P(" + llvm::join(dims, ", ") + ")";
}

/// `512x256xf32`.
static std::string printShape(const Graph &graph, CellId cell) {
  std::string type = printType(graph, cell);
  llvm::StringRef shape = type;
  return shape.consume_front("tensor<") && shape.consume_back(">") ? shape.str() : type;
}

static SpecLine describeCell(const Plan &plan, CellId cell, llvm::StringRef kind) {
  const Graph &graph = plan.getGraph();
  Sharding sharding = plan.assignment.getCellSharding(cell);
  SpecLine line;
  line.name = graph.getName(graph.cells[cell].name).str();
  line.kind = kind.str();
  line.type = printShape(graph, cell);
  line.spec = printPartitionSpec(plan.axes, sharding);
  line.count = 1;
  line.bytes = computeLocalBits(plan.axes, graph.getShape(cell), graph.cells[cell].elementBits, sharding) / 8;
  line.wholeBytes = graph.getBytes(cell);
  return line;
}

namespace {

/// Lines in the order of their first cells, those alike but for numbers in their names as one.
class SpecLines {
public:
  void add(SpecLine line) {
    auto key = std::tuple(collapseNumbers(line.name), line.kind, line.type, line.spec);
    auto [entry, isNew] = numbers.try_emplace(key, lines.size());
    if (isNew) {
      names.push_back({line.name});
      lines.push_back(std::move(line));
      return;
    }
    names[entry->second].push_back(line.name);
    SpecLine &sum = lines[entry->second];
    ++sum.count;
    sum.bytes += line.bytes;
    sum.wholeBytes += line.wholeBytes;
  }

  std::vector<SpecLine> take() {
    for (auto [line, merged] : llvm::zip_equal(lines, names))
      line.name = mergeNames(merged);
    return std::move(lines);
  }

private:
  std::vector<SpecLine> lines;
  /// Of the cells of each line.
  std::vector<std::vector<std::string>> names;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> numbers;
};

} // namespace

/// Arguments, and results that are no next state of one.
static std::vector<SpecLine> listSpecs(const Plan &plan) {
  const Graph &graph = plan.getGraph();
  ArgumentKinds kinds = findArgumentKinds(plan.program.topology);
  SpecLines list;
  for (CellId cell : graph.arguments)
    list.add(describeCell(plan, cell, getWord(kinds.kinds[cell])));
  std::set<CellId> states;
  for (const Tie &tie : graph.ties)
    states.insert(tie.result);
  for (CellId cell : graph.results)
    if (!states.contains(cell))
      list.add(describeCell(plan, cell, "result"));
  return list.take();
}

//===----------------------------------------------------------------------===//
// Source lines
//===----------------------------------------------------------------------===//

static void addOnce(std::vector<std::string> &list, const std::string &text, size_t most) {
  if (!text.empty() && list.size() < most && !llvm::is_contained(list, text))
    list.push_back(text);
}

static void addTime(std::optional<int64_t> &sum, std::optional<int64_t> timePs) {
  if (timePs)
    sum = sum.value_or(0) + *timePs;
}

/// Edges of windows and partial results that ops send by themselves.
static void addExchanges(const Price &price, std::map<std::string, SourceLine> &found) {
  const Plan &plan = price.plan;
  const Graph &graph = plan.getGraph();
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    int64_t times =
        multiplySaturated(price.model.getMultiplicity().get(op), price.model.getTimes(graph.ops[op].region));
    llvm::SmallVector<OpExchange, 2> exchanges = listExchanges(plan.assignment, op).collectives;
    if (exchanges.empty() || times == 0)
      continue;
    SourceLine &line = found[graph.getName(graph.ops[op].location).str()];
    line.loc = graph.getName(graph.ops[op].location).str();
    addOnce(line.tactics, "what the op needs of its neighbors", maxSteps);
    ++line.values;
    for (const OpExchange &exchange : exchanges) {
      DimAxes axes = plan.assignment.getFactorAxes(plan.program.topology.getNode(op), exchange.factor);
      CollectivePrice one = priceExchange(price.model, plan.assignment, op, exchange);
      int64_t timePs = multiplySaturated(one.timePs, times);
      addOnce(line.steps, (getName(exchange.kind) + " {" + llvm::join(getNames(plan.axes, axes), ", ") + "}").str(),
              maxSteps);
      line.count += times;
      line.bytes += multiplySaturated(exchange.payloadBytes, times);
      addTime(line.timePs, timePs);
      addTime(line.exposedPs, timePs);
    }
  }
}

/// The most expensive first.
static std::vector<SourceLine> listLines(const Score &score, const Price *price) {
  std::map<std::string, SourceLine> found;
  if (price)
    addExchanges(*price, found);
  for (const ScoreReshard &reshard : score.reshards) {
    if (reshard.bytes == 0)
      continue;
    SourceLine &line = found[reshard.loc];
    line.loc = reshard.loc;
    addOnce(line.steps, reshard.steps, maxSteps);
    addOnce(line.tactics, reshard.tactic, maxSteps);
    ++line.values;
    line.count += reshard.count;
    line.bytes += reshard.bytes;
    addTime(line.timePs, reshard.timePs);
    addTime(line.exposedPs, reshard.exposedPs);
  }
  std::vector<SourceLine> lines;
  for (auto &[loc, line] : found)
    lines.push_back(std::move(line));
  llvm::sort(lines, [](const SourceLine &a, const SourceLine &b) {
    return std::tuple(-a.timePs.value_or(0), -a.bytes, a.loc) < std::tuple(-b.timePs.value_or(0), -b.bytes, b.loc);
  });
  if (lines.size() > maxLines)
    lines.resize(maxLines);
  return lines;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

static std::vector<MemoryClass> listClasses(const ScoreMemory &memory) {
  std::vector<MemoryClass> classes;
  for (const ScoreAlive &value : memory.atPeak) {
    auto isOwn = [&](const MemoryClass &each) { return each.category == value.category; };
    auto own = llvm::find_if(classes, isOwn);
    if (own == classes.end())
      own = classes.insert(own, MemoryClass{value.category, 0, {}});
    own->bytes += value.bytes;
    if (own->values.size() < maxValues)
      own->values.push_back(value);
  }
  return classes;
}

static std::vector<LinkPicture> listLinks(const Price &price, llvm::ArrayRef<ScoreLevel> traffic) {
  std::vector<LinkPicture> links;
  const Mesh &mesh = price.plan.getMesh();
  for (auto [number, level] : llvm::enumerate(price.getMachine().levels)) {
    LinkPicture link{
        level.name, getName(level.kind).str(), level.size, level.bytesPerSecond.value, 0, 0, {},
    };
    for (const ScoreLevel &own : traffic)
      if (own.name == level.name) {
        link.bytes = own.bytes;
        link.busyPs = own.busyPs;
      }
    for (auto [axis, parts] : llvm::enumerate(price.setting.placement.axes))
      for (const LevelPart &part : parts)
        if (part.level == number && part.size > 1)
          link.axes.push_back(mesh.axes[axis].name +
                              (part.size == mesh.axes[axis].size ? "" : ":" + std::to_string(part.size)));
    links.push_back(std::move(link));
  }
  return links;
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

std::vector<EvaluatedPoint> thinPoints(std::vector<EvaluatedPoint> points, size_t maxPoints) {
  llvm::sort(points);
  points.erase(llvm::unique(points), points.end());
  if (points.size() <= maxPoints)
    return points;
  std::vector<EvaluatedPoint> kept, others;
  int64_t leastBytes = INT64_MAX;
  for (const EvaluatedPoint &point : points) {
    bool isFront = point.peakBytes < leastBytes && kept.size() < maxPoints;
    leastBytes = std::min(leastBytes, point.peakBytes);
    (isFront ? kept : others).push_back(point);
  }
  size_t left = maxPoints - kept.size();
  for (size_t number = 0; number < left; ++number)
    kept.push_back(others[number * others.size() / left]);
  llvm::sort(kept);
  return kept;
}

/// `addedPs` is the time of the program's existing collectives, which no search counts.
static RivalsPicture listRivals(const FoundTactics &found, bool hasExperts, int64_t addedPs) {
  RivalsPicture rivals{found.seeds, found.others, {}, found.start, {}, found.numEvaluations};
  std::vector<std::string> names;
  for (Strategy &each : rivals.experts) {
    each.timePs += addedPs;
    each.name = names.emplace_back(joinSeedWords(each.name, hasExperts));
  }
  rivals.legend = listSeedWords(names);
  for (Strategy &each : rivals.others)
    each.timePs += addedPs;
  rivals.start.timePs += addedPs;
  std::vector<EvaluatedPoint> points;
  for (const EvaluatedCost &each : found.evaluated)
    points.push_back({each.timePs + addedPs, each.peakBytes});
  rivals.evaluated = thinPoints(std::move(points), maxPoints);
  return rivals;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// What each search says of its moves, or the names of tactics.
static std::vector<std::string> listWords(const PictureSource &source) {
  std::vector<std::string> words;
  for (const FoundTactics &found : source.search.found)
    llvm::append_range(words, found.words);
  if (!source.search.found.empty())
    return words;
  std::set<llvm::StringRef> seen;
  for (const TacticReport &tactic : source.plan.outcome.reports)
    if (!tactic.name.empty() && seen.insert(tactic.name).second)
      words.push_back(tactic.name);
  return words;
}

static std::vector<std::string> listRemarks(const Score &score) {
  std::vector<std::string> remarks;
  for (const std::string &remark : {describeUnpriced(score), describePool(score), describeAssumedTrips(score)})
    if (!remark.empty())
      remarks.push_back(remark);
  if (std::string near = describeNearLimit(score); !near.empty())
    remarks.push_back("overlap is " + near);
  return remarks;
}

static void addPriced(const PictureSource &source, PlanPicture &picture) {
  const Price &price = *source.price;
  const Graph &graph = source.plan.getGraph();
  const ScorePrices &prices = *source.score.prices;
  picture.memory = listClasses(prices.memory);
  picture.memoryCurve =
      thinMemoryCurve(buildMemoryCurve(graph, *source.timeline, computeLiveBytes(price)), maxCurvePoints);
  picture.timeline = foldTimeline(graph, assignLanes(price, *source.timeline));
  picture.links = listLinks(price, prices.levels);
  if (source.plan.getMesh().getNumDevices() <= maxOrderedDevices)
    picture.deviceOrder = computeDeviceOrder(price.setting.placement, source.plan.getMesh(), price.getMachine());
  if (source.search.rival && source.search.rival->isBaseline)
    picture.baseline = source.search.rival->strategy;
  if (!source.search.found.empty())
    picture.rivals = listRivals(source.search.found.back(), hasExperts(source.analysis),
                                price.computeTimePs() - price.getCost().timePs);
}

PlanPicture buildPicture(const PictureSource &source) {
  PlanPicture picture;
  picture.score = source.score;
  picture.program = source.plan.getGraph().programName;
  picture.strategy = describeStrategy(source.plan, source.search, source.analysis, source.rewrites);
  picture.changes = describeRewrites(source.rewrites);
  if (std::string padding = describePadding(source.rewrites, source.plan, source.analysis); !padding.empty())
    picture.changes.push_back("padding: " + padding);
  picture.words = listWords(source);
  picture.remarks = listRemarks(source.score);
  picture.specs = listSpecs(source.plan);
  picture.lines = listLines(source.score, source.price);
  picture.axes = source.plan.getMesh().axes;
  if (source.price)
    addPriced(source, picture);
  return picture;
}

} // namespace partita::report
