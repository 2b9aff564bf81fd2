//===- CellReshards.cpp - the reshards of one value -----------------------===//

#include "partita/Cost/CellReshards.h"

#include "partita/Cost/ReducedSharding.h"

namespace partita::cost {

void CellReshards::clear() {
  list.clear();
  firstUsers.clear();
  uses.clear();
  definition = ReshardId();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

PartialSharding CellReshardBuilder::getDefinitionSharding(OpId op, uint32_t result) const {
  PartialSharding given;
  given.sharding = assignment.getValueSharding(op, graph.ops[op].numUses + result);
  given.partial = assignment.getReducedAxes(op);
  given.combiner = assignment.getCombiner(op);
  NodeId node = topology.getNode(op);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.getFactor(node, axis) == sumFactor) {
      given.partial.push_back(axis);
      given.combiner = Combiner::Add;
    }
  llvm::sort(given.partial);
  return given;
}

/// The definition's sharding, changed by the cell's pins.
PartialSharding CellReshardBuilder::getCellSharding(CellId cell, const PartialSharding &definition) const {
  PartialSharding own;
  own.sharding = assignment.getCellSharding(cell);
  CellId representative = topology.getRepresentative(cell);
  for (AxisId axis : definition.partial)
    if (assignment.getPin(representative, axis).kind == PinKind::None)
      own.partial.push_back(axis);
  own.combiner = own.partial.empty() ? Combiner::None : definition.combiner;
  return own;
}

PartialSharding CellReshardBuilder::getBoundarySharding(CellId cell) const {
  PartialSharding own;
  own.sharding = assignment.getCellSharding(cell);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.isPartialSum(cell, axis))
      own.partial.push_back(axis);
  own.combiner = own.partial.empty() ? Combiner::None : Combiner::Add;
  return own;
}

