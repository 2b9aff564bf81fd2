//===- CellTransfers.cpp - the reshards of one value ----------------------===//

#include "partita/Cost/CellTransfers.h"

#include "partita/Cost/ReducedForm.h"

namespace partita {

void CellTransfers::clear() {
  list.clear();
  firstUsers.clear();
  uses.clear();
  definition = TransferId();
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Form CellTransferBuilder::getDefinitionForm(OpId op, uint32_t result) const {
  Form form;
  form.sharding = assignment.getValueSharding(op, graph.ops[op].numUses + result);
  form.partial = assignment.getReducedAxes(op);
  form.combiner = assignment.getCombiner(op);
  NodeId node = topology.getNode(op);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.getFactor(node, axis) == sumFactor) {
      form.partial.push_back(axis);
      form.combiner = Combiner::Add;
    }
  llvm::sort(form.partial);
  return form;
}

/// What the definition gives, but for what pins say.
Form CellTransferBuilder::getCellForm(CellId cell, const Form &definition) const {
  Form form;
  form.sharding = assignment.getCellSharding(cell);
  CellId representative = topology.getRepresentative(cell);
  for (AxisId axis : definition.partial)
    if (assignment.getPin(representative, axis).kind == PinKind::None)
      form.partial.push_back(axis);
  form.combiner = form.partial.empty() ? Combiner::None : definition.combiner;
  return form;
}

Form CellTransferBuilder::getPlaceForm(CellId cell) const {
  Form form;
  form.sharding = assignment.getCellSharding(cell);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.isPartialSum(cell, axis))
      form.partial.push_back(axis);
  form.combiner = form.partial.empty() ? Combiner::None : Combiner::Add;
  return form;
}

