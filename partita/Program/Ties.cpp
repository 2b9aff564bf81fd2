//===- Ties.cpp - arguments and results that are one state ----------------===//

#include "partita/Program/Ties.h"

#include "partita/Graph/Paths.h"
#include "partita/Program/Names.h"

#include "llvm/ADT/StringMap.h"

namespace partita::program {

static bool haveSameType(const Graph &graph, CellId a, CellId b) {
  return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
}

static std::string printShape(const Graph &graph, CellId cell) {
  std::string text = graph.getName(graph.cells[cell].element).str();
  for (int64_t size : graph.getShape(cell))
    text += "x" + std::to_string(size);
  return text;
}

/// Ties by names and types. Where several arguments have the same name after the first component, as `params['w']` and
/// `momentum['w']`, they are tied in order if as many results have it, and not at all otherwise.
static void addTiesByName(Graph &graph) {
  struct Named {
    std::vector<CellId> arguments, results;
  };
  llvm::StringMap<Named> named;
  auto getKey = [&](CellId cell, bool isResult) {
    std::string rest = stripFirstComponent(graph.getName(graph.cells[cell].name), isResult);
    return rest.empty() ? rest : rest + " " + printShape(graph, cell);
  };
  std::vector<std::string> order;
  for (CellId cell : graph.arguments)
    if (std::string key = getKey(cell, /*isResult=*/false); !key.empty()) {
      named[key].arguments.push_back(cell);
      order.push_back(std::move(key));
    }
  for (CellId cell : graph.results)
    if (auto found = named.find(getKey(cell, /*isResult=*/true)); found != named.end())
      found->second.results.push_back(cell);
  for (const std::string &key : order) {
    Named &cells = named[key];
    bool isPaired = cells.arguments.size() == 1 || cells.arguments.size() == cells.results.size();
    if (isPaired)
      for (auto [argument, result] : llvm::zip(cells.arguments, cells.results))
        graph.ties.push_back({argument, result});
    cells = Named();
  }
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

Status addTies(Graph &graph, llvm::StringRef pairs) {
  addTiesByName(graph);
  while (!pairs.empty()) {
    auto [pair, rest] = pairs.split(',');
    if (Status error = addGivenTie(graph, pair))
      return error;
    pairs = rest;
  }
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
