//===- Explanation.cpp - why values are split as they are -----------------===//

#include "partita/Report/Explanation.h"

#include "partita/Analysis/Views.h"
#include "partita/Cost/StepPrograms.h"
#include "partita/Padding/PadProgram.h"
#include "partita/Report/ScoreBuilder.h"
#include "partita/Simulate/PlanTimeline.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace partita::report {

namespace {

class Explainer {
public:
  Explainer(const Plan &plan, const Price *price)
      : plan(plan), assignment(plan.assignment), topology(plan.program.topology), axes(plan.axes), price(price) {
    indexRoots();
    indexReshards();
  }

  ValueExplanation explain(CellId cell) const;
  std::vector<OtherChoice> priceOthers(CellId cell) const;

private:
  void indexRoots();
  void indexReshards();
  std::vector<MovedValue> listMoved(CellId cell) const;
  std::vector<AxisReason> explainAxes(CellId cell) const;
  /// Why the axis splits `dim`, or no dim if `dim` is negative.
  std::string explainAxis(CellId cell, AxisId axis, int dim) const;
  /// Why an argument that is padded before the axis splits it is itself whole over the axis; nullopt if it is none.
  std::optional<std::string> explainPadded(CellId cell, AxisId axis) const;
  /// The number of the tactic that splits the value over the axis; nullopt if none does.
  std::optional<size_t> findDecider(CellId cell, uint32_t meshAxis) const;
  /// The price if a further tactic comes before the tactic of this number; nothing if it cannot be applied there.
  std::optional<OtherChoice> priceWith(CellId cell, const Tactic &tactic, size_t position) const;
  std::optional<OtherChoice> priceOther(CellId cell, uint32_t meshAxis, std::optional<uint32_t> dim) const;
  std::string getTactic(uint32_t step) const;

  const Plan &plan;
  const Assignment &assignment;
  const Topology &topology;
  const Axes &axes;
  /// Null if there is no machine.
  const Price *price;
  /// The first value that a step pinned along an axis.
  std::map<std::pair<AxisId, uint32_t>, CellId> roots;
  std::vector<ScoreReshard> reshards;
  /// The numbers of reshards, by the resharded value, and by the results of the op that needs the reshard.
  std::map<CellId, std::vector<size_t>> reshardsOf, reshardsFor;
};

} // namespace

void Explainer::indexRoots() {
  for (CellId cell : idRange<CellId>(assignment.getGraph().cells.size()))
    for (AxisId axis : idRange<AxisId>(axes.size()))
      if (assignment.getPin(cell, axis).kind == PinKind::Tile)
        roots.try_emplace({axis, assignment.getPinStep(cell, axis)}, cell);
}

void Explainer::indexReshards() {
  Timeline timeline = price ? simulatePlan(*price) : Timeline();
  reshards = describeReshards(plan, price, &timeline);
  const Graph &graph = assignment.getGraph();
  for (auto [number, reshard] : llvm::enumerate(plan.reshards.list.raw())) {
    reshardsOf[reshard.cell].push_back(number);
    if (reshard.op.isValid() && reshard.position == ReshardPosition::BeforeUse)
      for (CellId result : graph.getResults(reshard.op))
        if (result != reshard.cell)
          reshardsFor[result].push_back(number);
  }
}

/// A parameter that a loop steps through is moved in slices, and its gradient is moved for it. Inner values have none.
std::vector<MovedValue> Explainer::listMoved(CellId cell) const {
  std::vector<MovedValue> list;
  std::set<size_t> listed;
  auto add = [&](Moved moved, const std::map<CellId, std::vector<size_t>> &index, CellId of) {
    if (auto found = index.find(of); found != index.end())
      for (size_t number : found->second)
        if (listed.insert(number).second)
          list.push_back({moved, reshards[number]});
  };
  add(Moved::Value, reshardsOf, cell);
  add(Moved::Operand, reshardsFor, cell);
  if (assignment.getGraph().cells[cell].kind != CellKind::Argument)
    return list;
  for (const ValueView &view : findViews(topology, cell))
    add(view.isSlice ? Moved::Slice : Moved::Value, reshardsOf, view.cell);
  for (CellId gradient : findGradientPath(topology, cell))
    add(Moved::Gradient, reshardsOf, gradient);
  return list;
}

std::string Explainer::getTactic(uint32_t step) const { return plan.findTactic(step).value_or("?").str(); }

