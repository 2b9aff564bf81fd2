//===- Transfers.cpp - all reshards of a program --------------------------===//

#include "partita/Cost/Transfers.h"

#include "partita/Cost/ReducedForm.h"

namespace partita {

IdRange<TransferId> Transfers::getAfter(CellId place) const {
  auto first = list.raw().begin() + firsts[0], last = list.raw().begin() + firsts[1];
  auto begin = std::partition_point(first, last, [&](const Transfer &transfer) { return transfer.cell < place; });
  auto end = std::partition_point(begin, last, [&](const Transfer &transfer) { return transfer.cell == place; });
  return {static_cast<uint32_t>(begin - list.raw().begin()), static_cast<uint32_t>(end - list.raw().begin())};
}

/// Number of a transfer's position: places are 0.
static uint32_t getKey(const Transfer &transfer) {
  if (!transfer.op.isValid())
    return 0;
  return 1 + 2 * transfer.op.get() + (transfer.position == TransferPosition::AfterDefinition ? 1 : 0);
}

void Transfers::sort(size_t numOps) {
  // A counting sort, so that what stands at one position keeps its order: places by their cells, sources first.
  firsts.assign(2 * numOps + 3, 0);
  for (const Transfer &transfer : list.raw())
    ++firsts[getKey(transfer) + 1];
  for (size_t key = 1; key < firsts.size(); ++key)
    firsts[key] += firsts[key - 1];

  std::vector<uint32_t> next(firsts.begin(), firsts.end() - 1);
  IdVector<TransferId, TransferId> renumbered;
  renumbered.reserve(list.size());
  for (const Transfer &transfer : list.raw())
    renumbered.push_back(TransferId(next[getKey(transfer)]++));
  auto renumber = [&](TransferId &id) {
    if (id.isValid())
      id = renumbered[id];
  };
  IdVector<TransferId, Transfer> sorted(list.size());
  for (TransferId id : idRange<TransferId>(list.size())) {
    renumber(list[id].source);
    sorted[renumbered[id]] = list[id];
  }
  list = std::move(sorted);
  for (UseId use : idRange<UseId>(uses.size()))
    renumber(uses[use]);
  for (TransferId &id : definitions)
    renumber(id);
}

/// Walks cells and uses once.
class TransferBuilder {
public:
  TransferBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        numAxes(static_cast<uint32_t>(assignment.getAxes().size())), planner(planner) {
    transfers.uses.resize(graph.uses.size());
    transfers.definitions.resize(graph.definitions.size());
  }

  Transfers run() {
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      if (topology.getPlace(cell).isValid())
        addPlace(cell);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result)
        addDefinition(op, result);
    transfers.sort(graph.ops.size());
    return std::move(transfers);
  }

private:
  using Uses = llvm::SmallVector<UseId, 8>;

  /// A value in some form, from which uses are served.
  struct Stock {
    CellId cell;
    Form form;
    /// The transfer that made it, or none.
    TransferId source;
    /// Behind which op it comes into being; none for places.
    OpId op;
    /// A carried value inside its loop has no place behind its definition.
    bool hasPosition = true;
  };

  /// A use and what it needs.
  struct Need {
    UseId use;
    OpId op;
    Form form;
  };
  using Needs = llvm::SmallVector<Need, 4>;

  // Forms.
  Form getDefinitionForm(OpId op, uint32_t result) const;
  Form getCellForm(CellId cell, const Form &definition) const;
  Form getPlaceForm(CellId cell) const;
  bool isPinned(CellId cell) const;
  bool takesSum(OpId op, uint32_t operand, AxisId axis) const;
  Form getNeed(UseId use, const Form &stock) const;

  // Cells.
  void addPlace(CellId cell);
  Form getBoundForm(CellId cell, const Form &given, llvm::ArrayRef<UseId> uses) const;
  void addDefinition(OpId op, uint32_t result);
  bool isInLoop(RegionId region, RegionId body) const;
  void serveUses(const Stock &stock, llvm::ArrayRef<UseId> uses);
  bool grows(const ReshardPlan &plan) const;
  void serve(const Stock &stock, llvm::ArrayRef<Need> needs);
  void serveReduced(const Stock &stock, llvm::ArrayRef<Need> needs);
  Form chooseForm(const Stock &stock, llvm::ArrayRef<Need> needs);

