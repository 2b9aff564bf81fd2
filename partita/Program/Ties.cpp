//===- Ties.cpp - arguments and results that are one state ----------------===//

#include "partita/Program/Ties.h"

#include "partita/Graph/Paths.h"
#include "partita/Program/Names.h"
#include "partita/Program/StateFlow.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace partita::program {

static std::string printShape(const Graph &graph, CellId cell) {
  std::string text = graph.getName(graph.cells[cell].element).str();
  for (int64_t size : graph.getShape(cell))
    text += "x" + std::to_string(size);
  return text;
}

static bool isNumber(llvm::StringRef component) { return llvm::all_of(component, llvm::isDigit); }

namespace {

/// Which components of a result's and of an argument's name are compared.
struct NameRule {
  /// How many components of the result's name are dropped; without a number its first one, if that is a position.
  std::optional<size_t> numDropped;
  bool dropsArgument = true;
};

class TieFinder {
public:
  explicit TieFinder(Graph &graph) : graph(graph), isTied(graph.cells.size(), 0), isOffered(graph.cells.size(), 0) {
    for (const Tie &tie : graph.ties)
      isTied[tie.argument] = isTied[tie.result] = 1;
    for (CellId cell : graph.arguments)
      components[cell] = splitStateName(graph.getName(graph.cells[cell].name), /*isResult=*/false);
    for (CellId cell : graph.results)
      components[cell] = splitStateName(graph.getName(graph.cells[cell].name), /*isResult=*/true);
  }

  void addByName(NameRule rule);
  void addByAliasing(llvm::ArrayRef<Tie> aliases);
  void addByFlow();

private:
  std::string buildKey(CellId cell, llvm::ArrayRef<std::string> parts, bool mayBeNumbers) const;
  std::string getArgumentKey(CellId cell, NameRule rule) const;
  std::string getResultKey(CellId cell, NameRule rule) const;
  bool hasName(CellId result) const;
  const StateSources &getSources(CellId result);
  void tie(CellId argument, CellId result);
  llvm::SmallVector<CellId> findCandidates(CellId result);
  Tie findNearest(llvm::ArrayRef<CellId> results);
  void eliminate(llvm::ArrayRef<CellId> arguments, llvm::ArrayRef<CellId> results);
  bool isStep(llvm::ArrayRef<CellId> results);
  bool isStateLike(CellId cell) const { return graph.cells[cell].rank > 0 || !isFloat(graph, cell); }
  void addRest(llvm::ArrayRef<CellId> arguments, llvm::ArrayRef<CellId> results);

  Graph &graph;
  IdVector<CellId, uint8_t> isTied;
  /// The arguments among which `eliminate` looks.
  IdVector<CellId, uint8_t> isOffered;
  std::map<CellId, std::vector<std::string>> components;
  /// Made when it is first asked for: most programs have names.
  std::optional<Neighbors> neighbors;
  std::optional<StateFlow> flow;
  std::map<CellId, StateSources> sources;
};

} // namespace

void TieFinder::tie(CellId argument, CellId result) {
  graph.ties.push_back({argument, result});
  isTied[argument] = isTied[result] = 1;
}

const StateSources &TieFinder::getSources(CellId result) {
  if (!flow) {
    neighbors.emplace(graph);
    flow.emplace(graph, *neighbors);
  }
  auto [found, isNew] = sources.try_emplace(result);
  if (isNew)
    found->second = flow->findSources(result);
  return found->second;
}

/// The offered arguments that the result may be the next value of.
llvm::SmallVector<CellId> TieFinder::findCandidates(CellId result) {
  llvm::SmallVector<CellId> candidates;
  if (isTied[result])
    return candidates;
  const StateSources &from = getSources(result);
  for (CellId cell : llvm::concat<const CellId>(from.arguments, from.written))
    if (isOffered[cell] && !isTied[cell] && !llvm::is_contained(candidates, cell))
      candidates.push_back(cell);
  return candidates;
}