PartialSharding CellReshardBuilder::getRequired(UseId use, const PartialSharding &available) const {
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  PartialSharding need;
  need.sharding = assignment.getValueSharding(op, operand);
  for (AxisId axis : available.partial)
    if (takesSum(op, operand, axis))
      need.partial.push_back(axis);
  need.combiner = need.partial.empty() ? Combiner::None : available.combiner;
  return need;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

const CellReshards &CellReshardBuilder::buildOfBoundary(CellId cell) {
  made.clear();
  AvailableSharding available{cell, getBoundarySharding(cell), ReshardId(), OpId()};
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  if (graph.cells[cell].kind != CellKind::Carried) {
    serveUses(available, uses);
    return made;
  }
  Uses inner, outer;
  for (UseId use : uses) {
    RegionId region = graph.ops[topology.getUser(use)].region;
    (isOfLoop(graph, region, graph.cells[cell].region) ? inner : outer).push_back(use);
  }
  serveUses(available, outer);
  available.hasPosition = false;
  serveUses(available, inner);
  return made;
}

/// The sharding of the cell after its definition, which gives `given`.
PartialSharding CellReshardBuilder::getBoundSharding(CellId cell, const PartialSharding &given,
                                                     llvm::ArrayRef<UseId> uses) const {
  if (topology.getBoundaryNode(cell).isValid())
    return getBoundarySharding(cell);
  bool isResult = graph.cells[cell].kind == CellKind::Result;
  if (!isResult && !assignment.isPinned(topology.getRepresentative(cell)))
    return given;
  PartialSharding bound = getCellSharding(cell, given);
  // A partial sum that every use requires reduced is reduced here.
  auto takesSums = [&](UseId use) { return !getRequired(use, bound).partial.empty(); };
  if (isResult || llvm::none_of(uses, takesSums)) {
    bound.partial.clear();
    bound.combiner = Combiner::None;
  }
  return bound;
}

const CellReshards &CellReshardBuilder::buildOfDefinition(OpId op, uint32_t result) {
  made.clear();
  CellId cell = graph.getResults(op)[result];
  // Uses of boundary values are already served; results have no uses.
  bool hasUses = graph.cells[cell].kind == CellKind::OpResult;
  llvm::ArrayRef<UseId> uses = hasUses ? topology.getUses(cell) : llvm::ArrayRef<UseId>();
  if (hasUses && uses.empty())
    return made;
  AvailableSharding available{cell, getDefinitionSharding(op, result), ReshardId(), op};
  if (PartialSharding bound = getBoundSharding(cell, available.sharding, uses); bound != available.sharding) {
    available.source = addAfter(available, bound, op);
    available.sharding = std::move(bound);
    made.definition = available.source;
  }
  serveUses(available, uses);
  return made;
}

void CellReshardBuilder::serveUses(const AvailableSharding &available, llvm::ArrayRef<UseId> uses) {
  RequiredShardings direct, reduced;
  for (UseId use : uses) {
    PartialSharding need = getRequired(use, available.sharding);
    if (need == available.sharding)
      note(use, available.source);
    else if (need.partial == available.sharding.partial || !available.hasPosition)
      direct.push_back({use, topology.getUser(use), std::move(need)});
    else
      reduced.push_back({use, topology.getUser(use), std::move(need)});
  }
  serve(available, direct);
  // Uses that leave the same axes partial share a reduction.
  while (!reduced.empty()) {
    RequiredShardings alike, others;
    for (RequiredSharding &need : reduced)
      (need.sharding.partial == reduced.front().sharding.partial ? alike : others).push_back(need);
    serveReduced(available, alike);
    reduced = std::move(others);
  }
}

static int64_t countParts(const Axes &axes, const Sharding &sharding) {
  int64_t parts = 1;
  for (const DimAxes &dim : sharding.dims)
    for (AxisId axis : dim)
      parts *= axes[axis].size;
  return parts;
}

/// Whether a device holds more of the value after the plan than before it.
bool CellReshardBuilder::grows(const ReshardPlan &plan) const {
  const Axes &axes = assignment.getAxes();
  return countParts(axes, plan.to.sharding) < countParts(axes, plan.from.sharding);
}

static bool isMoved(const PartialSharding &from, const PartialSharding &to, AxisId axis) {
  return from.sharding.findAxis(axis) != to.sharding.findAxis(axis) ||
         llvm::is_contained(from.partial, axis) != llvm::is_contained(to.partial, axis);
}

uint32_t CellReshardBuilder::getGroup(const AvailableSharding &available, const RequiredSharding &need) const {
  UseGroup group = assignment.getUseGroup(need.use);
  for (AxisId axis : idRange<AxisId>(group.number == 0 ? 0 : numAxes))
    if ((group.axes >> axis.get() & 1) != 0 && isMoved(available.sharding, need.sharding, axis))
      return group.number;
  return 0;
}

/// Each pair of group and required sharding gets its reshard. All groups share those that only slice.
void CellReshardBuilder::serve(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs) {
  llvm::SmallVector<std::pair<ReshardId, uint32_t>, 4> known;
  auto serves = [&](std::pair<ReshardId, uint32_t> entry, const RequiredSharding &need, uint32_t group) {
    const Reshard &reshard = made.list[entry.first.get()];
    const Op &user = graph.ops[need.op];
    // A piece that does not grow may stay alive from one phase to the next.
    bool isSamePhase = group != 0 || reshard.phase == user.phase || !grows(planner[reshard.plan]);
    bool isSameGroup = reshard.region == user.region && entry.second == group && isSamePhase;
    bool isShared = reshard.position == ReshardPosition::AfterDefinition || isSameGroup;
    return isShared && planner[reshard.plan].to == need.sharding;
  };
  for (const RequiredSharding &need : needs) {
    uint32_t group = getGroup(available, need);
    auto found = llvm::find_if(known, [&](auto entry) { return serves(entry, need, group); });
    if (found == known.end()) {
      ReshardPlanId plan = findPlan(available.cell, available.sharding, need.sharding);
      bool isAfter = available.hasPosition && planner[plan].isLocal();
      known.push_back(
          {isAfter ? addAfter(available, need.sharding, need.op) : addBefore(available, plan, need.op), group});
      found = std::prev(known.end());
    }
    note(need.use, found->first);
  }
}

void CellReshardBuilder::serveReduced(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs) {
  AvailableSharding reduced = available;
  reduced.sharding = chooseSharding(available, needs);
  reduced.source = addAfter(available, reduced.sharding, needs.front().op);
  RequiredShardings others;
  for (const RequiredSharding &need : needs)
    if (need.sharding == reduced.sharding)
      note(need.use, reduced.source);
    else
      others.push_back(need);
  serve(reduced, others);
}

PartialSharding CellReshardBuilder::chooseSharding(const AvailableSharding &available,
                                                   llvm::ArrayRef<RequiredSharding> needs) {
  llvm::SmallVector<RequestedSharding, 2> requested;
  struct Group {
    size_t sharding;
    OpId op;
    uint32_t number;
  };
  llvm::SmallVector<Group, 4> groups;
  for (const RequiredSharding &need : needs) {
    auto isSame = [&](const RequestedSharding &other) { return other.sharding == need.sharding; };
    size_t sharding = llvm::find_if(requested, isSame) - requested.begin();
    if (sharding == requested.size())
      requested.push_back({need.sharding, 0});
    const Op &user = graph.ops[need.op];
    uint32_t number = getGroup(available, need);
    bool isKnown = llvm::any_of(groups, [&](const Group &group) {
      const Op &other = graph.ops[group.op];
      bool isSamePhase = number != 0 || other.phase == user.phase;
      return group.sharding == sharding && group.number == number && other.region == user.region && isSamePhase;
    });
    if (isKnown)
      continue;
    groups.push_back({sharding, need.op, number});
    ++requested[sharding].numGroups;
  }
  return chooseReducedSharding(graph.getShape(available.cell), graph.cells[available.cell].elementBits,
                               available.sharding, requested, planner);
}

//===----------------------------------------------------------------------===//
// Reshards
//===----------------------------------------------------------------------===//

/// The region in which a value exists: after the loop, for what a loop leaves.
RegionId CellReshardBuilder::getRegion(const AvailableSharding &available) const {
  if (available.op.isValid())
    return graph.ops[available.op].region;
  const Cell &cell = graph.cells[available.cell];
  return cell.kind == CellKind::Carried ? graph.regions[cell.region].parent : cell.region;
}

ReshardId CellReshardBuilder::add(const Reshard &reshard, OpId firstUser) {
  made.list.push_back(reshard);
  made.firstUsers.push_back(firstUser);
  return ReshardId(static_cast<uint32_t>(made.list.size() - 1));
}

ReshardId CellReshardBuilder::addAfter(const AvailableSharding &available, const PartialSharding &to, OpId firstUser) {
  ReshardPlanId plan = findPlan(available.cell, available.sharding, to);
  Phase phase = graph.ops[available.op.isValid() ? available.op : firstUser].phase;
  return add({available.cell, available.source, plan, ReshardPosition::AfterDefinition, available.op, phase,
              getRegion(available)},
             firstUser);
}

ReshardId CellReshardBuilder::addBefore(const AvailableSharding &available, ReshardPlanId plan, OpId user) {
  const Op &op = graph.ops[user];
  return add({available.cell, available.source, plan, ReshardPosition::BeforeUse, user, op.phase, op.region}, user);
}

} // namespace partita::cost
