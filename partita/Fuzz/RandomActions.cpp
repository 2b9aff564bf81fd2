//===- RandomActions.cpp - random meshes and schedules --------------------===//

#include "partita/Fuzz/RandomActions.h"

#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::fuzz {

Mesh drawMesh(RandomChoice &random, int64_t mostDevices) {
  Mesh mesh;
  int64_t devices = 1;
  for (int64_t count = random.pick({1, 1, 2, 2, 2, 3}); count > 0; --count) {
    int64_t size = random.pick({1, 2, 2, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 16});
    if (devices * size > mostDevices)
      size = devices * 2 <= mostDevices ? 2 : 1;
    devices *= size;
    mesh.axes.push_back({std::string(1, char('a' + mesh.axes.size())), size});
  }
  return mesh;
}

namespace {

class TacticsDrawer {
public:
  TacticsDrawer(RandomChoice &random, const Mesh &mesh, const Graph &graph)
      : random(random), mesh(mesh), graph(graph), names(graph) {
    for (auto [index, cell] : llvm::enumerate(graph.cells.raw()))
      if (CellId id(index); cell.rank > 0 && names.find(names.getName(id)) == id)
        (isBoundary(cell) ? boundary : inner).push_back(id);
  }

  std::vector<DrawnTactic> draw() {
    std::vector<DrawnTactic> tactics;
    for (int64_t count = random.pick({1, 2, 2, 3, 3, 4, 6, 9}); count > 0; --count)
      if (DrawnTactic tactic = drawTactic(); !tactic.entries.empty())
        tactics.push_back(std::move(tactic));
    return tactics;
  }

private:
  static bool isBoundary(const Cell &cell) { return cell.kind == CellKind::Argument || cell.kind == CellKind::Result; }

  CellId drawCell() {
    const std::vector<CellId> &list = boundary.empty() || (!inner.empty() && random.chance(35)) ? inner : boundary;
    return list.empty() ? CellId() : random.pick<CellId>(list);
  }

  /// A dim that the axis divides, if there is one in a few tries.
  std::pair<CellId, uint32_t> drawDim(int64_t axisSize) {
    CellId cell;
    uint32_t dim = 0;
    for (int tries = 0; tries < 24; ++tries) {
      cell = drawCell();
      if (!cell.isValid())
        return {cell, 0};
      dim = random.below(graph.cells[cell].rank);
      int64_t size = graph.getShape(cell)[dim];
      if (size > 0 && size % axisSize == 0)
        break;
    }
    return {cell, dim};
  }

  void addEntry(DrawnTactic &tactic, ActionKind kind, CellId cell, uint32_t dim) {
    if (cell.isValid())
      tactic.entries.push_back({kind, names.getName(cell), dim});
  }

  /// Adds an `assign` of a factor of the op that defines an inner value.
  void addAssign(DrawnTactic &tactic) {
    if (inner.empty())
      return;
    CellId cell = random.pick<CellId>(inner);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (llvm::is_contained(graph.getResults(op), cell) && !graph.getFactors(op).empty())
        return addEntry(tactic, ActionKind::Assign, cell, random.below(graph.getFactors(op).size()));
  }

  /// Some of the uses of a value.
  void addGroup(DrawnTactic &tactic) {
    CellId cell = drawCell();
    DrawnEntry entry{ActionKind::Group, cell.isValid() ? names.getName(cell) : "", 0, {}};
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (cell.isValid() && llvm::is_contained(graph.getOperands(op), cell) && random.chance(70))
        entry.users.push_back(names.getName(graph.getResults(op).front()));
    if (!entry.users.empty())
      tactic.entries.push_back(std::move(entry));
  }

  DrawnTactic drawTactic() {
    const MeshAxis &axis = mesh.axes[random.below(mesh.axes.size())];
    DrawnTactic tactic{axis.name, {}};
    if (random.chance(12))
      addEntry(tactic, ActionKind::Atomic, drawCell(), 0);
    if (random.chance(12))
      addEntry(tactic, ActionKind::Cut, drawCell(), 0);
    if (random.chance(10)) {
      auto [cell, dim] = drawDim(axis.size);
      addEntry(tactic, ActionKind::Side, cell, dim);
    }
    if (random.chance(12))
      addAssign(tactic);
    for (int64_t count = random.pick({1, 1, 1, 2, 3}); count > 0; --count) {
      auto [cell, dim] = drawDim(axis.size);
      addEntry(tactic, ActionKind::Tile, cell, dim);
    }
    if (random.chance(12))
      addGroup(tactic);
    return tactic;
  }

  RandomChoice &random;
  const Mesh &mesh;
  const Graph &graph;
  CellNames names;
  std::vector<CellId> boundary, inner;
};

} // namespace

std::vector<DrawnTactic> drawTactics(RandomChoice &random, const Mesh &mesh, const Graph &graph) {
  return TacticsDrawer(random, mesh, graph).draw();
}

Result<Schedule> buildSchedule(llvm::ArrayRef<DrawnTactic> tactics) {
  Schedule schedule;
  for (const DrawnTactic &drawn : tactics) {
    Tactic tactic;
    tactic.name = "t" + std::to_string(schedule.tactics.size());
    tactic.axis = drawn.axis;
    tactic.isOptional = true;
    for (const DrawnEntry &entry : drawn.entries) {
      Result<Pattern> pattern = Pattern::parse(escapePattern(entry.cell), {});
      if (!pattern)
        return pattern.error();
      bool hasDim =
          entry.kind == ActionKind::Tile || entry.kind == ActionKind::Side || entry.kind == ActionKind::Assign;
      std::vector<Pattern> users;
      for (const std::string &user : entry.users) {
        Result<Pattern> use = Pattern::parse(escapePattern(user), {});
        if (!use)
          return use.error();
        users.push_back(std::move(*use));
      }
      tactic.entries.push_back({entry.kind, std::move(*pattern), hasDim ? std::optional(entry.dim) : std::nullopt,
                                SourceLocation(), std::move(users)});
    }
    schedule.tactics.push_back(std::move(tactic));
  }
  return schedule;
}

std::string printSchedule(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  writeSchedule(schedule, json);
  return text + "\n";
}

} // namespace partita::fuzz