/// Of results with several candidates, that with the nearest one, if no other is as near; invalid if there is none.
Tie TieFinder::findNearest(llvm::ArrayRef<CellId> results) {
  Tie nearest;
  uint32_t least = UINT32_MAX;
  for (CellId result : results) {
    if (isTied[result])
      continue;
    const StateSources &from = getSources(result);
    llvm::SmallVector<std::pair<CellId, uint32_t>> open;
    for (auto [cell, distance] : llvm::zip(from.arguments, from.distances))
      if (isOffered[cell] && !isTied[cell])
        open.push_back({cell, distance});
    if (open.size() > 1 && open[0].second < open[1].second && open[0].second < least) {
      nearest = {open[0].first, result};
      least = open[0].second;
    }
  }
  return nearest;
}

/// Ties results that are computed from one argument alone, until there is none. Adam's moments depend on their own old
/// values, its parameters on both moments: when the moments are tied, one candidate is left for the parameter. If
/// gradients depend on single elements of parameters, too (weight decay), a state's own old value is the nearest.
void TieFinder::eliminate(llvm::ArrayRef<CellId> arguments, llvm::ArrayRef<CellId> results) {
  for (CellId argument : arguments)
    isOffered[argument] = 1;
  for (bool isChanged = true; std::exchange(isChanged, false);) {
    for (CellId result : results)
      if (llvm::SmallVector<CellId> candidates = findCandidates(result); candidates.size() == 1) {
        tie(candidates.front(), result);
        isChanged = true;
      }
    if (!isChanged)
      if (Tie nearest = findNearest(results); nearest.result.isValid()) {
        tie(nearest.argument, nearest.result);
        isChanged = true;
      }
  }
  for (CellId argument : arguments)
    isOffered[argument] = 0;
}

std::string TieFinder::buildKey(CellId cell, llvm::ArrayRef<std::string> parts, bool mayBeNumbers) const {
  bool isWord = !parts.empty() && (mayBeNumbers || !llvm::all_of(parts, isNumber));
  return isWord ? llvm::join(parts, "/") + " " + printShape(graph, cell) : "";
}

std::string TieFinder::getArgumentKey(CellId cell, NameRule rule) const {
  llvm::ArrayRef<std::string> parts = components.at(cell);
  return buildKey(cell, rule.dropsArgument ? parts.drop_front(parts.empty() ? 0 : 1) : parts, !rule.numDropped);
}

std::string TieFinder::getResultKey(CellId cell, NameRule rule) const {
  llvm::ArrayRef<std::string> parts = components.at(cell);
  if (rule.numDropped)
    return *rule.numDropped < parts.size() ? buildKey(cell, parts.drop_front(*rule.numDropped), false) : "";
  // A function that returns several things names them by position; a user may name a result as an argument.
  llvm::StringRef name = graph.getName(graph.cells[cell].name);
  bool isJax = name.starts_with("result") || name.starts_with("[") || name.starts_with(".");
  bool dropsFirst = !parts.empty() && (!isJax || isNumber(parts.front()));
  return buildKey(cell, parts.drop_front(dropsFirst ? 1 : 0), true);
}

/// Ties by names and types. Where several arguments or results have one name, as `params['w']` and `momentum['w']`,
/// flow tells which belong together; what it leaves is tied in order if as many results have it.
void TieFinder::addByName(NameRule rule) {
  struct Named {
    std::vector<CellId> arguments, results;
  };
  llvm::StringMap<Named> named;
  std::vector<std::string> order;
  for (CellId cell : graph.arguments)
    if (std::string key = isTied[cell] ? "" : getArgumentKey(cell, rule); !key.empty()) {
      named[key].arguments.push_back(cell);
      order.push_back(std::move(key));
    }
  if (order.empty())
    return;
  for (CellId cell : graph.results)
    if (!isTied[cell])
      if (auto found = named.find(getResultKey(cell, rule)); found != named.end())
        found->second.results.push_back(cell);
  for (const std::string &key : order) {
    Named cells = std::exchange(named[key], Named());
    if (cells.arguments.size() > 1 || cells.results.size() > 1)
      eliminate(cells.arguments, cells.results);
    llvm::erase_if(cells.arguments, [&](CellId cell) { return isTied[cell]; });
    llvm::erase_if(cells.results, [&](CellId cell) { return isTied[cell]; });
    if (cells.arguments.size() == 1 || cells.arguments.size() == cells.results.size())
      for (auto [argument, result] : llvm::zip(cells.arguments, cells.results))
        tie(argument, result);
  }
}

