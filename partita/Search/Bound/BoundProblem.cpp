//===- BoundProblem.cpp - a program's choices as a pairwise problem -------===//

#include "partita/Search/Bound/BoundProblem.h"

#include "partita/Cost/UnitPrice.h"
#include "partita/Propagate/PartialSumCarriers.h"
#include "partita/Search/Bound/BoundStates.h"
#include "partita/Search/Bound/PathPlaces.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

namespace {

class ProblemBuilder {
public:
  ProblemBuilder(const CostModel &model, ShardingTables &tables, const BoundOptions &options, OpLabels &labels)
      : model(model), graph(model.getGraph()), topology(model.getTopology()), tables(tables), options(options),
        labels(labels), isLimited(options.isLimited), numAxes(static_cast<uint32_t>(model.getAxes().size())),
        rows(model), places(model), opVariables(graph.ops.size()), cellVariables(graph.cells.size()) {}

  std::optional<PairwiseProblem> run();

private:
  bool isOver() const { return options.isOver && options.isOver(); }

  // Variables.
  /// False if isOver() stopped it.
  bool addOps();
  void addOp(OpId op, const BoundStates &list, int64_t mostPs);
  uint32_t getSharding(OpId op, const BoundState &row, uint32_t value, ShardingTable &table) const;
  void addShardings(CellId cell, bool mayBePartial, uint64_t order, uint32_t segment);
  void addBoundaryNodes();
  bool mayTakeSum(UseId use) const;
  bool needsHub(CellId cell, OpId definition) const;

  // Edges.
  void addDefinition(OpId op, uint32_t result);
  void addUses(CellId cell, OpId definition);
  void addEdge(VariableId source, std::vector<uint32_t> sourceShardings, UseId use, ReshardTimes &times,
               const EdgeWeight &whole, const EdgeWeight &partial);
  EdgeWeight makeWeight(CellId cell, bool isPartial, uint32_t segment, uint32_t otherSegment, int64_t share) const;
  uint32_t getSegment(OpId op) const { return graph.ops[op].region.get(); }
  const std::vector<uint32_t> &getOwnShardings(VariableId variable) const { return ownShardings[variable.get()]; }

  // Memory.
  void addMemory(CellId place);
  bool mayBeInArgument(UseId use) const;
  bool isBrought(OpId op) const;
  llvm::SmallVector<UseId, 8> getOuterUses(CellId cell) const;
  /// Finds the use that holds the value longest, and until when.
  UseEnd findEnd(llvm::ArrayRef<UseId> uses, UseId &last) const;
  bool isMemoryKnown(CellId cell, OpId definition) const;
  LiveRanges findRanges(CellId cell, OpId from, llvm::ArrayRef<UseId> uses, UseId &last) const;
  static llvm::SmallVector<BoundRange, 1> convert(llvm::ArrayRef<LiveRange> ranges);

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  ShardingTables &tables;
  const BoundOptions &options;
  OpLabels &labels;
  bool isLimited;
  uint32_t numAxes;
  StateEnumeration rows;
  PathPlaces places;
  PairwiseProblem problem;
  IdVector<OpId, VariableId> opVariables;
  /// For each value of an op, the sharding of each label.
  IdVector<OpId, std::vector<std::vector<uint32_t>>> opShardings;
  /// The variables of boundary values and hubs.
  IdVector<CellId, VariableId> cellVariables;
  /// The shardings that are the labels of boundary values and hubs.
  std::vector<std::vector<uint32_t>> ownShardings;
};

} // namespace

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The sharding of an operand (as required) or a result (as given) under a node state.
uint32_t ProblemBuilder::getSharding(OpId op, const BoundState &row, uint32_t value, ShardingTable &table) const {
  const Op &info = graph.ops[op];
  bool isResult = value >= info.numUses;
  ShardingCode code = 0;
  for (AxisId axis : idRange<AxisId>(numAxes)) {
    uint8_t factor = row[axis.get()];
    if (factor == noFactor)
      continue;
    if (factor == sumFactor) {
      bool isSum = isResult || (isLinearIn(info, value) && !topology.isZero(graph.getOperands(op)[value]));
      code += table.getCode(isSum ? table.getPartialDigit() : 0, axis);
      continue;
    }
    uint32_t digit = 0;
    for (const DimFactor &entry : graph.getDimFactors(op))
      if (entry.value == value && entry.factor == factor) {
        if (digit != 0)
          return ReshardTimes::anySharding;
        digit = entry.dim + 1;
      }
    if (isResult && graph.getFactors(op)[factor].kind == FactorKind::Reduce) {
      if (digit != 0)
        return ReshardTimes::anySharding;
      digit = table.getPartialDigit();
    }
    code += table.getCode(digit, axis);
  }
  return table.divides(code) ? code : ReshardTimes::anySharding;
}