Form CellTransferBuilder::getNeed(UseId use, const Form &stock) const {
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  Form need;
  need.sharding = assignment.getValueSharding(op, operand);
  for (AxisId axis : stock.partial)
    if (takesSum(op, operand, axis))
      need.partial.push_back(axis);
  need.combiner = need.partial.empty() ? Combiner::None : stock.combiner;
  return need;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// In the body, or in the condition, which stands before it.
bool CellTransferBuilder::isInLoop(RegionId region, RegionId body) const {
  for (; region.isValid(); region = graph.regions[region].parent) {
    if (region == body)
      return true;
    if (region.get() + 1 == body.get() && graph.regions[region].kind == RegionKind::LoopCondition)
      return true;
  }
  return false;
}

const CellTransfers &CellTransferBuilder::buildOfPlace(CellId cell) {
  made.clear();
  Stock stock{cell, getPlaceForm(cell), TransferId(), OpId()};
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  if (graph.cells[cell].kind != CellKind::Carried) {
    serveUses(stock, uses);
    return made;
  }
  Uses inner, outer;
  for (UseId use : uses) {
    RegionId region = graph.ops[topology.getUser(use)].region;
    (isInLoop(region, graph.cells[cell].region) ? inner : outer).push_back(use);
  }
  serveUses(stock, outer);
  stock.hasPosition = false;
  serveUses(stock, inner);
  return made;
}

/// The form that the cell has behind its definition, which gives `given`.
Form CellTransferBuilder::getBoundForm(CellId cell, const Form &given, llvm::ArrayRef<UseId> uses) const {
  if (topology.getPlace(cell).isValid())
    return getPlaceForm(cell);
  bool isResult = graph.cells[cell].kind == CellKind::Result;
  if (!isResult && !assignment.isPinned(topology.getRepresentative(cell)))
    return given;
  Form form = getCellForm(cell, given);
  // What all uses want whole is reduced on the way.
  auto takesSums = [&](UseId use) { return !getNeed(use, form).partial.empty(); };
  if (isResult || llvm::none_of(uses, takesSums)) {
    form.partial.clear();
    form.combiner = Combiner::None;
  }
  return form;
}

const CellTransfers &CellTransferBuilder::buildOfDefinition(OpId op, uint32_t result) {
  made.clear();
  CellId cell = graph.getResults(op)[result];
  // Uses of places have been served; results have none.
  bool hasUses = graph.cells[cell].kind == CellKind::OpResult;
  llvm::ArrayRef<UseId> uses = hasUses ? topology.getUses(cell) : llvm::ArrayRef<UseId>();
  if (hasUses && uses.empty())
    return made;
  Stock stock{cell, getDefinitionForm(op, result), TransferId(), op};
  if (Form form = getBoundForm(cell, stock.form, uses); form != stock.form) {
    stock.source = addAfter(stock, form, op);
    stock.form = std::move(form);
    made.definition = stock.source;
  }
  serveUses(stock, uses);
  return made;
}

void CellTransferBuilder::serveUses(const Stock &stock, llvm::ArrayRef<UseId> uses) {
  Needs direct, reduced;
  for (UseId use : uses) {
    Form need = getNeed(use, stock.form);
    if (need == stock.form)
      note(use, stock.source);
    else if (need.partial == stock.form.partial || !stock.hasPosition)
      direct.push_back({use, topology.getUser(use), std::move(need)});
    else
      reduced.push_back({use, topology.getUser(use), std::move(need)});
  }
  serve(stock, direct);
  // Those that leave the same sums partial share a reduction.
  while (!reduced.empty()) {
    Needs alike, others;
    for (Need &need : reduced)
      (need.form.partial == reduced.front().form.partial ? alike : others).push_back(need);
    serveReduced(stock, alike);
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

/// Whether a device has more of the value behind the plan than before it.
bool CellTransferBuilder::grows(const ReshardPlan &plan) const {
  const Axes &axes = assignment.getAxes();
  return countParts(axes, plan.to.sharding) < countParts(axes, plan.from.sharding);
}

static bool isMoved(const Form &from, const Form &to, AxisId axis) {
  return from.sharding.findAxis(axis) != to.sharding.findAxis(axis) ||
         llvm::is_contained(from.partial, axis) != llvm::is_contained(to.partial, axis);
}

uint32_t CellTransferBuilder::getGroup(const Stock &stock, const Need &need) const {
  UseGroup group = assignment.getUseGroup(need.use);
  for (AxisId axis : idRange<AxisId>(group.number == 0 ? 0 : numAxes))
    if ((group.axes >> axis.get() & 1) != 0 && isMoved(stock.form, need.form, axis))
      return group.number;
  return 0;
}

/// Each group and form gets its transfer; forms that are slices are shared by all groups.
void CellTransferBuilder::serve(const Stock &stock, llvm::ArrayRef<Need> needs) {
  llvm::SmallVector<std::pair<TransferId, uint32_t>, 4> known;
  auto serves = [&](std::pair<TransferId, uint32_t> entry, const Need &need, uint32_t group) {
    const Transfer &transfer = made.list[entry.first.get()];
    const Op &user = graph.ops[need.op];
    // What does not make the piece larger may stay alive from one phase to the next.
    bool isSamePhase = group != 0 || transfer.phase == user.phase || !grows(planner[transfer.plan]);
    bool isSameGroup = transfer.region == user.region && entry.second == group && isSamePhase;
    bool isShared = transfer.position == TransferPosition::AfterDefinition || isSameGroup;
    return isShared && planner[transfer.plan].to == need.form;
  };
  for (const Need &need : needs) {
    uint32_t group = getGroup(stock, need);
    auto found = llvm::find_if(known, [&](auto entry) { return serves(entry, need, group); });
    if (found == known.end()) {
      ReshardPlanId plan = findPlan(stock.cell, stock.form, need.form);
      bool isAfter = stock.hasPosition && planner[plan].isLocal();
      known.push_back({isAfter ? addAfter(stock, need.form, need.op) : addBefore(stock, plan, need.op), group});
      found = std::prev(known.end());
    }
    note(need.use, found->first);
  }
}

void CellTransferBuilder::serveReduced(const Stock &stock, llvm::ArrayRef<Need> needs) {
  Stock reduced = stock;
  reduced.form = chooseForm(stock, needs);
  reduced.source = addAfter(stock, reduced.form, needs.front().op);
  Needs others;
  for (const Need &need : needs)
    if (need.form == reduced.form)
      note(need.use, reduced.source);
    else
      others.push_back(need);
  serve(reduced, others);
}

Form CellTransferBuilder::chooseForm(const Stock &stock, llvm::ArrayRef<Need> needs) {
  llvm::SmallVector<FormNeed, 2> forms;
  struct Group {
    size_t form;
    OpId op;
    uint32_t number;
  };
  llvm::SmallVector<Group, 4> groups;
  for (const Need &need : needs) {
    auto isSame = [&](const FormNeed &other) { return other.form == need.form; };
    size_t form = llvm::find_if(forms, isSame) - forms.begin();
    if (form == forms.size())
      forms.push_back({need.form, 0});
    const Op &user = graph.ops[need.op];
    uint32_t number = getGroup(stock, need);
    bool isKnown = llvm::any_of(groups, [&](const Group &group) {
      const Op &other = graph.ops[group.op];
      bool isSamePhase = number != 0 || other.phase == user.phase;
      return group.form == form && group.number == number && other.region == user.region && isSamePhase;
    });
    if (isKnown)
      continue;
    groups.push_back({form, need.op, number});
    ++forms[form].numGroups;
  }
  return chooseReducedForm(graph.getShape(stock.cell), graph.cells[stock.cell].elementBits, stock.form, forms, planner);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Where a value comes into being: of what a loop leaves, behind the loop.
RegionId CellTransferBuilder::getRegion(const Stock &stock) const {
  if (stock.op.isValid())
    return graph.ops[stock.op].region;
  const Cell &cell = graph.cells[stock.cell];
  return cell.kind == CellKind::Carried ? graph.regions[cell.region].parent : cell.region;
}

TransferId CellTransferBuilder::add(const Transfer &transfer, OpId firstUser) {
  made.list.push_back(transfer);
  made.firstUsers.push_back(firstUser);
  return TransferId(static_cast<uint32_t>(made.list.size() - 1));
}

TransferId CellTransferBuilder::addAfter(const Stock &stock, const Form &to, OpId firstUser) {
  ReshardPlanId plan = findPlan(stock.cell, stock.form, to);
  Phase phase = graph.ops[stock.op.isValid() ? stock.op : firstUser].phase;
  return add({stock.cell, stock.source, plan, TransferPosition::AfterDefinition, stock.op, phase, getRegion(stock)},
             firstUser);
}

TransferId CellTransferBuilder::addBefore(const Stock &stock, ReshardPlanId plan, OpId user) {
  const Op &op = graph.ops[user];
  return add({stock.cell, stock.source, plan, TransferPosition::BeforeUse, user, op.phase, op.region}, user);
}

} // namespace partita
