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

/// `model.py:42#2` of `/home/me/model.py:42#2`.
static llvm::StringRef dropFolder(llvm::StringRef location) { return location.drop_front(location.rfind('/') + 1); }

const CellNames::InnerNames &CellNames::getInnerNames() const {
  if (innerNames)
    return *innerNames;
  innerNames = std::make_unique<InnerNames>();
  for (auto [index, id] : llvm::enumerate(inner)) {
    const Cell &cell = graph.cells[id];
    std::string name = graph.getFullName(cell.name, cell.occurrence), location;
    innerNames->byName[name].push_back(index);
    if (cell.location.isValid()) {
      location = graph.getFullName(cell.location, locationNumbers[index]);
      innerNames->byLocation[location].push_back(index);
      if (llvm::StringRef file = dropFolder(location); file != location)
        innerNames->byLocation[file].push_back(index);
    }
    innerNames->names.push_back(std::move(name));
    innerNames->locations.push_back(std::move(location));
  }
  return *innerNames;
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

std::vector<CellId> CellNames::matchInner(const Pattern &pattern) const {
  const InnerNames &known = getInnerNames();
  std::vector<uint32_t> indices;
  if (llvm::ArrayRef<std::string> listed = pattern.getListed(); !listed.empty()) {
    for (const auto *index : {&known.byName, &known.byLocation}) {
      llvm::append_range(indices, index->lookup(pattern.getText()));
      for (const std::string &name : listed)
        llvm::append_range(indices, index->lookup(name));
    }
    llvm::sort(indices);
    indices.erase(llvm::unique(indices), indices.end());
  } else {
    for (auto [index, name, location] : llvm::enumerate(known.names, known.locations))
      if (pattern.matches(name) ||
          (!location.empty() && (pattern.matches(location) || pattern.matches(dropFolder(location)))))
        indices.push_back(index);
  }
  std::vector<CellId> found;
  for (uint32_t index : indices)
    found.push_back(inner[index]);
  return found;
}

CellId CellNames::findInner(llvm::StringRef name) const {
  const InnerNames &known = getInnerNames();
  auto found = known.byName.find(name);
  return found == known.byName.end() || found->second.size() != 1 ? CellId() : inner[found->second.front()];
}

CellId CellNames::find(llvm::StringRef name) const {
  auto found = cells.find(name);
  return found == cells.end() ? findInner(name) : found->second;
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
  known.clear();
  for (const std::string &inner : getInnerNames().names)
    if (!inner.empty())
      known.push_back(inner);
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
