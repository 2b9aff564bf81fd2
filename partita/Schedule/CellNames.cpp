//===- CellNames.cpp - finds cells by name --------------------------------===//

#include "partita/Schedule/CellNames.h"

#include "partita/Graph/Paths.h"
#include "partita/Support/Spelling.h"

#include "llvm/Support/xxhash.h"

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

std::string CellNames::getInnerName(uint32_t index) const {
  const Cell &cell = graph.cells[inner[index]];
  return graph.getFullName(cell.name, cell.occurrence);
}

std::string CellNames::getInnerLocation(uint32_t index) const {
  const Cell &cell = graph.cells[inner[index]];
  return cell.location.isValid() ? graph.getFullName(cell.location, locationNumbers[index]) : std::string();
}

const CellNames::InnerIndex &CellNames::getIndex() const {
  if (index)
    return *index;
  index = std::make_unique<InnerIndex>();
  for (uint32_t i = 0; i < inner.size(); ++i) {
    index->names.emplace_back(llvm::xxh3_64bits(getInnerName(i)), i);
    std::string location = getInnerLocation(i);
    if (location.empty())
      continue;
    index->locations.emplace_back(llvm::xxh3_64bits(location), i);
    if (llvm::StringRef file = dropFolder(location); file != location)
      index->locations.emplace_back(llvm::xxh3_64bits(file), i);
  }
  llvm::sort(index->names);
  llvm::sort(index->locations);
  return *index;
}

/// Those whose hash is that of the name, and of which `isNamed` is true.
template <typename IsNamed>
static void addFound(llvm::ArrayRef<std::pair<uint64_t, uint32_t>> entries, llvm::StringRef name, IsNamed isNamed,
                     std::vector<uint32_t> &found) {
  uint64_t hash = llvm::xxh3_64bits(name);
  for (const auto *entry = llvm::lower_bound(entries, std::pair(hash, 0U)); entry != entries.end(); ++entry) {
    if (entry->first != hash)
      return;
    if (isNamed(entry->second))
      found.push_back(entry->second);
  }
}

void CellNames::addNamed(llvm::StringRef name, std::vector<uint32_t> &found) const {
  addFound(getIndex().names, name, [&](uint32_t i) { return getInnerName(i) == name; }, found);
}

void CellNames::addLocated(llvm::StringRef location, std::vector<uint32_t> &found) const {
  auto isThere = [&](uint32_t i) {
    std::string whole = getInnerLocation(i);
    return whole == location || dropFolder(whole) == location;
  };
  addFound(getIndex().locations, location, isThere, found);
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
  return !location.empty() && (pattern.matches(location) || pattern.matches(dropFolder(location)));
}

std::vector<CellId> CellNames::matchInner(const Pattern &pattern) const {
  std::vector<uint32_t> indices;
  if (llvm::ArrayRef<std::string> listed = pattern.getListed(); !listed.empty()) {
    llvm::SmallVector<llvm::StringRef> names(listed.begin(), listed.end());
    names.push_back(pattern.getText());
    for (llvm::StringRef name : names) {
      addNamed(name, indices);
      addLocated(name, indices);
    }
    llvm::sort(indices);
    indices.erase(llvm::unique(indices), indices.end());
  } else {
    for (uint32_t i = 0; i < inner.size(); ++i)
      if (pattern.matches(getInnerName(i)) || matchesLocation(pattern, getInnerLocation(i)))
        indices.push_back(i);
  }
  std::vector<CellId> found;
  for (uint32_t i : indices)
    found.push_back(inner[i]);
  return found;
}

CellId CellNames::findInner(llvm::StringRef name) const {
  std::vector<uint32_t> found;
  addNamed(name, found);
  return found.size() == 1 ? inner[found.front()] : CellId();
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
  std::vector<std::string> names;
  for (uint32_t i = 0; i < inner.size(); ++i)
    if (!graph.getName(graph.cells[inner[i]].name).empty())
      names.push_back(getInnerName(i));
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
