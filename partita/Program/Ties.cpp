//===- Ties.cpp - which argument and which result are one state -----------===//

#include "partita/Program/Ties.h"

#include "partita/Graph/Paths.h"
#include "partita/Program/Names.h"

#include "llvm/ADT/StringMap.h"

namespace partita {

static bool haveSameType(const Graph &graph, CellId a, CellId b) {
  return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
}

/// By names. A rest that several arguments share ties none of them.
static void addTiesByName(Graph &graph) {
  llvm::StringMap<CellId> arguments;
  for (CellId cell : graph.arguments) {
    std::string rest = stripFirstComponent(graph.getName(graph.cells[cell].name), /*isResult=*/false);
    if (rest.empty())
      continue;
    auto [it, isNew] = arguments.try_emplace(rest, cell);
    if (!isNew)
      it->second = CellId();
  }
  for (CellId cell : graph.results) {
    std::string rest = stripFirstComponent(graph.getName(graph.cells[cell].name), /*isResult=*/true);
    CellId argument = arguments.lookup(rest);
    if (!argument.isValid() || !haveSameType(graph, argument, cell))
      continue;
    graph.ties.push_back({argument, cell});
    // One result only.
    arguments[rest] = CellId();
  }
}

/// The cell that `name` calls: by its name, its path, or `arg3` and `result0`.
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

void addBoundaries(Graph &graph) {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    llvm::ArrayRef<DimFactor> entries = graph.getDimFactors(op);
    for (auto [index, entry] : llvm::enumerate(entries)) {
      bool hasMinor =
          index + 1 < entries.size() && entries[index + 1].value == entry.value && entries[index + 1].dim == entry.dim;
      if (!hasMinor)
        continue;
      int64_t stride = 1;
      for (size_t minor = index + 1;
           minor < entries.size() && entries[minor].value == entry.value && entries[minor].dim == entry.dim; ++minor)
        stride *= graph.getFactors(op)[entries[minor].factor].size;
      unsigned numUses = graph.ops[op].numUses;
      CellId cell =
          entry.value < numUses ? graph.getOperands(op)[entry.value] : graph.getResults(op)[entry.value - numUses];
      graph.boundaries.push_back({cell, entry.dim, stride});
    }
  }
}

} // namespace partita