std::optional<std::string> Explainer::explainPadded(CellId cell, AxisId axis) const {
  const Graph &graph = assignment.getGraph();
  if (graph.cells[cell].kind != CellKind::Argument)
    return std::nullopt;
  std::string name = padding::namePadded(plan.program.names.getName(cell)) + "#0";
  CellId padded = plan.program.names.find(name);
  int dim = padded.isValid() ? assignment.getCellSharding(padded).findAxis(axis) : -1;
  if (dim < 0)
    return std::nullopt;
  return "replicated: it does not divide dim " + std::to_string(dim) + " (" +
         std::to_string(graph.getShape(cell)[dim]) + "); the step pads the dim to " +
         std::to_string(graph.getShape(padded)[dim]) + " and splits " + name;
}

std::string Explainer::explainAxis(CellId cell, AxisId axis, int dim) const {
  CellId pinned = topology.getRepresentative(cell);
  Pin pin = assignment.getPin(pinned, axis);
  auto saidBy = [&] { return "as tactic '" + getTactic(assignment.getPinStep(pinned, axis)) + "' says"; };
  if (dim < 0 && pin.kind == PinKind::Atomic)
    return "replicated, " + saidBy();
  if (dim < 0)
    return explainPadded(cell, axis).value_or("replicated: no tactic reached it");
  std::string reason = "splits dim " + std::to_string(dim) + ", ";
  if (pin.kind == PinKind::Tile)
    return reason + saidBy();
  NodeId source = topology.getSource(cell);
  uint32_t step = source.isValid() ? assignment.getStep(source, axis) : 0;
  reason += "by propagation in tactic '" + getTactic(step) + "'";
  if (auto root = roots.find({axis, step}); root != roots.end())
    reason += " from " + plan.program.names.getName(root->second) + " along dim " +
              std::to_string(int(assignment.getPin(root->second, axis).dim));
  return reason;
}

/// Joins sub-axes of one axis that have the same dim and reason.
std::vector<AxisReason> Explainer::explainAxes(CellId cell) const {
  Sharding sharding = assignment.getCellSharding(cell);
  std::vector<AxisReason> reasons;
  std::optional<uint32_t> meshAxis;
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    int dim = sharding.findAxis(axis);
    std::string reason = explainAxis(cell, axis, dim);
    if (reasons.empty() || reasons.back().reason != reason || meshAxis != axes[axis].meshAxis)
      reasons.push_back({{}, dim < 0 ? std::nullopt : std::optional<uint32_t>(dim), std::move(reason)});
    reasons.back().axes.push_back(axes.getName(axis));
    meshAxis = axes[axis].meshAxis;
  }
  return reasons;
}

/// `tile 1 model`, `atomic model`.
static std::string printAction(const Action &action) {
  bool hasDim = action.kind == ActionKind::Tile || action.kind == ActionKind::Side;
  return getWord(action.kind).str() + (hasDim ? " " + std::to_string(action.dim) : "") + " " + action.axis;
}

ValueExplanation Explainer::explain(CellId cell) const {
  const Graph &graph = assignment.getGraph();
  ValueExplanation value;
  value.name = plan.program.names.getName(cell);
  value.type = printType(graph, cell);
  value.sharding = printSharding(axes, assignment.getCellSharding(cell));
  value.loc = graph.getName(graph.cells[cell].location).str();
  value.bytes = graph.getBytes(cell);
  value.localBytes = value.bytes;
  for (const DimAxes &dim : assignment.getCellSharding(cell).dims)
    for (AxisId axis : dim)
      value.localBytes /= axes[axis].size;
  value.axes = explainAxes(cell);
  for (const Action &action : plan.outcome.actions)
    if (action.cell == cell)
      value.actions.emplace_back(printAction(action), action.tactic);
  value.reshards = listMoved(cell);
  return value;
}

std::optional<size_t> Explainer::findDecider(CellId cell, uint32_t meshAxis) const {
  // Given shardings have a report before those of the tactics.
  size_t numGiven = plan.outcome.reports.size() - plan.schedule->tactics.size();
  Sharding sharding = assignment.getCellSharding(cell);
  CellId pinned = topology.getRepresentative(cell);
  NodeId source = topology.getSource(cell);
  std::optional<size_t> first;
  for (AxisId axis : axes.getParts(meshAxis)) {
    bool isPinned = assignment.getPin(pinned, axis).kind == PinKind::Tile;
    if (sharding.findAxis(axis) < 0 || (!isPinned && !source.isValid()))
      continue;
    uint32_t step = isPinned ? assignment.getPinStep(pinned, axis) : assignment.getStep(source, axis);
    if (step < plan.outcome.stepTactics.size() && plan.outcome.stepTactics[step] >= numGiven)
      first = std::min(first.value_or(SIZE_MAX), plan.outcome.stepTactics[step] - numGiven);
  }
  return first;
}

