//===- UnevenTiles.cpp - tiles on dims that axes do not divide ------------===//

#include "partita/Padding/UnevenTiles.h"

#include "partita/Padding/PadProgram.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace partita::padding {

namespace {

using CellDim = std::pair<CellId, uint32_t>;

/// Collects over how many devices each dim is split.
class TileCounter {
public:
  TileCounter(const Graph &graph, const Mesh &mesh) : graph(graph), mesh(mesh), names(graph) {
    for (const Tie &tie : graph.ties)
      arguments[tie.result] = tie.argument;
  }

  void add(const Tactic &tactic);
  void add(llvm::ArrayRef<PartitionRule> rules);
  void add(const GivenSharding &sharding);
  /// `isPadded`: the program was padded, so what was cut from longer dims is so on purpose.
  std::vector<PadEntry> finish(bool isPadded) const;

private:
  /// 1 for an axis that the mesh has not: that is an error elsewhere.
  int64_t getSize(llvm::StringRef axis) const;
  void add(CellId cell, uint32_t dim, int64_t parts);
  /// For a result that is the next value of an argument, the argument.
  CellId getRepresentative(CellId cell) const {
    auto tied = arguments.find(cell);
    return tied == arguments.end() ? cell : tied->second;
  }
  /// The dim that the tile takes; nothing if it needs no padding.
  std::optional<uint32_t> chooseDim(const ScheduleEntry &entry, CellId cell, int64_t parts) const;

  const Graph &graph;
  const Mesh &mesh;
  CellNames names;
  std::map<CellId, CellId> arguments;
  std::map<CellDim, int64_t> parts;
  /// The axes that tiles put on a dim of each cell.
  std::set<std::pair<CellId, std::string>> tiled;
};

} // namespace

std::vector<uint8_t> findSlidDims(const Graph &graph, const LinkedDims &linked) {
  std::vector<uint8_t> isSlid(linked.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool isConvolution = graph.ops[op].opClass == OpClass::Contraction;
    if (!isConvolution && graph.ops[op].opClass != OpClass::Reduction)
      continue;
    llvm::ArrayRef<CellId> operands = graph.getOperands(op), results = graph.getResults(op);
    for (const DimFactor &entry : graph.getDimFactors(op)) {
      bool isKernel = isConvolution && entry.value == 1;
      if (isKernel || graph.getFactors(op)[entry.factor].kind != FactorKind::Window)
        continue;
      CellId cell = entry.value < operands.size() ? operands[entry.value] : results[entry.value - operands.size()];
      isSlid[linked.get(cell, entry.dim)] = 1;
    }
  }
  return isSlid;
}

/// Whether so many devices do not divide the dims, some of which are of another size, and padding makes none of them
/// much longer.
static bool isCut(llvm::ArrayRef<int64_t> sizes, int64_t parts) {
  bool isUneven = llvm::any_of(sizes, [&](int64_t size) { return size % parts != 0; });
  return isUneven && !llvm::all_equal(sizes) &&
         llvm::all_of(sizes, [&](int64_t size) { return 3 * ((size + parts - 1) / parts * parts) <= 4 * size; });
}

std::vector<uint8_t> findCutDims(const Graph &graph, const LinkedDims &linked, int64_t parts) {
  std::vector<uint8_t> isCutDim(linked.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    // A print has no result.
    if (info.opClass != OpClass::Movement || info.numDefinitions != 1)
      continue;
    llvm::SmallVector<CellId> cells(graph.getOperands(op));
    cells.push_back(graph.getResults(op).front());
    uint32_t rank = graph.cells[cells.back()].rank;
    for (const DimFactor &entry : graph.getDimFactors(op)) {
      const Factor &factor = graph.getFactors(op)[entry.factor];
      bool isMoved = factor.kind == FactorKind::Window || factor.shift;
      if (entry.value != info.numUses || entry.position > 0 || !isMoved)
        continue;
      auto isShort = [&](CellId cell) { return graph.cells[cell].rank != rank || graph.getShape(cell)[entry.dim] < 2; };
      auto ends = llvm::make_filter_range(cells, [&](CellId cell) { return !isShort(cell); });
      llvm::SmallVector<int64_t> sizes;
      for (CellId cell : ends)
        sizes.push_back(graph.getShape(cell)[entry.dim]);
      if (isCut(sizes, parts))
        for (CellId cell : ends)
          isCutDim[linked.get(cell, entry.dim)] = 1;
    }
  }
  return isCutDim;
}

