//===- Explanation.cpp - why a value is split as it is --------------------===//

#include "partita/Driver/Explanation.h"

#include "partita/Driver/Pricing.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita {

namespace {

class Explanation {
public:
  Explanation(const Planning &planning, CellId cell)
      : planning(planning), assignment(*planning.assignment), topology(*planning.topology), axes(planning.axes),
        cell(cell), out(text) {}

  void explainSharding();
  /// What the plan would cost if the value were first whole, or first split along another dim.
  void explainAlternatives(const Pricing &pricing);
  std::string take() { return std::move(text); }

private:
  void explainAxis(AxisId axis, int dim);
  void tryOtherwise(const Pricing &pricing, uint32_t meshAxis, std::optional<uint32_t> dim);
  std::string getTactic(uint32_t step) const;
  /// A value that the step pinned; invalid if there is none.
  CellId findRoot(AxisId axis, uint32_t step) const;

  const Planning &planning;
  const Assignment &assignment;
  const Topology &topology;
  const Axes &axes;
  CellId cell;
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

std::string Explanation::getTactic(uint32_t step) const {
  if (step >= planning.outcome.stepTactics.size())
    return "?";
  return planning.outcome.reports[planning.outcome.stepTactics[step]].name;
}

CellId Explanation::findRoot(AxisId axis, uint32_t step) const {
  for (CellId other : idRange<CellId>(assignment.getGraph().cells.size()))
    if (assignment.getPin(other, axis).kind == PinKind::Tile && assignment.getPinStep(other, axis) == step)
      return other;
  return CellId();
}

void Explanation::explainAxis(AxisId axis, int dim) {
  CellId pinned = topology.getRepresentative(cell);
  Pin pin = assignment.getPin(pinned, axis);
  out << "  " << axes.getName(axis) << ": ";
  if (dim < 0 && pin.kind == PinKind::Atomic) {
    out << "whole, as tactic '" << getTactic(assignment.getPinStep(pinned, axis)) << "' says\n";
    return;
  }
  if (dim < 0) {
    out << "whole: no tactic reached it\n";
    return;
  }
  out << "splits dim " << dim << ", ";
  if (pin.kind == PinKind::Tile) {
    out << "as tactic '" << getTactic(assignment.getPinStep(pinned, axis)) << "' says\n";
    return;
  }
  NodeId source = topology.getSource(cell);
  uint32_t step = source.isValid() ? assignment.getStep(source, axis) : 0;
  out << "by propagation in tactic '" << getTactic(step) << "'";
  if (CellId root = findRoot(axis, step); root.isValid())
    out << " from " << planning.names.getName(root) << " along dim " << int(assignment.getPin(root, axis).dim);
  out << "\n";
}

void Explanation::explainSharding() {
  Sharding sharding = assignment.getCellSharding(cell);
  out << planning.names.getName(cell) << ": " << printType(assignment.getGraph(), cell) << " as "
      << printSharding(axes, sharding) << "\n";
  for (AxisId axis : idRange<AxisId>(axes.size()))
    explainAxis(axis, sharding.findAxis(axis));
}

void Explanation::tryOtherwise(const Pricing &pricing, uint32_t meshAxis, std::optional<uint32_t> dim) {
  Result<Pattern> pattern = Pattern::parse(escapePattern(planning.names.getName(cell)), Place());
  if (!pattern)
    return;
  Tactic tactic;
  tactic.name = "otherwise";
  tactic.axis = axes.mesh.axes[meshAxis].name;
  tactic.entries.push_back({dim ? ActionKind::Tile : ActionKind::Atomic, std::move(*pattern), dim, Place()});
  Schedule schedule = *planning.schedule;
  for (Tactic &other : schedule.tactics)
    other.isOptional = true;
  schedule.tactics.insert(schedule.tactics.begin(), std::move(tactic));
  Assignment other(topology, axes);
  if (!applySchedule(schedule, planning.names, other, nullptr))
    return;
  ReshardPlanner planner(axes);
  Cost cost = evaluateCost(pricing.model, other, planner), now = pricing.tracker.getCost();
  out << llvm::formatv("  {0,+10:f3} ms {1,+9:f3} GB  ", double(cost.timePs - now.timePs) / 1e9,
                       double(cost.peakBytes - now.peakBytes) / 1e9);
  if (dim)
    out << "split along dim " << *dim << " over " << axes.mesh.axes[meshAxis].name << "\n";
  else
    out << "whole over " << axes.mesh.axes[meshAxis].name << "\n";
}

void Explanation::explainAlternatives(const Pricing &pricing) {
  out << "if it were first\n";
  for (uint32_t axis = 0; axis < axes.mesh.axes.size(); ++axis) {
    if (axes.mesh.axes[axis].size == 1)
      continue;
    tryOtherwise(pricing, axis, std::nullopt);
    for (uint32_t dim = 0; dim < assignment.getGraph().cells[cell].rank; ++dim)
      tryOtherwise(pricing, axis, dim);
  }
}

Result<std::string> explainValue(const Planning &planning, const Options &options, StageClock &clock) {
  if (options.value.empty())
    return Error::usage("there is no value to explain").withRemedy("name one with --value \"params['w']\"");
  CellId cell = planning.names.find(options.value);
  if (!cell.isValid()) {
    Result<Pattern> pattern = Pattern::parse(escapePattern(options.value), Place());
    std::vector<CellId> cells = pattern ? planning.names.match(*pattern) : std::vector<CellId>();
    if (cells.empty())
      return Error::usage("the program has no value '" + options.value + "'")
          .withRemedy("`partita plan FILE --stop-after=flatten` lists the names");
    cell = cells.front();
  }
  Explanation explanation(planning, cell);
  explanation.explainSharding();
  if (!options.machine.empty() && planning.schedule) {
    auto pricing = makePricing(planning, options, clock);
    if (!pricing)
      return pricing.error();
    explanation.explainAlternatives(**pricing);
  }
  return explanation.take();
}

} // namespace partita