/// JAX gives donated buffers to results of the same type, whatever they are: flow has to agree.
void TieFinder::addByAliasing(llvm::ArrayRef<Tie> aliases) {
  auto isSource = [&](const Tie &alias) {
    const StateSources &from = getSources(alias.result);
    return llvm::is_contained(from.arguments, alias.argument) || llvm::is_contained(from.written, alias.argument);
  };
  for (const Tie &alias : aliases)
    if (!isTied[alias.argument] && !isTied[alias.result] && haveSameType(graph, alias.argument, alias.result) &&
        isSource(alias))
      tie(alias.argument, alias.result);
}

/// Whether the result's name says more than its position.
bool TieFinder::hasName(CellId result) const {
  llvm::StringRef name = graph.getName(graph.cells[result].name);
  llvm::StringRef number = name;
  return !(number.consume_front("result") && isNumber(number)) && !llvm::all_of(components.at(result), isNumber);
}

/// Whether the results look like the next state of a training step, and not like `x + f(x)`: some are computed from
/// several arguments of their type, as an optimizer does; or there is a scalar beside them, and what is updated by more
/// than functions of single elements is most of the arguments, or of several shapes.
bool TieFinder::isStep(llvm::ArrayRef<CellId> results) {
  int64_t bytes = 0, updatedBytes = 0;
  std::set<std::string> shapes;
  for (CellId cell : graph.arguments)
    bytes += isFloat(graph, cell) ? graph.getBytes(cell) : 0;
  for (CellId result : results) {
    const StateSources &from = getSources(result);
    if (from.arguments.empty() || !from.hasOthers)
      continue;
    if (from.arguments.size() > 1)
      return true;
    updatedBytes += graph.getBytes(result);
    shapes.insert(printShape(graph, result));
  }
  bool hasScalar = llvm::any_of(
      graph.results, [&](CellId cell) { return graph.cells[cell].rank == 0 && isFloat(graph, cell) && !isTied[cell]; });
  return hasScalar && (updatedBytes * 2 > bytes || shapes.size() > 1);
}

void TieFinder::addByFlow() {
  llvm::SmallVector<CellId> results, arguments;
  llvm::copy_if(graph.results, std::back_inserter(results),
                [&](CellId cell) { return !isTied[cell] && !hasName(cell) && isStateLike(cell); });
  llvm::copy_if(graph.arguments, std::back_inserter(arguments),
                [&](CellId cell) { return !isTied[cell] && isStateLike(cell); });
  if (arguments.empty() || results.empty())
    return;
  if (isStep(results)) {
    eliminate(arguments, results);
    addRest(arguments, results);
    return;
  }
  // Elsewhere a result may look like its argument by chance. A buffer that is written or given away is a state.
  llvm::SmallVector<CellId> written, given;
  llvm::copy_if(results, std::back_inserter(written), [&](CellId cell) { return !getSources(cell).written.empty(); });
  llvm::copy_if(arguments, std::back_inserter(given),
                [&](CellId cell) { return llvm::is_contained(graph.donated, cell); });
  eliminate(arguments, written);
  eliminate(given, results);
}

/// Ties what is computed from the next values of other states alone, in order and if as many arguments of the type are
/// left: 16-bit copies of what the optimizer updates, averages without their bias.
void TieFinder::addRest(llvm::ArrayRef<CellId> arguments, llvm::ArrayRef<CellId> results) {
  struct Alike {
    llvm::SmallVector<CellId> arguments, results;
  };
  llvm::MapVector<std::string, Alike, llvm::StringMap<unsigned>> alike;
  for (CellId cell : arguments)
    if (!isTied[cell] && isFloat(graph, cell))
      alike[printShape(graph, cell)].arguments.push_back(cell);
  for (CellId cell : results) {
    const StateSources &from = getSources(cell);
    auto isState = [&](CellId argument) { return isTied[argument] != 0; };
    bool isDerived = llvm::any_of(from.casts, isState) || llvm::any_of(from.arguments, isState);
    if (!isTied[cell] && isFloat(graph, cell) && from.hasOthers && isDerived)
      alike[printShape(graph, cell)].results.push_back(cell);
  }
  for (auto &[type, cells] : alike)
    if (cells.arguments.size() == cells.results.size())
      for (auto [argument, result] : llvm::zip(cells.arguments, cells.results))
        tie(argument, result);
}