int64_t TileCounter::getSize(llvm::StringRef axis) const {
  std::optional<AxisPart> part = parseAxisPart(axis);
  std::optional<uint32_t> found = part ? mesh.findAxis(part->name) : std::nullopt;
  if (!found)
    return 1;
  return part->size > 0 ? part->size : mesh.axes[*found].size;
}

void TileCounter::add(CellId cell, uint32_t dim, int64_t count) {
  if (count > 1 && dim < graph.cells[cell].rank)
    parts.try_emplace({cell, dim}, 1).first->second *= count;
}

std::optional<uint32_t> TileCounter::chooseDim(const ScheduleEntry &entry, CellId cell, int64_t count) const {
  if (!entry.dim)
    return std::nullopt;
  for (uint32_t other : entry.otherDims)
    if (other < graph.cells[cell].rank && graph.getShape(cell)[other] % count == 0)
      return std::nullopt;
  return entry.dim;
}

void TileCounter::add(const Tactic &tactic) {
  int64_t count = getSize(tactic.axis);
  if (tactic.automatic || tactic.isOptional || count == 1)
    return;
  for (const ScheduleEntry &entry : tactic.entries)
    if (entry.kind == ActionKind::Tile)
      for (CellId cell : names.match(entry.pattern))
        if (std::optional<uint32_t> dim = chooseDim(entry, cell, count))
          // An axis that splits another dim already is an error, which padding must not hide.
          if (CellId own = getRepresentative(cell); tiled.insert({own, tactic.axis}).second)
            add(own, *dim, count);
}

void TileCounter::add(const GivenSharding &sharding) {
  for (auto [dim, given] : llvm::enumerate(sharding.dims))
    for (const std::string &axis : given.axes)
      add(sharding.cell, dim, getSize(axis));
}

/// The first rule that matches an argument holds for it.
void TileCounter::add(llvm::ArrayRef<PartitionRule> rules) {
  std::map<CellId, bool> isBound;
  for (const PartitionRule &rule : rules)
    for (CellId cell : names.match(rule.pattern)) {
      if (graph.cells[cell].kind == CellKind::Result || std::exchange(isBound[cell], true))
        continue;
      for (auto [dim, given] : llvm::enumerate(rule.dims))
        for (const std::string &axis : given.axes)
          add(cell, dim, getSize(axis));
    }
}

static Pattern makePattern(llvm::ArrayRef<std::string> names) {
  std::vector<std::string> escaped;
  for (const std::string &name : names)
    escaped.push_back(escapePattern(name));
  return *Pattern::parse(llvm::join(escaped, "|"), SourceLocation());
}

std::vector<PadEntry> TileCounter::finish(bool isPadded) const {
  std::vector<PadEntry> entries;
  if (parts.empty())
    return entries;
  LinkedDims linked(graph);
  std::vector<uint8_t> isSlid = findSlidDims(graph, linked);
  std::map<int64_t, std::vector<uint8_t>> isCutDim;
  for (auto [place, count] : parts) {
    auto [cell, dim] = place;
    int64_t size = graph.getShape(cell)[dim];
    DimClass dimClass = linked.get(cell, dim);
    if (std::vector<uint8_t> &known = isCutDim[count]; known.empty() && !isPadded)
      known = findCutDims(graph, linked, count);
    if (size > 1 && (size % count != 0 || isSlid[dimClass] || (!isPadded && isCutDim[count][dimClass])))
      entries.push_back({makePattern(names.getName(cell)), dim, count, {}});
  }
  return entries;
}

std::vector<PadEntry> findUnevenTiles(const Graph &graph, const PlanSource &source, const Mesh &mesh) {
  TileCounter counter(graph, mesh);
  if (source.schedule)
    for (const Tactic &tactic : source.schedule->tactics)
      counter.add(tactic);
  counter.add(getShardings(source));
  for (const GivenSharding &sharding : graph.shardings)
    counter.add(sharding);
  return counter.finish(/*isPadded=*/source.schedule && source.schedule->padding);
}

//===----------------------------------------------------------------------===//
// Tiles of arguments
//===----------------------------------------------------------------------===//

namespace {

class Redirection {
public:
  explicit Redirection(const Graph &graph) : graph(graph), names(graph) {
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      addPad(op);
      addCut(op);
    }
  }