std::optional<OtherChoice> Explainer::priceWith(CellId cell, const Tactic &tactic, size_t position) const {
  Schedule schedule = *plan.schedule;
  for (Tactic &other : schedule.tactics)
    other.isOptional = true;
  schedule.tactics.insert(schedule.tactics.begin() + ptrdiff_t(position), tactic);
  Assignment other(topology, axes);
  if (!applySchedule(schedule, plan.program.names, other, nullptr))
    return std::nullopt;
  ReshardPlanner planner(axes);
  if (Result<std::vector<StepProgram>> programs = bindPrograms(plan.reductions, axes))
    planner.setPrograms(std::move(*programs));
  Cost cost = evaluateCost(price->model, other, planner), now = price->getCost();
  // What runs in pieces or ahead depends on the assignment: both are compared without.
  if (ReshardPlanner own = plan.planner; plan.hasMovedCollectives())
    now = evaluateCost(price->model, assignment, own);
  return OtherChoice{tactic.axis, tactic.entries.front().dim, printSharding(axes, other.getCellSharding(cell)),
                     cost.timePs - now.timePs, cost.peakBytes - now.peakBytes};
}

/// A split may be meant for what uses the value, which is decided first, in place of what splits it now, or for its
/// storage alone, which is decided last: the fastest one is meant.
std::optional<OtherChoice> Explainer::priceOther(CellId cell, uint32_t meshAxis, std::optional<uint32_t> dim) const {
  Result<Pattern> pattern = Pattern::parse(escapePattern(plan.program.names.getName(cell)), SourceLocation());
  if (!pattern)
    return std::nullopt;
  Tactic tactic;
  tactic.name = "otherwise";
  tactic.axis = axes.mesh.axes[meshAxis].name;
  tactic.entries.push_back({dim ? ActionKind::Tile : ActionKind::Atomic, std::move(*pattern), dim, SourceLocation()});
  std::set<size_t> positions = {0};
  if (dim)
    positions.insert({findDecider(cell, meshAxis).value_or(0), plan.schedule->tactics.size()});
  std::optional<OtherChoice> best;
  for (size_t position : positions)
    if (std::optional<OtherChoice> choice = priceWith(cell, tactic, position))
      if (!best || choice->timePs < best->timePs)
        best = std::move(choice);
  return best;
}

std::vector<OtherChoice> Explainer::priceOthers(CellId cell) const {
  std::vector<OtherChoice> choices;
  Sharding sharding = assignment.getCellSharding(cell);
  auto add = [&](uint32_t axis, std::optional<uint32_t> dim) {
    if (std::optional<OtherChoice> choice = priceOther(cell, axis, dim))
      choices.push_back(std::move(*choice));
  };
  for (uint32_t axis = 0; axis < axes.mesh.axes.size(); ++axis) {
    if (axes.mesh.axes[axis].size == 1)
      continue;
    int now = sharding.findAxis(axes.getParts(axis).front());
    if (now >= 0)
      add(axis, std::nullopt);
    for (uint32_t dim = 0; dim < assignment.getGraph().cells[cell].rank; ++dim)
      if (int(dim) != now)
        add(axis, dim);
  }
  return choices;
}

/// The value of this name, or those that match it as a pattern.
static Result<std::vector<CellId>> matchValue(const CellNames &names, llvm::StringRef value) {
  if (CellId cell = names.find(value); cell.isValid())
    return std::vector<CellId>{cell};
  // If it is not a valid pattern either, it is an unknown name.
  Result<Pattern> pattern = Pattern::parse(value, SourceLocation());
  std::vector<CellId> cells = pattern ? names.match(*pattern) : std::vector<CellId>();
  if (cells.empty()) {
    std::optional<std::string> meant = names.findNearest(value);
    return Error::usage("the program has no value '" + value.str() + "'")
        .withRemedy(meant ? "did you mean '" + *meant + "'?"
                          : "`partita plan FILE --stop-after=flatten` lists the names");
  }
  return cells;
}

Result<std::vector<CellId>> findValues(const CellNames &names, llvm::ArrayRef<std::string> wanted) {
  if (wanted.empty())
    return Error::usage("there is no value to explain").withRemedy("name one with --value \"params['w']\"");
  std::vector<CellId> cells;
  for (const std::string &value : wanted) {
    Result<std::vector<CellId>> found = matchValue(names, value);
    if (!found)
      return found.error();
    llvm::append_range(cells, *found);
  }
  return cells;
}

std::vector<ValueExplanation> explainValues(const Plan &plan, const Price *price, llvm::ArrayRef<CellId> cells) {
  Explainer explainer(plan, price);
  bool isPriced = price && plan.schedule && cells.size() <= maxPricedValues;
  std::vector<ValueExplanation> values;
  for (CellId cell : cells) {
    values.push_back(explainer.explain(cell));
    if (isPriced)
      values.back().others = explainer.priceOthers(cell);
  }
  return values;
}

} // namespace partita::report
