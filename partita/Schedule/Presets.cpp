//===- Presets.cpp - strategies with names, for any program ---------------===//

#include "partita/Schedule/Presets.h"

#include "partita/Propagate/SteppedDims.h"
#include "partita/Schedule/ArgumentRoles.h"
#include "partita/Schedule/Matrices.h"

#include "llvm/ADT/StringSet.h"

namespace partita::schedule {

namespace {

class PresetExpander {
public:
  PresetExpander(const Topology &topology, const CellNames &names)
      : topology(topology), graph(topology.getGraph()), names(names), roles(findArgumentRoles(topology)),
        steppedDims(findSteppedDims(topology)) {}

  /// The tactics of `tactic`, which is a preset.
  Result<std::vector<Tactic>> expand(const Tactic &tactic) const;

private:
  using Entries = std::vector<ScheduleEntry>;

  Pattern makePattern(CellId cell) const;
  ScheduleEntry makeEntry(ActionKind kind, Pattern pattern, std::optional<uint32_t> dim, const Tactic &tactic) const;
  Entries makeEntries(ActionKind kind, llvm::ArrayRef<Pattern> given, llvm::ArrayRef<CellId> found,
                      const Tactic &tactic) const;
  uint32_t findBatchDim(llvm::ArrayRef<CellId> cells) const;
  Result<Entries> makeDataParallel(const Tactic &tactic) const;
  Entries makeZero2(const Tactic &tactic) const;
  Entries makeZero3(const Tactic &tactic) const;
  Result<Entries> makeMegatron(const Tactic &tactic) const;
  void addPlace(llvm::ArrayRef<Pattern> given, uint32_t fromEnd, const Tactic &tactic, Entries &entries) const;

  const Topology &topology;
  const Graph &graph;
  const CellNames &names;
  ArgumentRoles roles;
  IdVector<DimId, uint8_t> steppedDims;
};

} // namespace

/// Matches the argument alone.
Pattern PresetExpander::makePattern(CellId cell) const {
  Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(cell)), SourceLocation());
  assert(pattern && "a name that is escaped is a pattern");
  return std::move(*pattern);
}

ScheduleEntry PresetExpander::makeEntry(ActionKind kind, Pattern pattern, std::optional<uint32_t> dim,
                                        const Tactic &tactic) const {
  return {kind, std::move(pattern), dim, tactic.location};
}

/// Tiles along the first dim that can be split, or atomics: the cells of the given patterns, otherwise those found.
PresetExpander::Entries PresetExpander::makeEntries(ActionKind kind, llvm::ArrayRef<Pattern> given,
                                                    llvm::ArrayRef<CellId> found, const Tactic &tactic) const {
  Entries entries;
  for (const Pattern &pattern : given)
    entries.push_back(makeEntry(kind, pattern, std::nullopt, tactic));
  if (given.empty())
    for (CellId cell : found)
      entries.push_back(makeEntry(kind, makePattern(cell), std::nullopt, tactic));
  return entries;
}

/// The first dim that no loop steps through: a loop over micro batches takes the first of [accumulate, micro, ...]. It
/// is one for all arrays, if they have the same size there; otherwise the first.
uint32_t PresetExpander::findBatchDim(llvm::ArrayRef<CellId> cells) const {
  for (uint32_t dim = 0;; ++dim) {
    auto isAlike = [&](CellId cell) {
      return dim < graph.cells[cell].rank && graph.getShape(cell)[dim] == graph.getShape(cells.front())[dim];
    };
    if (cells.empty() || !llvm::all_of(cells, isAlike))
      return 0;
    if (llvm::none_of(cells, [&](CellId cell) { return steppedDims[topology.getDim(cell, dim)]; }))
      return dim;
  }
}

Result<PresetExpander::Entries> PresetExpander::makeDataParallel(const Tactic &tactic) const {
  Entries entries;
  std::vector<Pattern> patterns = tactic.preset->batch;
  std::vector<CellId> cells;
  for (const Pattern &pattern : patterns)
    llvm::append_range(cells, names.match(pattern));
  if (patterns.empty()) {
    cells = roles.batch;
    for (CellId cell : cells)
      patterns.push_back(makePattern(cell));
  }
  uint32_t dim = tactic.preset->dim ? *tactic.preset->dim : findBatchDim(cells);
  for (Pattern &pattern : patterns)
    entries.push_back(makeEntry(ActionKind::Tile, std::move(pattern), dim, tactic));
  if (entries.empty() && !tactic.isOptional)
    return Error::badInput(tactic.location, "no argument looks like a batch")
        .withRemedy("name it: batch=\"pattern\" of data_parallel or fsdp");
  return entries;
}

PresetExpander::Entries PresetExpander::makeZero2(const Tactic &tactic) const {
  Entries entries = makeEntries(ActionKind::Atomic, tactic.preset->parameters, roles.parameters, tactic);
  llvm::append_range(entries, makeEntries(ActionKind::Tile, tactic.preset->optimizer, roles.optimizer, tactic));
  return entries;
}