  bool isEmpty() const { return inner.empty(); }
  void redirect(Tactic &tactic) const;
  void redirect(std::vector<PartitionRule> &rules) const;

private:
  void addPad(OpId op);
  void addCut(OpId op);
  /// What the argument is padded to, or the result is cut from, if that has more of this dim; invalid otherwise.
  CellId find(CellId cell, uint32_t dim) const;
  void redirect(const ScheduleEntry &entry, std::vector<ScheduleEntry> &entries) const;

  const Graph &graph;
  CellNames names;
  /// For each argument that is padded, what it is padded to; for each result that is cut, what it is cut from.
  std::map<CellId, CellId> inner;
  /// Values that were cut back to their elements, and what they were cut from.
  std::map<CellId, CellId> cuts;
};

} // namespace

void Redirection::addPad(OpId op) {
  if (graph.ops[op].numUses == 0 || graph.ops[op].numDefinitions == 0)
    return;
  CellId argument = graph.getOperands(op).front(), made = graph.getResults(op).front();
  const Cell &cell = graph.cells[argument];
  if (cell.kind == CellKind::Argument &&
      graph.getName(graph.cells[made].name) == namePadded(graph.getFullName(cell.name, cell.occurrence)))
    inner.try_emplace(argument, made);
}

void Redirection::addCut(OpId op) {
  if (graph.ops[op].numUses != 1 || graph.ops[op].numDefinitions != 1)
    return;
  CellId from = graph.getOperands(op).front(), made = graph.getResults(op).front();
  if (graph.getName(graph.cells[made].name) == unpaddedName)
    cuts.try_emplace(made, from);
  auto cut = cuts.find(from);
  if (graph.cells[made].kind == CellKind::Result && cut != cuts.end())
    inner.try_emplace(made, cut->second);
}

CellId Redirection::find(CellId cell, uint32_t dim) const {
  auto known = inner.find(cell);
  if (known == inner.end() || dim >= graph.cells[cell].rank)
    return CellId();
  return graph.getShape(known->second)[dim] > graph.getShape(cell)[dim] ? known->second : CellId();
}

void Redirection::redirect(const ScheduleEntry &entry, std::vector<ScheduleEntry> &entries) const {
  std::vector<std::string> kept, moved;
  if (entry.kind == ActionKind::Tile && entry.dim)
    for (CellId cell : names.match(entry.pattern)) {
      CellId padded = find(cell, *entry.dim);
      (padded.isValid() ? moved : kept).push_back(names.getName(padded.isValid() ? padded : cell));
    }
  if (moved.empty())
    return entries.push_back(entry);
  for (const std::vector<std::string> *list : {&moved, &kept})
    if (!list->empty()) {
      entries.push_back(entry);
      entries.back().pattern = makePattern(*list);
    }
}

void Redirection::redirect(Tactic &tactic) const {
  std::vector<ScheduleEntry> entries;
  for (const ScheduleEntry &entry : tactic.entries)
    redirect(entry, entries);
  tactic.entries = std::move(entries);
}

/// The argument keeps the axes that divide it, and what it is padded to has them all. The rules stand before others, so
/// that they hold.
void Redirection::redirect(std::vector<PartitionRule> &rules) const {
  std::vector<PartitionRule> first;
  std::map<CellId, bool> isBound;
  for (const PartitionRule &rule : rules)
    for (CellId cell : names.match(rule.pattern)) {
      if (std::exchange(isBound[cell], true))
        continue;
      PartitionRule border = rule, whole = rule;
      CellId padded;
      for (auto [dim, given] : llvm::enumerate(border.dims))
        if (CellId found = find(cell, dim); found.isValid() && !given.axes.empty()) {
          padded = found;
          given.axes.clear();
        }
      if (!padded.isValid())
        continue;
      border.pattern = makePattern(names.getName(cell));
      whole.pattern = makePattern(names.getName(padded));
      first.push_back(std::move(border));
      first.push_back(std::move(whole));
    }
  rules.insert(rules.begin(), first.begin(), first.end());
}

void redirectTiles(PlanSource &source, const Graph &padded) {
  Redirection redirection(padded);
  if (redirection.isEmpty() || !source.schedule)
    return;
  for (Tactic &tactic : source.schedule->tactics)
    redirection.redirect(tactic);
  redirection.redirect(source.schedule->shardings);
}

} // namespace partita::padding
