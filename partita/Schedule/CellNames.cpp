//===- CellNames.cpp - finds cells by name --------------------------------===//

#include "partita/Schedule/CellNames.h"

#include "partita/Graph/Paths.h"
#include "partita/Support/Spelling.h"

namespace partita::schedule {

static void addName(llvm::StringMap<CellId> &cells, llvm::StringRef name, CellId cell) {
  auto [it, isNew] = cells.try_emplace(name, cell);
  if (!isNew && it->second != cell)
    it->second = CellId();
}

static bool isBoundary(const Cell &cell) { return cell.kind == CellKind::Argument || cell.kind == CellKind::Result; }

CellNames::CellNames(const Graph &graph) : graph(graph) {
  for (CellId cell : graph.arguments)
    addBoundary(cell, "arg");
  for (CellId cell : graph.results)
    addBoundary(cell, "result");
  // A cell's own name never hides a numbered name such as `arg3`.
  for (const Boundary &entry : boundary)
    cells[entry.number] = entry.cell;
  IdVector<NameId, uint32_t> numbers(graph.names.size(), 0);
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    const Cell &cell = graph.cells[id];
    if (isBoundary(cell))
      continue;
    inner.push_back(id);
    locationNumbers.push_back(cell.location.isValid() ? numbers[cell.location]++ : 0);
  }
}

void CellNames::indexInner() const {
  hasInner = true;
  for (CellId cell : inner)
    addName(cells, graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence), cell);
}

void CellNames::addBoundary(CellId cell, llvm::StringRef prefix) {
  Boundary entry;
  entry.cell = cell;
  entry.name = graph.getName(graph.cells[cell].name).str();
  entry.path = toPath(entry.name);
  entry.number = prefix.str() + std::to_string(graph.cells[cell].number);
  if (!entry.name.empty())
    addName(cells, entry.name, cell);
  boundary.push_back(std::move(entry));
}

std::vector<CellId> CellNames::match(const Pattern &pattern) const {
  std::vector<CellId> found;
  for (const Boundary &entry : boundary)
    if (pattern.matches(entry.name) || pattern.matches(entry.path) || pattern.matches(entry.number))
      found.push_back(entry.cell);
  return found.empty() ? matchInner(pattern) : found;
}

/// Matches `/home/me/model.py:42#2`, with or without the folder.
static bool matchesLocation(const Pattern &pattern, llvm::StringRef location) {
  return pattern.matches(location) || pattern.matches(location.drop_front(location.rfind('/') + 1));
}

std::vector<CellId> CellNames::matchInner(const Pattern &pattern) const {
  std::vector<CellId> found;
  for (auto [id, locationNumber] : llvm::zip_equal(inner, locationNumbers)) {
    const Cell &cell = graph.cells[id];
    if (pattern.matches(graph.getFullName(cell.name, cell.occurrence)) ||
        (cell.location.isValid() && matchesLocation(pattern, graph.getFullName(cell.location, locationNumber))))
      found.push_back(id);
  }
  return found;
}

CellId CellNames::find(llvm::StringRef name) const {
  auto found = cells.find(name);
  if (found == cells.end() && !hasInner) {
    indexInner();
    found = cells.find(name);
  }
  return found == cells.end() ? CellId() : found->second;
}

std::optional<std::string> CellNames::findInside(llvm::StringRef name) const {
  std::string path = toPath(name) + "/";
  for (const Boundary &entry : boundary) {
    if (llvm::StringRef(entry.path).starts_with(path))
      return path + ".*";
    if (llvm::StringRef(entry.path).contains("/" + path))
      return ".*/" + path + ".*";
  }
  return std::nullopt;
}

std::optional<std::string> CellNames::findNearest(llvm::StringRef name) const {
  // Of a pattern it would say nothing.
  if (name.contains(".*") || name.contains(".+") || name.contains('|') || name.contains('\\'))
    return std::nullopt;
  if (std::optional<std::string> all = findInside(name))
    return all;
  std::vector<llvm::StringRef> known;
  for (const Boundary &entry : boundary)
    llvm::append_range(known, llvm::ArrayRef<llvm::StringRef>{entry.name, entry.path});
  if (std::optional<llvm::StringRef> found = findNearestName(name, known))
    return found->str();
  std::vector<std::string> names;
  for (CellId cell : inner)
    if (!graph.getName(graph.cells[cell].name).empty())
      names.push_back(graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence));
  known.assign(names.begin(), names.end());
  std::optional<llvm::StringRef> found = findNearestName(name.str() + "#0", known);
  if (!found)
    found = findNearestName(name, known);
  return found ? std::optional(found->str()) : std::nullopt;
}

std::string CellNames::getName(CellId cell) const {
  const Cell &entry = graph.cells[cell];
  std::string own = graph.getFullName(entry.name, entry.occurrence);
  if (find(own) == cell)
    return own;
  if (entry.kind == CellKind::Argument)
    return "arg" + std::to_string(entry.number);
  return entry.kind == CellKind::Result ? "result" + std::to_string(entry.number) : own;
}

} // namespace partita::schedule