  // Transfers.
  ReshardPlanId findPlan(CellId cell, const Form &from, const Form &to) {
    return planner.find(graph.getShape(cell), graph.cells[cell].elementBits, from, to);
  }
  RegionId getRegion(const Stock &stock) const;
  TransferId addAfter(const Stock &stock, const Form &to, OpId firstUser);
  TransferId addBefore(const Stock &stock, ReshardPlanId plan, OpId user);

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  uint32_t numAxes;
  ReshardPlanner &planner;
  Transfers transfers;
};

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Form TransferBuilder::getDefinitionForm(OpId op, uint32_t result) const {
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
Form TransferBuilder::getCellForm(CellId cell, const Form &definition) const {
  Form form;
  form.sharding = assignment.getCellSharding(cell);
  CellId representative = topology.getRepresentative(cell);
  for (AxisId axis : definition.partial)
    if (assignment.getPin(representative, axis).kind == PinKind::None)
      form.partial.push_back(axis);
  form.combiner = form.partial.empty() ? Combiner::None : definition.combiner;
  return form;
}

bool TransferBuilder::isPinned(CellId cell) const {
  CellId representative = topology.getRepresentative(cell);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.getPin(representative, axis).kind != PinKind::None)
      return true;
  return false;
}

Form TransferBuilder::getPlaceForm(CellId cell) const {
  Form form;
  form.sharding = assignment.getCellSharding(cell);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.isPartialSum(cell, axis))
      form.partial.push_back(axis);
  form.combiner = form.partial.empty() ? Combiner::None : Combiner::Add;
  return form;
}

/// Whether the op takes this operand as a partial sum.
bool TransferBuilder::takesSum(OpId op, uint32_t operand, AxisId axis) const {
  if (assignment.getFactor(topology.getNode(op), axis) != sumFactor)
    return false;
  switch (graph.ops[op].linearity) {
  case Linearity::None:
  case Linearity::Zero:
    return false;
  case Linearity::Sum:
    return true;
  case Linearity::First:
    return operand == 0;
  case Linearity::Second:
    return operand == 1;
  case Linearity::Update:
    return operand <= 1;
  }
  return false;
}

