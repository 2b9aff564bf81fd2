//===- LoopRotation.cpp - gathers that a loop makes an iteration ahead ----===//

#include "partita/Cost/LoopRotation.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Cost/Exchanges.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

namespace {

class ConeCheck {
public:
  ConeCheck(const Assignment &assignment, const Reshards &reshards, RegionId region)
      : topology(assignment.getTopology()), graph(assignment.getGraph()), assignment(assignment), reshards(reshards),
        region(region) {}

  /// Whether the cell follows, by ops that move or convert, from carried values that are known early.
  bool isKnownEarly(CellId cell) { return follows(cell, /*isNext=*/false); }
  /// Whether it differs from one iteration to the next.
  bool changes() const { return hasCounter; }

private:
  bool isOutside(CellId cell) const;
  bool follows(CellId cell, bool isNext);
  bool isMoved(OpId op, bool isNext) const;
  bool isCounted(CellId carried);
  bool isUnchanged(CellId carried) const;
  CellId skipBarriers(CellId cell) const;
  bool isConstant(CellId cell) const;

  const Topology &topology;
  const Graph &graph;
  const Assignment &assignment;
  const Reshards &reshards;
  RegionId region;
  /// Carried values that are, or are assumed to be, known early.
  std::set<CellId> counted;
  std::set<std::pair<CellId, bool>> seen;
  bool hasCounter = false;
};

} // namespace

/// Whether ops of the class compute each element from few others, in one region.
static bool isElementwise(OpClass opClass) { return opClass == OpClass::Elementwise || opClass == OpClass::Movement; }

bool ConeCheck::isMoved(OpId op, bool isNext) const {
  const Op &info = graph.ops[op];
  if (!listExchanges(assignment, op).collectives.empty())
    return false;
  auto isSmallCell = [&](CellId cell) { return isSmall(graph, cell); };
  if (isElementwise(info.opClass) && llvm::all_of(graph.getResults(op), isSmallCell))
    return true;
  return !isNext &&
         (info.opClass == OpClass::Movement || info.kind == OpKind::Convert || info.kind == OpKind::DynamicSlice);
}

/// The value that barriers pass on as the cell's.
CellId ConeCheck::skipBarriers(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  while (op.isValid() && graph.ops[op].role == IdentityRole::Barrier && graph.ops[op].region == region) {
    cell = graph.getOperands(op)[0];
    op = topology.getDefinition(cell);
  }
  return cell;
}

bool ConeCheck::isUnchanged(CellId carried) const {
  llvm::ArrayRef<OpId> definitions = topology.getDefinitions(carried);
  return definitions.size() == 1 || skipBarriers(graph.getOperands(definitions.back())[0]) == carried;
}

bool ConeCheck::isCounted(CellId carried) {
  if (isUnchanged(carried))
    return true;
  hasCounter = true;
  if (!counted.insert(carried).second)
    return true;
  OpId yield = topology.getDefinitions(carried).back();
  // What takes a value from outside, or a constant, is no counter, and the static check does not tell it from that
  // value.
  CellId next = skipBarriers(graph.getOperands(yield)[0]);
  return isSmall(graph, carried) && !isOutside(next) && !isConstant(next) &&
         !reshards.uses[UseId(graph.ops[yield].firstUse)].isValid() &&
         follows(graph.getOperands(yield)[0], /*isNext=*/true);
}

/// Whether it is computed from nothing.
bool ConeCheck::isConstant(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  return op.isValid() && graph.cells[cell].kind == CellKind::OpResult &&
         llvm::all_of(graph.getOperands(op), [&](CellId operand) { return isConstant(operand); });
}

/// What loops and branches inside of the region make has their regions.
bool ConeCheck::isOutside(CellId cell) const {
  for (RegionId outer = region; (outer = graph.regions[outer].parent).isValid();)
    if (graph.cells[cell].region == outer)
      return true;
  return false;
}

bool ConeCheck::follows(CellId cell, bool isNext) {
  if (isOutside(cell) || !seen.insert({cell, isNext}).second)
    return true;
  if (graph.cells[cell].region != region)
    return false;
  if (graph.cells[cell].kind == CellKind::Carried)
    return isCounted(cell);
  OpId op = topology.getDefinition(cell);
  if (!op.isValid() || graph.cells[cell].kind != CellKind::OpResult ||
      reshards.getDefinition(graph, op, topology.getResultNumber(cell)).isValid())
    return false;
  if (graph.ops[op].role != IdentityRole::Barrier && !isMoved(op, isNext))
    return false;
  for (uint32_t number = 0; number < graph.ops[op].numUses; ++number) {
    UseId use(graph.ops[op].firstUse + number);
    if (reshards.uses[use].isValid() || !follows(graph.uses[use], isNext))
      return false;
  }
  return true;
}