void ProblemBuilder::addOp(OpId op, const BoundStates &list, int64_t mostPs) {
  BoundVariable variable;
  variable.order = 2 * uint64_t(op.get()) + 2;
  variable.segment = getSegment(op);
  places.place(op, variable);
  uint32_t numValues = graph.ops[op].numUses + graph.ops[op].numDefinitions;
  std::vector<std::vector<uint32_t>> shardings(numValues);
  std::vector<BoundState> states;
  std::vector<ShardingTable *> valueTables;
  for (uint32_t value = 0; value < numValues; ++value) {
    bool isOperand = value < graph.ops[op].numUses;
    valueTables.push_back(
        tables.find(isOperand ? graph.getOperands(op)[value] : graph.getResults(op)[value - graph.ops[op].numUses]));
  }
  auto numLabels = llvm::count_if(list.costs, [&](int64_t cost) { return cost <= mostPs; });
  variable.costs.reserve(numLabels);
  states.reserve(list.isUnknown ? 0 : numLabels);
  for (std::vector<uint32_t> &ofValue : shardings)
    ofValue.reserve(numLabels);
  for (size_t row = 0; row < list.states.size(); ++row) {
    if (list.costs[row] > mostPs)
      continue;
    variable.costs.push_back(list.costs[row]);
    if (!list.isUnknown)
      states.push_back(list.states[row]);
    for (uint32_t value = 0; value < numValues; ++value)
      shardings[value].push_back(valueTables[value] && !list.isUnknown
                                     ? getSharding(op, list.states[row], value, *valueTables[value])
                                     : ReshardTimes::anySharding);
  }
  opShardings.push_back(std::move(shardings));
  opVariables[op] = problem.variables.push_back(std::move(variable));
  labels.states.push_back(std::move(states));
  labels.times.push_back(list.isUnknown ? 0 : *llvm::max_element(list.costs));
}

bool ProblemBuilder::addOps() {
  IdVector<OpId, BoundStates> lists;
  __int128 least = 0;
  IdVector<OpId, int64_t> leasts;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (isOver())
      return false;
    BoundStates list = rows.list(op);
    leasts.push_back(*llvm::min_element(list.costs));
    least += leasts[op];
    lists.push_back(std::move(list));
  }
  labels.leastComputePs = static_cast<int64_t>(std::min<__int128>(least, maxTimePs));
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    // Keep labels within the known time with all others at their best; at least one label stays.
    __int128 most = options.knownPs == INT64_MAX ? __int128(INT64_MAX) : __int128(options.knownPs) - least + leasts[op];
    addOp(op, lists[op], static_cast<int64_t>(std::clamp<__int128>(most, leasts[op], INT64_MAX)));
  }
  ownShardings.resize(problem.variables.size());
  return !isOver();
}

/// Adds a variable whose labels are the shardings of a cell.
void ProblemBuilder::addShardings(CellId cell, bool mayBePartial, uint64_t order, uint32_t segment) {
  ShardingTable *table = tables.find(cell);
  if (!table)
    return;
  BoundVariable variable;
  variable.order = order;
  variable.segment = segment;
  std::vector<uint32_t> shardings;
  for (ShardingCode code = 0; code < table->size(); ++code)
    if (table->divides(code) && (mayBePartial || !table->isPartial(code)))
      shardings.push_back(code);
  variable.costs.assign(shardings.size(), 0);
  cellVariables[cell] = problem.variables.push_back(std::move(variable));
  ownShardings.push_back(std::move(shardings));
}