Form TransferBuilder::getNeed(UseId use, const Form &stock) const {
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
bool TransferBuilder::isInLoop(RegionId region, RegionId body) const {
  for (; region.isValid(); region = graph.regions[region].parent) {
    if (region == body)
      return true;
    if (region.get() + 1 == body.get() && graph.regions[region].kind == RegionKind::LoopCondition)
      return true;
  }
  return false;
}

void TransferBuilder::addPlace(CellId cell) {
  Stock stock{cell, getPlaceForm(cell), TransferId(), OpId()};
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  if (graph.cells[cell].kind != CellKind::Carried)
    return serveUses(stock, uses);
  Uses inner, outer;
  for (UseId use : uses) {
    RegionId region = graph.ops[topology.getUser(use)].region;
    (isInLoop(region, graph.cells[cell].region) ? inner : outer).push_back(use);
  }
  serveUses(stock, outer);
  stock.hasPosition = false;
  serveUses(stock, inner);
}

/// The form that the cell has behind its definition, which gives `given`.
Form TransferBuilder::getBoundForm(CellId cell, const Form &given, llvm::ArrayRef<UseId> uses) const {
  if (topology.getPlace(cell).isValid())
    return getPlaceForm(cell);
  bool isResult = graph.cells[cell].kind == CellKind::Result;
  if (!isResult && !isPinned(cell))
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

void TransferBuilder::addDefinition(OpId op, uint32_t result) {
  CellId cell = graph.getResults(op)[result];
  // Uses of places have been served; results have none.
  bool hasUses = graph.cells[cell].kind == CellKind::OpResult;
  llvm::ArrayRef<UseId> uses = hasUses ? topology.getUses(cell) : llvm::ArrayRef<UseId>();
  if (hasUses && uses.empty())
    return;
  Stock stock{cell, getDefinitionForm(op, result), TransferId(), op};
  if (Form form = getBoundForm(cell, stock.form, uses); form != stock.form) {
    stock.source = addAfter(stock, form, op);
    stock.form = std::move(form);
    transfers.definitions[graph.ops[op].firstDefinition + result] = stock.source;
  }
  serveUses(stock, uses);
}

void TransferBuilder::serveUses(const Stock &stock, llvm::ArrayRef<UseId> uses) {
  Needs direct, reduced;
  for (UseId use : uses) {
    Form need = getNeed(use, stock.form);
    if (need == stock.form)
      transfers.uses[use] = stock.source;
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
bool TransferBuilder::grows(const ReshardPlan &plan) const {
  const Axes &axes = assignment.getAxes();
  return countParts(axes, plan.to.sharding) < countParts(axes, plan.from.sharding);
}

/// Each group and form gets its transfer; forms that are slices are shared by all groups.
void TransferBuilder::serve(const Stock &stock, llvm::ArrayRef<Need> needs) {
  llvm::SmallVector<TransferId, 4> made;
  auto serves = [&](TransferId id, const Need &need) {
    const Transfer &transfer = transfers.list[id];
    const Op &user = graph.ops[need.op];
    // What does not make the piece larger may stay alive from one phase to the next.
    bool isSameGroup =
        transfer.region == user.region && (transfer.phase == user.phase || !grows(planner[transfer.plan]));
    bool isShared = transfer.position == TransferPosition::AfterDefinition || isSameGroup;
    return isShared && planner[transfer.plan].to == need.form;
  };
  for (const Need &need : needs) {
    auto found = llvm::find_if(made, [&](TransferId id) { return serves(id, need); });
    if (found == made.end()) {
      ReshardPlanId plan = findPlan(stock.cell, stock.form, need.form);
      bool isAfter = stock.hasPosition && planner[plan].isLocal();
      made.push_back(isAfter ? addAfter(stock, need.form, need.op) : addBefore(stock, plan, need.op));
      found = std::prev(made.end());
    }
    transfers.uses[need.use] = *found;
  }
}

void TransferBuilder::serveReduced(const Stock &stock, llvm::ArrayRef<Need> needs) {
  Stock reduced = stock;
  reduced.form = chooseForm(stock, needs);
  reduced.source = addAfter(stock, reduced.form, needs.front().op);
  Needs others;
  for (const Need &need : needs)
    if (need.form == reduced.form)
      transfers.uses[need.use] = reduced.source;
    else
      others.push_back(need);
  serve(reduced, others);
}

Form TransferBuilder::chooseForm(const Stock &stock, llvm::ArrayRef<Need> needs) {
  llvm::SmallVector<FormNeed, 2> forms;
  llvm::SmallVector<std::pair<size_t, OpId>, 4> groups;
  for (const Need &need : needs) {
    auto isSame = [&](const FormNeed &other) { return other.form == need.form; };
    size_t form = llvm::find_if(forms, isSame) - forms.begin();
    if (form == forms.size())
      forms.push_back({need.form, 0});
    const Op &user = graph.ops[need.op];
    bool isKnown = llvm::any_of(groups, [&](std::pair<size_t, OpId> group) {
      const Op &other = graph.ops[group.second];
      return group.first == form && other.region == user.region && other.phase == user.phase;
    });
    if (isKnown)
      continue;
    groups.push_back({form, need.op});
    ++forms[form].numGroups;
  }
  return chooseReducedForm(graph.getShape(stock.cell), graph.cells[stock.cell].elementBits, stock.form, forms, planner);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Where a value comes into being: of what a loop leaves, behind the loop.
RegionId TransferBuilder::getRegion(const Stock &stock) const {
  if (stock.op.isValid())
    return graph.ops[stock.op].region;
  const Cell &cell = graph.cells[stock.cell];
  return cell.kind == CellKind::Carried ? graph.regions[cell.region].parent : cell.region;
}

TransferId TransferBuilder::addAfter(const Stock &stock, const Form &to, OpId firstUser) {
  ReshardPlanId plan = findPlan(stock.cell, stock.form, to);
  Phase phase = graph.ops[stock.op.isValid() ? stock.op : firstUser].phase;
  return transfers.list.push_back(
      {stock.cell, stock.source, plan, TransferPosition::AfterDefinition, stock.op, phase, getRegion(stock)});
}

TransferId TransferBuilder::addBefore(const Stock &stock, ReshardPlanId plan, OpId user) {
  const Op &op = graph.ops[user];
  return transfers.list.push_back(
      {stock.cell, stock.source, plan, TransferPosition::BeforeUse, user, op.phase, op.region});
}

Transfers buildTransfers(const Assignment &assignment, ReshardPlanner &planner) {
  return TransferBuilder(assignment, planner).run();
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

std::vector<CollectiveCount> countCollectives(const Graph &graph, const ReshardPlanner &planner,
                                              const Transfers &transfers) {
  std::vector<CollectiveCount> counts;
  for (const Transfer &transfer : transfers.list.raw()) {
    int64_t trips = graph.getMultiplicity(transfer.region), times = trips < 0 ? 1 : trips;
    for (const ReshardStep &step : planner[transfer.plan].steps) {
      if (step.kind == CollectiveKind::AllSlice)
        continue;
      auto isSame = [&](const CollectiveCount &count) { return count.kind == step.kind && count.axes == step.axes; };
      auto found = llvm::find_if(counts, isSame);
      if (found == counts.end())
        found = counts.insert(counts.end(), {step.kind, step.axes});
      found->count += times;
      found->payloadBytes += times * step.payloadBytes;
      found->sentBytes += times * ((step.sentBits + 7) / 8);
    }
  }
  llvm::sort(counts, [](const CollectiveCount &a, const CollectiveCount &b) {
    return std::tie(a.kind, a.axes) < std::tie(b.kind, b.axes);
  });
  return counts;
}

} // namespace partita
