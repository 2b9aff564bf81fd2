//===- Explanation.cpp - why a value is split as it is --------------------===//

#include "partita/Driver/Explanation.h"

#include "partita/Driver/Pricing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
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
  /// Why the axis splits that dim, or none if it is negative.
  std::string explainAxis(AxisId axis, int dim) const;
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

std::string Explanation::explainAxis(AxisId axis, int dim) const {
  CellId pinned = topology.getRepresentative(cell);
  Pin pin = assignment.getPin(pinned, axis);
  auto saidBy = [&] { return "as tactic '" + getTactic(assignment.getPinStep(pinned, axis)) + "' says"; };
  if (dim < 0)
    return pin.kind == PinKind::Atomic ? "whole, " + saidBy() : "whole: no tactic reached it";
  std::string reason = "splits dim " + std::to_string(dim) + ", ";
  if (pin.kind == PinKind::Tile)
    return reason + saidBy();
  NodeId source = topology.getSource(cell);
  uint32_t step = source.isValid() ? assignment.getStep(source, axis) : 0;
  reason += "by propagation in tactic '" + getTactic(step) + "'";
  if (CellId root = findRoot(axis, step); root.isValid())
    reason += " from " + planning.names.getName(root) + " along dim " +
              std::to_string(int(assignment.getPin(root, axis).dim));
  return reason;
}

void Explanation::explainSharding() {
  Sharding sharding = assignment.getCellSharding(cell);
  out << planning.names.getName(cell) << ": " << printType(assignment.getGraph(), cell) << " as "
      << printSharding(axes, sharding) << "\n";
  // Parts of an axis of which the same is to be said are one.
  llvm::SmallVector<AxisId> parts;
  std::string reason;
  auto flush = [&] {
    if (!parts.empty())
      out << "  " << llvm::join(getNames(axes, parts), ", ") << ": " << reason << "\n";
    parts.clear();
  };
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    std::string own = explainAxis(axis, sharding.findAxis(axis));
    if (!parts.empty() && (own != reason || axes[axis].meshAxis != axes[parts.back()].meshAxis))
      flush();
    reason = std::move(own);
    parts.push_back(axis);
  }
  flush();
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
  out << llvm::format("  %+10.3f ms %+9.3f GB  ", double(cost.timePs - now.timePs) / 1e9,
                      double(cost.peakBytes - now.peakBytes) / 1e9);
  if (dim)
    out << "split along dim " << *dim << " over " << axes.mesh.axes[meshAxis].name << "\n";
  else
    out << "whole over " << axes.mesh.axes[meshAxis].name << "\n";
}

void Explanation::explainAlternatives(const Pricing &pricing) {
  out << "what the plan would cost if another tactic, before all others, said of it\n";
  Sharding sharding = assignment.getCellSharding(cell);
  for (uint32_t axis = 0; axis < axes.mesh.axes.size(); ++axis) {
    if (axes.mesh.axes[axis].size == 1)
      continue;
    int now = sharding.findAxis(axes.getParts(axis).front());
    if (now >= 0)
      tryOtherwise(pricing, axis, std::nullopt);
    for (uint32_t dim = 0; dim < assignment.getGraph().cells[cell].rank; ++dim)
      if (int(dim) != now)
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