void ProblemBuilder::addBoundaryNodes() {
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    NodeId place = topology.getBoundaryNode(cell);
    if (!place.isValid())
      continue;
    llvm::ArrayRef<OpId> definitions = topology.getDefinitions(cell);
    uint64_t order = definitions.empty() ? 0 : 2 * uint64_t(definitions.front().get()) + 3;
    uint32_t segment = definitions.empty() ? 0 : getSegment(definitions.front());
    addShardings(cell, rows.mayTakeSum(place), order, segment);
    if (cellVariables[cell].isValid() && isLimited)
      addMemory(cell);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Weights by the executions of the segment that runs less often, divided by `share` uses. A reshard in either segment
/// that may hide for some plan is overlapped (UnitPricer::getKind).
EdgeWeight ProblemBuilder::makeWeight(CellId cell, bool isPartial, uint32_t segment, uint32_t otherSegment,
                                      int64_t share) const {
  auto getTimes = [&](uint32_t number) { return model.getTimes(RegionId(number)); };
  int64_t times = std::min(getTimes(segment), getTimes(otherSegment));
  times = multiplySaturated(times, model.getMultiplicity().get(cell));
  EdgeWeight weight;
  weight.mantissa = std::min(EdgeWeight::most, multiplySaturated(times, EdgeWeight::unit) / share);
  weight.isOverlapped =
      model.getOverlap().isParameter(cell) || (isPartial && (mayHideReduction(model, cell, RegionId(segment)) ||
                                                             mayHideReduction(model, cell, RegionId(otherSegment))));
  weight.segment = segment;
  weight.otherSegment = otherSegment;
  return weight;
}

void ProblemBuilder::addEdge(VariableId source, std::vector<uint32_t> sourceShardings, UseId use, ReshardTimes &times,
                             const EdgeWeight &whole, const EdgeWeight &partial) {
  OpId user = topology.getUser(use);
  BoundEdge edge;
  edge.source = source;
  edge.target = opVariables[user];
  edge.times = &times;
  edge.sourceShardings = std::move(sourceShardings);
  edge.targetShardings = opShardings[user][use.get() - graph.ops[user].firstUse];
  edge.whole = whole;
  edge.whole.noLater = places.find(user).value_or(EdgeWeight().noLater);
  edge.partial = partial;
  problem.edges.push_back(std::move(edge));
}

bool ProblemBuilder::mayTakeSum(UseId use) const {
  OpId user = topology.getUser(use);
  return rows.mayTakeSum(topology.getNode(user)) && isLinearIn(graph.ops[user], use.get() - graph.ops[user].firstUse);
}

bool ProblemBuilder::needsHub(CellId cell, OpId definition) const {
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  if (uses.size() != 1 || getSegment(topology.getUser(uses[0])) != getSegment(definition))
    return true;
  if (!isLimited || !isMemoryKnown(cell, definition))
    return false;
  // Pieces below a thousandth of the limit are not worth a variable.
  return graph.getBytes(cell) / model.getAxes().mesh.getNumDevices() > model.getMemoryLimit() / 1000;
}

/// Adds the edge between an op's result and its hub, boundary value or only use.
void ProblemBuilder::addDefinition(OpId op, uint32_t result) {
  CellId cell = graph.getResults(op)[result];
  ShardingTable *table = tables.find(cell);
  if (!table)
    return;
  const std::vector<uint32_t> &given = opShardings[op][graph.ops[op].numUses + result];
  uint32_t segment = getSegment(op);
  EdgeWeight whole = makeWeight(cell, false, segment, segment, 1),
             partial = makeWeight(cell, true, segment, segment, 1);
  std::optional<uint32_t> place = places.find(op);
  if (!model.getOverlap().isParameter(cell))
    partial.noEarlier = place.value_or(partial.noEarlier);
  ReshardTimes *times = &table->getOnePlan();
  switch (graph.cells[cell].kind) {
  case CellKind::OpResult: {
    if (topology.getUses(cell).empty())
      return;
    bool mayBeSum = llvm::any_of(topology.getUses(cell), [&](UseId use) { return mayTakeSum(use); });
    // Some sums may be reduced after a pin, others before the uses.
    if (mayBeSum)
      times = table;
    if (!needsHub(cell, op))
      return addEdge(opVariables[op], given, topology.getUses(cell)[0], *times, whole, partial);
    addShardings(cell, mayBeSum, 2 * uint64_t(op.get()) + 3, segment);
    break;
  }
  case CellKind::Result:
    // A tied result has its argument's sharding; other results have any sharding that is not partial.
    if (topology.getRepresentative(cell) == cell)
      addShardings(cell, false, 2 * uint64_t(op.get()) + 3, segment);
    break;
  case CellKind::Carried:
  case CellKind::Branch:
  case CellKind::Argument:
    break;
  }
  VariableId target = cellVariables[topology.getRepresentative(cell)];
  if (!target.isValid())
    return;
  BoundEdge edge;
  edge.source = opVariables[op];
  edge.target = target;
  edge.times = times;
  edge.sourceShardings = given;
  edge.targetShardings = getOwnShardings(target);
  edge.whole = whole;
  edge.whole.noLater = place.value_or(whole.noLater);
  edge.partial = partial;
  problem.edges.push_back(std::move(edge));
  if (graph.cells[cell].kind == CellKind::OpResult)
    addUses(cell, op);
}

/// Adds edges between a hub or boundary value and the uses of its cell.
void ProblemBuilder::addUses(CellId cell, OpId definition) {
  VariableId source = cellVariables[cell];
  ShardingTable *table = tables.find(cell);
  if (!source.isValid() || !table)
    return;
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  auto getRegion = [&](UseId use) { return graph.ops[topology.getUser(use)].region; };
  UseId last;
  LiveRanges ranges;
  if (isLimited && definition.isValid() && isMemoryKnown(cell, definition))
    ranges = findRanges(cell, definition, uses, last);
  for (UseId use : uses) {
    uint32_t segment = getSegment(topology.getUser(use));
    // A reduction after the definition, or after a loop, happens in the phase that needs it first.
    RegionId home = graph.cells[cell].region;
    if (graph.cells[cell].kind == CellKind::Carried)
      home = graph.regions[home].parent;
    int64_t numInRegion = llvm::count_if(uses, [&](UseId other) { return getRegion(other) == getRegion(use); });
    uint32_t other = definition.isValid() ? getSegment(definition) : home.get();
    EdgeWeight whole = makeWeight(cell, false, segment, segment, numInRegion);
    EdgeWeight partial = makeWeight(cell, true, segment, other, static_cast<int64_t>(uses.size()));
    addEdge(source, getOwnShardings(source), use, *table, whole, partial);
    if (use == last)
      problem.edges[BoundEdgeId(static_cast<uint32_t>(problem.edges.size() - 1))].ranges = convert(ranges);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::SmallVector<BoundRange, 1> ProblemBuilder::convert(llvm::ArrayRef<LiveRange> ranges) {
  llvm::SmallVector<BoundRange, 1> list;
  for (const LiveRange &range : ranges)
    list.push_back({range.first, range.last, range.count});
  return list;
}

bool ProblemBuilder::isBrought(OpId op) const {
  return graph.ops[op].numDefinitions == 1 && graph.cells[graph.getResults(op)[0]].kind != CellKind::OpResult;
}

/// Whether the used value may be written into the buffer of an argument or a carried value.
bool ProblemBuilder::mayBeInArgument(UseId use) const {
  OpId op = topology.getUser(use);
  bool isResult =
      llvm::any_of(graph.getResults(op), [&](CellId cell) { return graph.cells[cell].kind == CellKind::Result; });
  return (isResult && !graph.donated.empty()) || model.getLifetimes().getEnd(use).isAliased;
}

/// Whether an op's result certainly has a buffer of its own.
bool ProblemBuilder::isMemoryKnown(CellId cell, OpId definition) const {
  const FusionPlan &fusion = model.getFusion();
  return !fusion.isFused(cell) && !fusion.isConstant(cell) && fusion.getRole(definition) != FusionRole::Identity &&
         llvm::none_of(topology.getUses(cell), [&](UseId use) { return mayBeInArgument(use); });
}

/// A value that is resharded into another cell is certainly needed until then, but no longer.
UseEnd ProblemBuilder::findEnd(llvm::ArrayRef<UseId> uses, UseId &last) const {
  UseEnd latest;
  for (UseId use : uses) {
    OpId user = topology.getUser(use);
    UseEnd end = isBrought(user) ? UseEnd{user, false, true} : model.getLifetimes().getEnd(use);
    bool isLater = !latest.op.isValid() || (end.isToEnd && !latest.isToEnd) ||
                   (end.isToEnd == latest.isToEnd && latest.op < end.op);
    if (!isLater && latest.op == end.op && !latest.isToEnd)
      latest.givesBuffer |= end.givesBuffer;
    if (!isLater)
      continue;
    latest = end;
    last = use;
  }
  return latest;
}

LiveRanges ProblemBuilder::findRanges(CellId cell, OpId from, llvm::ArrayRef<UseId> uses, UseId &last) const {
  UseEnd end = findEnd(uses, last);
  if (!end.op.isValid())
    return {};
  if (end.isToEnd)
    return model.getLiveTimes().getRanges(cell, from, OpId());
  return model.getLiveTimes().getRanges(cell, from, end.op, model.getLifetimes().getLastUse(end.op, end.givesBuffer));
}

/// The uses of a carried value after its loop.
llvm::SmallVector<UseId, 8> ProblemBuilder::getOuterUses(CellId cell) const {
  llvm::SmallVector<UseId, 8> outer;
  bool isCarried = graph.cells[cell].kind == CellKind::Carried;
  for (UseId use : topology.getUses(cell))
    if (!isCarried || !isOfLoop(graph, graph.ops[topology.getUser(use)].region, graph.cells[cell].region))
      outer.push_back(use);
  return outer;
}

/// Adds the memory of an argument or a carried value, in its own sharding.
void ProblemBuilder::addMemory(CellId cell) {
  const LiveTimes &liveTimes = model.getLiveTimes();
  llvm::ArrayRef<OpId> definitions = topology.getDefinitions(cell);
  LiveRanges ranges;
  switch (graph.cells[cell].kind) {
  case CellKind::Argument:
    ranges = liveTimes.getRanges(cell, OpId(), OpId());
    break;
  case CellKind::Carried: {
    if (definitions.empty() || model.getFusion().isConstant(cell))
      return;
    if (!model.getLifetimes().isUnchanged(cell)) {
      if (llvm::none_of(getOuterUses(cell), [&](UseId use) { return mayBeInArgument(use); }))
        ranges = liveTimes.getCarriedRanges(cell, definitions[0], graph.cells[cell].region, OpId());
      break;
    }
    // It shares the buffer of its initial value, if nothing else holds that: the initial value is counted only up to
    // the entry.
    OpId entry = definitions[0];
    if (graph.ops[entry].numUses != 1)
      return;
    CellId initial = graph.getOperands(entry)[0];
    bool isAlone = getOuterUses(initial).size() == 1;
    if (graph.cells[initial].kind == CellKind::OpResult)
      isAlone &= isMemoryKnown(initial, topology.getDefinition(initial));
    else
      isAlone &= graph.cells[initial].kind == CellKind::Carried && !model.getLifetimes().isUnchanged(initial);
    UseEnd end = model.getLifetimes().getEnd(UseId(graph.ops[entry].firstUse));
    if (isAlone && end.op.isValid() && !end.isAliased)
      ranges = liveTimes.getRanges(cell, entry, end.isToEnd ? OpId() : end.op);
    break;
  }
  case CellKind::Branch:
  case CellKind::Result:
  case CellKind::OpResult:
    return;
  }
  BoundVariable &variable = problem.variables[cellVariables[cell]];
  ShardingTable *table = tables.find(cell);
  variable.ranges = convert(ranges);
  if (variable.ranges.empty())
    return;
  for (uint32_t sharding : getOwnShardings(cellVariables[cell]))
    variable.bytes.push_back(table->isPartial(sharding) ? 0 : table->getBytes(sharding));
}

std::optional<PairwiseProblem> ProblemBuilder::run() {
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    RegionId outer = graph.regions[region].parent;
    problem.outerSegments.push_back(outer.isValid() ? outer.get() : 0);
  }
  problem.cuts = places.listCuts();
  problem.numPoints = static_cast<uint32_t>(model.getLiveTimes().getNumPoints());
  problem.overlapPpm = model.getOptions().overlapPpm;
  problem.limitBytes = isLimited ? model.getMemoryLimit() : -1;
  if (!addOps())
    return std::nullopt;
  addBoundaryNodes();
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getBoundaryNode(cell).isValid())
      addUses(cell, OpId());
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result)
      addDefinition(op, result);
  labels.variables = std::move(opVariables);
  return std::move(problem);
}

std::optional<PairwiseProblem> buildBoundProblem(const CostModel &model, ShardingTables &tables,
                                                 const BoundOptions &options, OpLabels &labels) {
  return ProblemBuilder(model, tables, options, labels).run();
}

} // namespace partita::search