bool mayRotate(const Assignment &assignment, const ReshardPlanner &planner, const Reshards &reshards, ReshardId id) {
  const Reshard &reshard = reshards[id];
  const ReshardPlan &plan = planner[reshard.plan];
  const Graph &graph = assignment.getGraph();
  if (reshard.position != ReshardPosition::BeforeUse || !reshard.op.isValid() || reshard.source.isValid() ||
      graph.regions[reshard.region].kind != RegionKind::LoopBody || !plan.from.partial.empty() ||
      !plan.to.partial.empty())
    return false;
  auto isGather = [](const ReshardStep &step) { return step.kind == CollectiveKind::AllGather; };
  if (plan.steps.empty() || !llvm::all_of(plan.steps, isGather))
    return false;
  ConeCheck check(assignment, reshards, reshard.region);
  return check.isKnownEarly(reshard.cell) && check.changes();
}

OpId findLoopEntry(const Topology &topology, RegionId body) {
  const Graph &graph = topology.getGraph();
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (graph.cells[cell].kind == CellKind::Carried && graph.cells[cell].region == body)
      return topology.getDefinitions(cell).front();
  return {};
}

std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards, const ProductPieces &pieces,
                                              const std::set<ReshardId> &rotated) {
  std::vector<CollectiveCount> counts = countCollectives(assignment, planner, reshards, pieces);
  const Graph &graph = assignment.getGraph();
  for (ReshardId id : rotated) {
    int64_t times = std::max<int64_t>(1, graph.getMultiplicity(graph.regions[reshards[id].region].parent));
    for (const ReshardStep &step : planner[reshards[id].plan].steps)
      for (CollectiveCount &line : counts)
        if (line.kind == step.kind && line.axes == step.axes) {
          line.count += times;
          line.payloadBytes += times * step.payloadBytes;
          line.sentBytes += times * ((step.sentBits + 7) / 8);
        }
  }
  return counts;
}

RotatedCollective describeRotated(const Reshard &reshard, const Graph &graph, const CellNames &names) {
  bool isGather = reshard.position == ReshardPosition::BeforeUse;
  return {names.getName(reshard.cell), isGather ? names.getName(graph.getResults(reshard.op)[0]) : ""};
}

Result<std::set<ReshardId>> bindRotated(llvm::ArrayRef<RotatedCollective> named, const Assignment &assignment,
                                        const ReshardPlanner &planner, const Reshards &reshards, const CellNames &names,
                                        const ProductPieces &pieces) {
  std::set<ReshardId> rotated;
  LoopMiddles middles(assignment.getTopology());
  for (const RotatedCollective &entry : named) {
    bool isGather = !entry.user.empty();
    CellId value = names.find(entry.value), user = isGather ? names.find(entry.user) : CellId();
    if (!value.isValid() || (isGather && !user.isValid()))
      return Error::badInput(entry.location, "the program has no value '" +
                                                 (value.isValid() ? entry.user : entry.value) + "', or several");
    OpId op = assignment.getTopology().getDefinition(isGather ? user : value);
    auto isNamed = [&](ReshardId id) {
      if (reshards[id].cell != value || !op.isValid() || reshards[id].op != op || rotated.contains(id) ||
          pieces.find(id))
        return false;
      return isGather ? mayRotate(assignment, planner, reshards, id)
                      : mayCarry(assignment, planner, reshards, id) && middles.find(reshards[id].region).isValid();
    };
    ReshardId found;
    for (ReshardId id : idRange<ReshardId>(reshards.size()))
      if (!found.isValid() && isNamed(id))
        found = id;
    if (!found.isValid())
      return Error::badInput(entry.location,
                             isGather ? "\"rotate\": no loop gathers '" + entry.value + "' before '" + entry.user +
                                            "' so that it could be gathered an iteration ahead, or it is named twice"
                                      : "\"rotate\": no loop reduces '" + entry.value +
                                            "' so that it could be reduced an iteration later, or it is named twice")
          .withRemedy("plan with --allow=rotate, which finds what can be");
    rotated.insert(found);
  }
  return rotated;
}

} // namespace partita::cost