PresetExpander::Entries PresetExpander::makeZero3(const Tactic &tactic) const {
  std::vector<CellId> state = roles.parameters;
  llvm::append_range(state, roles.optimizer);
  llvm::sort(state, [&](CellId a, CellId b) { return graph.cells[a].number < graph.cells[b].number; });
  return makeEntries(ActionKind::Tile, tactic.preset->state, state, tactic);
}

/// Tiles the matched arguments along their last dim, or one before it.
void PresetExpander::addPlace(llvm::ArrayRef<Pattern> given, uint32_t fromEnd, const Tactic &tactic,
                              Entries &entries) const {
  for (const Pattern &pattern : given)
    for (CellId cell : names.match(pattern))
      if (uint32_t rank = graph.cells[cell].rank; graph.cells[cell].kind == CellKind::Argument && rank >= fromEnd)
        entries.push_back(makeEntry(ActionKind::Tile, makePattern(cell), rank - fromEnd, tactic));
}

Result<PresetExpander::Entries> PresetExpander::makeMegatron(const Tactic &tactic) const {
  const Preset &preset = *tactic.preset;
  Entries entries;
  addPlace(preset.column, 1, tactic, entries);
  addPlace(preset.row, 2, tactic, entries);
  if (preset.column.empty() && preset.row.empty())
    for (const Matrix &matrix : findMatrices(topology, roles.parameters)) {
      const std::vector<uint32_t> &dims = matrix.dims;
      if (dims.empty())
        continue;
      ScheduleEntry entry = makeEntry(ActionKind::Tile, makePattern(matrix.argument), dims.front(), tactic);
      entry.otherDims.assign(dims.begin() + 1, dims.end());
      entries.push_back(std::move(entry));
    }
  if (entries.empty() && !tactic.isOptional)
    return Error::badInput(tactic.location, "no argument is a matrix")
        .withRemedy("name them: column=\"pattern\" and row=\"pattern\" of megatron");
  return entries;
}

Result<std::vector<Tactic>> PresetExpander::expand(const Tactic &tactic) const {
  std::vector<Tactic> tactics;
  auto add = [&](PresetKind kind, std::vector<ScheduleEntry> entries) {
    Tactic made = tactic;
    bool isNamed = tactic.name != getWord(tactic.preset->kind);
    made.name = isNamed ? tactic.name : getWord(kind).str();
    made.isOptional |= kind != PresetKind::DataParallel;
    made.preset.reset();
    made.entries = std::move(entries);
    tactics.push_back(std::move(made));
  };
  PresetKind kind = tactic.preset->kind;
  if (kind == PresetKind::DataParallel || kind == PresetKind::Fsdp) {
    Result<Entries> entries = makeDataParallel(tactic);
    if (!entries)
      return entries.error();
    add(PresetKind::DataParallel, std::move(*entries));
  }
  if (kind == PresetKind::Zero2)
    add(kind, makeZero2(tactic));
  if (kind == PresetKind::Zero3 || kind == PresetKind::Fsdp)
    add(PresetKind::Zero3, makeZero3(tactic));
  if (kind == PresetKind::Megatron) {
    Result<Entries> entries = makeMegatron(tactic);
    if (!entries)
      return entries.error();
    add(kind, std::move(*entries));
  }
  return tactics;
}

bool hasPresets(const Schedule &schedule) {
  return llvm::any_of(schedule.tactics, [](const Tactic &tactic) { return tactic.preset.has_value(); });
}

/// A name that none of `taken` is, which it then belongs to.
static std::string takeName(llvm::StringRef base, llvm::StringSet<> &taken) {
  std::string name = base.str();
  for (unsigned number = 2; !taken.insert(name).second; ++number)
    name = base.str() + " (" + std::to_string(number) + ")";
  return name;
}

Result<Schedule> expandPresets(Schedule schedule, const Topology &topology, const CellNames &names) {
  if (!hasPresets(schedule))
    return schedule;
  PresetExpander expander(topology, names);
  llvm::StringSet<> taken;
  for (const Tactic &tactic : schedule.tactics)
    if (!tactic.preset)
      taken.insert(tactic.name);
  std::vector<Tactic> expanded;
  for (Tactic &tactic : schedule.tactics) {
    if (!tactic.preset) {
      expanded.push_back(std::move(tactic));
      continue;
    }
    Result<std::vector<Tactic>> made = expander.expand(tactic);
    if (!made)
      return made.error();
    for (Tactic &each : *made) {
      each.name = takeName(each.name, taken);
      expanded.push_back(std::move(each));
    }
  }
  schedule.tactics = std::move(expanded);
  return schedule;
}

Result<PlanSource> expandPresets(PlanSource source, const Graph &graph) {
  if (!source.schedule || !hasPresets(*source.schedule))
    return source;
  Result<Schedule> expanded = expandPresets(std::move(*source.schedule), Topology(graph), CellNames(graph));
  if (!expanded)
    return expanded.error();
  source.schedule = std::move(*expanded);
  return source;
}

} // namespace partita::schedule