/// The cell that `name` refers to: by its name, its path, or `arg3` and `result0`.
static CellId findCell(const Graph &graph, llvm::ArrayRef<CellId> cells, llvm::StringRef prefix, llvm::StringRef name) {
  for (CellId cell : cells) {
    llvm::StringRef own = graph.getName(graph.cells[cell].name);
    if (name == own || name == toPath(own) || name == (prefix + llvm::Twine(graph.cells[cell].number)).str())
      return cell;
  }
  return CellId();
}

static Status addGivenTie(Graph &graph, llvm::StringRef pair) {
  auto [argumentName, resultName] = pair.split('=');
  CellId argument = findCell(graph, graph.arguments, "arg", argumentName.trim());
  CellId result = findCell(graph, graph.results, "result", resultName.trim());
  if (!argument.isValid() || !result.isValid())
    return Error::usage("--tie names no " + std::string(argument.isValid() ? "result" : "argument") + " in '" +
                        pair.str() + "'");
  if (!haveSameType(graph, argument, result))
    return Error::usage("--tie '" + pair.str() + "' joins two types");
  std::erase_if(graph.ties, [&](const Tie &tie) { return tie.argument == argument || tie.result == result; });
  graph.ties.push_back({argument, result});
  return std::nullopt;
}

Status addTies(Graph &graph, llvm::StringRef pairs, llvm::ArrayRef<Tie> aliases) {
  while (!pairs.empty()) {
    auto [pair, rest] = pairs.split(',');
    if (Status error = addGivenTie(graph, pair))
      return error;
    pairs = rest;
  }
  TieFinder finder(graph);
  finder.addByName({});
  for (bool dropsArgument : {true, false})
    for (size_t numDropped = 0; numDropped < 4; ++numDropped)
      finder.addByName({numDropped, dropsArgument});
  finder.addByFlow();
  finder.addByAliasing(aliases);
  llvm::sort(graph.ties, [](const Tie &a, const Tie &b) { return a.argument < b.argument; });
  return std::nullopt;
}

/// Whether a rule puts several factors on one dim of a value.
static bool hasCompoundDim(llvm::ArrayRef<DimFactor> entries) {
  return llvm::any_of(entries, [](const DimFactor &entry) { return entry.position > 0; });
}

/// Adds all boundaries between the factors of one op's compound dims.
static void addBoundariesOf(Graph &graph, OpId op) {
  llvm::ArrayRef<DimFactor> entries = graph.getDimFactors(op);
  auto isSameDim = [](const DimFactor &a, const DimFactor &b) { return a.value == b.value && a.dim == b.dim; };
  for (auto [index, entry] : llvm::enumerate(entries)) {
    int64_t stride = 1;
    size_t minor = index + 1;
    for (; minor < entries.size() && isSameDim(entries[minor], entry); ++minor)
      stride *= graph.getFactors(op)[entries[minor].factor].size;
    if (minor == index + 1)
      continue;
    unsigned numUses = graph.ops[op].numUses;
    CellId cell =
        entry.value < numUses ? graph.getOperands(op)[entry.value] : graph.getResults(op)[entry.value - numUses];
    graph.boundaries.push_back({cell, entry.dim, stride});
  }
}

void addBoundaries(Graph &graph) {
  // Ops share rules, and few rules have a compound dim. By the rule's index: 1 if it has one, 0 if not, -1 if not known
  // yet.
  std::vector<signed char> isCompound(graph.dimFactors.size() + 1, -1);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &entry = graph.ops[op];
    if (entry.numDimFactors == 0)
      continue;
    signed char &known = isCompound[entry.firstDimFactor];
    if (known < 0)
      known = hasCompoundDim(graph.getDimFactors(op));
    if (known)
      addBoundariesOf(graph, op);
  }
}

} // namespace partita::program
