//===- UnitPrice.cpp - time and memory of one unit ------------------------===//

#include "partita/Cost/UnitPrice.h"

#include "partita/Cost/ExchangePrice.h"
#include "partita/Cost/PiecePrice.h"
#include "partita/Cost/ReshardIssue.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

const UnitPrice &UnitPricer::compute(UnitId id) {
  static const CellReshards none;
  price.clear();
  reshards = &none;
  const Unit &unit = model.getUnits()[id];
  cell = unit.cell;
  switch (unit.kind) {
  case UnitKind::Op:
    computeOp(unit.op);
    break;
  case UnitKind::Boundary:
    computeBoundary(unit);
    break;
  case UnitKind::Definition:
    if (graph.cells[unit.cell].kind == CellKind::OpResult)
      computeDefinition(unit);
    else
      computeBrought(unit);
    break;
  }
  return price;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void UnitPricer::addTime(llvm::ArrayRef<SlotShare> shares, TimeKind kind, int64_t timePs, OpId op) {
  for (const SlotShare &share : shares)
    if (timePs > 0)
      price.times.push_back({share.slot, kind, multiplySaturated(timePs, share.count), op});
}

/// One execution of (part of) the kernel in which the op runs.
void UnitPricer::addCompute(OpId op, int64_t timePs) {
  OpId kernel = model.getFusion().getKernel(op);
  addTime(model.getSlots().getShares(kernel, model.getMultiplicity().get(op)), TimeKind::Compute, timePs, kernel);
}

/// The host issues the kernel of the op.
void UnitPricer::addIssue(OpId op) {
  if (model.getIssuePs() == 0)
    return;
  OpId kernel = model.getFusion().getKernel(op);
  addTime(model.getSlots().getShares(kernel, model.getMultiplicity().get(op)), TimeKind::Issued, model.getIssuePs(),
          kernel);
}

/// A product in pieces; false for other ops.
bool UnitPricer::computePieced(OpId op) {
  const PiecedOpPrice *own = pieces ? pieces->find(op) : nullptr;
  if (!own)
    return false;
  addCompute(op, own->timePs);
  SlotShares shares = model.getSlots().getShares(op, model.getMultiplicity().get(op));
  addTime(shares, TimeKind::Beside, own->besidePs, op);
  addTime(shares, TimeKind::Issued, multiplySaturated(model.getIssuePs(), own->numKernels), op);
  return true;
}

void UnitPricer::computeOp(OpId op) {
  if (computePieced(op))
    return;
  int64_t exchangePs = computeExchangePs(model, assignment, op, listExchanges(assignment, op));
  int64_t timePs = std::min(maxTimePs, model.getOpPricer().computeTimePs(assignment, op) + exchangePs);
  addCompute(op, timePs);
  if (timePs > 0)
    addIssue(op);
}

/// The write of a value that leaves a kernel, and the kernel's launch.
void UnitPricer::addWrite(const Unit &unit, int64_t bytes) {
  const OpPricer &pricer = model.getOpPricer();
  const FusionPlan &fusion = model.getFusion();
  int64_t written = 0;
  switch (fusion.getRole(unit.op)) {
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Reduction:
    written = bytes;
    break;
  case FusionRole::Update:
    written = pricer.computeLocalBytes(assignment, unit.op, 1);
    break;
  case FusionRole::Alone:
    addCompute(unit.op, pricer.computeBufferPs(fusion, unit.op, bytes));
    return;
  case FusionRole::Constant:
  case FusionRole::Identity:
    return;
  }
  // Ops of several results are one kernel, and so are joined ones.
  bool isLaunched = unit.result == 0 && !fusion.isJoined(unit.op);
  addCompute(unit.op, (isLaunched ? pricer.getStartPs(unit.op) : 0) +
                          pricer.computeWritePs(assignment, fusion, unit.op, unit.result, written) +
                          pricer.computeBufferPs(fusion, unit.op, bytes));
  if (isLaunched)
    addIssue(unit.op);
}

void UnitPricer::addReads(CellId cell) {
  for (UseId use : topology.getUses(cell))
    if (int64_t timePs = model.getOpPricer().computeReadsPs(assignment, model.getFusion(), use); timePs > 0)
      addCompute(topology.getUser(use), timePs);
}

/// What a reshard inside a joined kernel adds: the value is read again, by a kernel that has a launch of its own.
void UnitPricer::addSeparated() {
  for (auto [use, reshard] : reshards->uses) {
    if (!reshard.isValid() || model.getFusion().getNumSparedReads(use) == 0)
      continue;
    OpId op = topology.getUser(use);
    addCompute(op, model.getOpPricer().getLaunchPs() +
                       model.getOpPricer().computeSparedReadsPs(assignment, model.getFusion(), use));
    addIssue(op);
  }
}

/// Whether a reduction of the cell stands behind a barrier, and what it gives passes no other one. XLA:GPU then puts it
/// off to where next to nothing is beside it; up to a second barrier it has a layer's compute (docs/gpu.md).
static bool isBehindLastBarrier(const CostModel &model, CellId cell) {
  const Graph &graph = model.getGraph();
  OpId barrier = model.getOverlap().getBarrier(cell);
  auto isBarrier = [&](UseId use) { return graph.ops[model.getTopology().getUser(use)].role == IdentityRole::Barrier; };
  return barrier.isValid() && llvm::none_of(model.getTopology().getUses(graph.getResults(barrier)[0]), isBarrier);
}

static bool isLateReduced(const CostModel &model, CellId cell) {
  return model.getOverlap().isLate(cell) &&
         (!isBehindLastBarrier(model, cell) || getCollectiveOrder(model.getMachine()).combineBytes <= 0);
}

bool mayHideReduction(const CostModel &model, CellId cell, RegionId region) {
  return isLateReduced(model, cell) && !model.getLoopReductions().alwaysEndsIteration(region);
}

bool UnitPricer::isRotated(const Reshard &reshard) const { return pieces && pieces->isRotated(reshard); }

TimeKind UnitPricer::getKind(const Reshard &reshard) const {
  // Nothing waits for it but the next iteration.
  if (isRotated(reshard))
    return TimeKind::Late;
  const ReshardPlanPrice &plan = prices.get(reshard.plan);
  if (plan.hasReduction) {
    if (!isLateReduced(model, reshard.cell))
      return TimeKind::Exposed;
    bool isAtEnd = model.getLoopReductions().endsIteration(reshard.region, planner[reshard.plan]);
    return isAtEnd ? TimeKind::LateAtEnd : TimeKind::Late;
  }
  return plan.hasGather && model.getOverlap().isParameter(reshard.cell) ? TimeKind::Gathered : TimeKind::Exposed;
}

int64_t UnitPricer::getMultiplicity(ReshardId id) const {
  return model.getMultiplicity().get(reshards->list[id.get()].cell);
}

/// What a reshard that may hide adds to a batch.
void UnitPricer::addBatchBytes(const Reshard &reshard, llvm::ArrayRef<SlotShare> shares, OpId op) {
  if (!joinsCollectives)
    return;
  TimeKind kind = getKind(reshard);
  if (kind == TimeKind::Gathered)
    addTime(shares, TimeKind::GatheredBytes, getReshardBytes(reshard), op);
  else if (kind == TimeKind::Late)
    addTime(shares, TimeKind::LateBytes, getReshardBytes(reshard), op);
}

/// Whether it follows the op that ends a slot.
bool UnitPricer::isBehindKernel(const Reshard &reshard) const {
  return reshard.op.isValid() && reshard.position == ReshardPosition::AfterDefinition &&
         model.getFusion().getKernel(reshard.op) == reshard.op;
}

/// What compute waits for of a reshard in pieces; false for other reshards.
bool UnitPricer::addPiecedTimes(const Reshard &reshard, llvm::ArrayRef<SlotShare> shares, OpId op) {
  const PiecedReshardPrice *own = pieces ? pieces->find(reshard) : nullptr;
  if (!own)
    return false;
  addTime(shares, isBehindKernel(reshard) ? TimeKind::ExposedBehind : TimeKind::Exposed, own->exposedPs, op);
  addTime(shares, TimeKind::Compute, own->wholePs, op);
  int64_t issued = static_cast<int64_t>(own->permutes.size()) + (own->wholePs > 0 ? 1 : 0);
  addTime(shares, TimeKind::Issued, multiplySaturated(model.getIssuePs(), issued), op);
  return true;
}

/// The gather of the next iteration, from where its operand is known. It is carried: XLA copies what is still in use
/// when the next one comes. The first one is gathered in front of the loop, and the loop waits for it.
void UnitPricer::addRotatedTimes(const Reshard &reshard) {
  int64_t timePs = prices.get(reshard.plan).timePs;
  OpId source = topology.getDefinition(reshard.cell);
  bool isInside = source.isValid() && graph.ops[source].region == reshard.region;
  OpId begin = isInside ? model.getFusion().getKernel(source) : reshard.op;
  // Reductions of the iteration before come first.
  if (OpId middle = pieces->getMiddle(reshard.region); middle.isValid())
    begin = middle;
  addTime(model.getSlots().getShares(begin, 1), TimeKind::Late, timePs, begin);
  addCompute(reshard.op, model.getOpPricer().computeKernelPs(2 * getReshardBytes(reshard)));
  addTime(model.getSlots().getShares(reshard.region), TimeKind::Exposed, timePs,
          findLoopEntry(topology, reshard.region));
}

/// The reduction of the iteration before has from the beginning of this one to its middle. It is a batch of its own.
/// The last one stands behind the loop, and compute waits for it; the zeros that the first iteration reduces are
/// written in front.
void UnitPricer::addCarriedTimes(const Reshard &reshard) {
  int64_t timePs = prices.get(reshard.plan).timePs;
  OpId middle = pieces->getMiddle(reshard.region), entry = findLoopEntry(topology, reshard.region);
  SlotShares shares = model.getSlots().getShares(middle, 1);
  addTime(shares, TimeKind::Gathered, timePs, middle);
  if (joinsCollectives)
    addTime(shares, TimeKind::GatheredBytes, getCollectiveOrder(model.getMachine()).combineBytes, middle);
  llvm::ArrayRef<SlotShare> around = model.getSlots().getShares(reshard.region);
  addTime(around, TimeKind::Exposed, timePs, entry);
  addTime(around, TimeKind::Compute, model.getOpPricer().computeKernelPs(getUnreducedBytes(reshard)), entry);
}

void UnitPricer::addReshardTimes() {
  for (uint32_t number = 0; number < reshards->list.size(); ++number) {
    const Reshard &reshard = reshards->list[number];
    const ReshardPlanPrice plan = prices.get(reshard.plan);
    int64_t weight = getMultiplicity(ReshardId(number));
    OpId op = reshard.op.isValid() ? reshard.op : reshards->firstUsers[number];
    SlotShares shares = model.getSlots().getShares(reshard.cell, op, reshard.region, weight);
    if (addPiecedTimes(reshard, shares, op))
      continue;
    if (isRotated(reshard)) {
      isCarried(reshard) ? addCarriedTimes(reshard) : addRotatedTimes(reshard);
      addTime(shares, TimeKind::Issued, computeIssuePs(model, planner[reshard.plan]), op);
      continue;
    }
    TimeKind kind = getKind(reshard);
    if (kind == TimeKind::Exposed && isBehindKernel(reshard))
      kind = TimeKind::ExposedBehind;
    addTime(shares, kind, plan.timePs, op);
    if (plan.timePs > 0)
      addBatchBytes(reshard, shares, op);
    addTime(shares, TimeKind::Compute, plan.slicePs, op);
    if (plan.timePs > 0 && model.getIssuePs() > 0)
      addTime(shares, TimeKind::Issued, computeIssuePs(model, planner[reshard.plan]), op);
  }
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void UnitPricer::computeDefinition(const Unit &unit) {
  reshards = &builder.buildOfDefinition(unit.op, unit.result);
  if (model.getFusion().isFused(unit.cell) && reshards->list.empty()) {
    if (unit.result == 0)
      addExchange(unit.op);
    return;
  }
  CopyEnds ends = computeEnds(unit.op, false, unit.cell);
  // Constants, also moved ones, exist before the program starts; but a returned one is a buffer.
  if (model.getFusion().isConstant(unit.cell) && reshards->list.empty() && !ends[0].isToEnd)
    return;
  int64_t bytes = model.getOpPricer().computeLocalBytes(assignment, unit.op, graph.ops[unit.op].numUses + unit.result);
  addWrite(unit, bytes);
  addReads(unit.cell);
  addSeparated();
  addReshardTimes();
  bool isSameBuffer = model.getFusion().getRole(unit.op) == FusionRole::Identity;
  if (!isSameBuffer && !ends[0].isAliased)
    addValueCopy(ReshardId(), bytes, getRanges(unit.op, ends[0]));
  addReshardCopies(unit.op, ends);
  if (unit.result != 0)
    return;
  if (model.getFusion().getOrders().hasCopies(unit.op))
    addCopies(unit.op);
  if (const PiecedOpPrice *own = pieces ? pieces->find(unit.op) : nullptr)
    addValueCopy(ReshardId(), own->temporaryBytes, getRangesAt(unit.op), true);
  addExchange(unit.op);
}

/// Adds what devices exchange within an op. The time of an op that runs alone is counted with the op.
void UnitPricer::addExchange(OpId op) {
  OpExchanges exchanges = listExchanges(assignment, op);
  if (exchanges.collectives.empty())
    return;
  if (model.getFusion().getRole(op) != FusionRole::Alone)
    addCompute(op, computeExchangePs(model, assignment, op, exchanges));
  addValueCopy(ReshardId(), exchanges.getKeptBytes(), getRangesAt(op), true);
}

/// Adds copies of operands that a contraction takes in another order of dims.
void UnitPricer::addCopies(OpId op) {
  for (uint32_t operand = 0; operand < graph.ops[op].numUses; ++operand) {
    const DimOrders &orders = model.getFusion().getOrders();
    UseId use(graph.ops[op].firstUse + operand);
    if (!orders.isCopied(use))
      continue;
    int64_t bytes = model.getOpPricer().computeLocalBytes(assignment, op, operand);
    addCompute(op, model.getOpPricer().computeOrderCopyPs(assignment, orders, use));
    addValueCopy(ReshardId(), bytes, getRangesAt(op), true);
  }
}

void UnitPricer::addCopy(OpId op, int64_t bytes) { addCompute(op, model.getOpPricer().computeKernelPs(2 * bytes)); }

void UnitPricer::computeBrought(const Unit &unit) {
  reshards = &builder.buildOfDefinition(unit.op, unit.result);
  addReshardTimes();
  const Lifetimes &lifetimes = model.getLifetimes();
  const LiveTimes &liveTimes = model.getLiveTimes();
  CellKind kind = graph.cells[unit.cell].kind;
  if (reshards->list.empty()) {
    int64_t bytes = model.getOpPricer().computeLocalBytes(assignment, unit.op, graph.ops[unit.op].numUses);
    if (kind == CellKind::Carried && model.getFusion().getOrders().isRelaid(unit.cell))
      return addCopy(unit.op, bytes);
    if (kind != CellKind::Result || !lifetimes.isCopied(unit.op) || isMadeInArgument(unit.op))
      return;
    addCopy(unit.op, bytes);
    return addValueCopy(ReshardId(), bytes, liveTimes.getRanges(cell, unit.op, OpId()));
  }
  CopyEnds ends(2);
  ends[1].op = unit.op;
  if (kind == CellKind::Result) {
    ends[1].isToEnd = true;
    ends[1].isAliased = pairs.getArgument(unit.cell).isValid();
  } else if (kind == CellKind::Carried && lifetimes.isUnchanged(unit.cell)) {
    UseEnd end = lifetimes.getEnd(UseId(graph.ops[unit.op].firstUse));
    ends[1] = {end.op, end.isToEnd};
  } else {
    // The boundary value has a buffer of its own.
    ends[1].isAliased = kind == CellKind::Carried;
  }
  addReshardCopies(unit.op, ends);
}

void UnitPricer::computeBoundary(const Unit &unit) {
  reshards = &builder.buildOfBoundary(unit.cell);
  addReads(unit.cell);
  addReshardTimes();
  const Lifetimes &lifetimes = model.getLifetimes();
  const LiveTimes &liveTimes = model.getLiveTimes();
  int64_t bytes = (computeLocalBits(model.getAxes(), graph.getShape(unit.cell), graph.cells[unit.cell].elementBits,
                                    assignment.getCellSharding(unit.cell)) +
                   7) /
                  8;
  CellKind kind = graph.cells[unit.cell].kind;
  llvm::ArrayRef<OpId> definitions = topology.getDefinitions(unit.cell);
  bool isCarried = kind == CellKind::Carried;
  OpId behind;
  if (isCarried)
    behind = liveTimes.getLastOp(graph.cells[unit.cell].region);
  else if (kind == CellKind::Branch && !definitions.empty())
    behind = definitions.back();
  CopyEnds ends = computeEnds(behind, isCarried, unit.cell);
  if (kind == CellKind::Argument)
    addValueCopy(ReshardId(), bytes, liveTimes.getRanges(cell, OpId(), OpId()));
  else if (kind == CellKind::Branch)
    addValueCopy(ReshardId(), bytes, getRanges(behind, ends[0]));
  else if (!lifetimes.isUnchanged(unit.cell) && !ends[0].isAliased && !definitions.empty()) {
    OpId entry = definitions[0];
    LastUse lastUse = ends[0].op.isValid() ? lifetimes.getLastUse(ends[0].op, ends[0].givesBuffer) : LastUse::Keeps;
    WindowPart part = model.getFusion().startsFree(entry) ? WindowPart::Before : WindowPart::None;
    addValueCopy(ReshardId(), bytes,
                 ends[0].isToEnd ? liveTimes.getRanges(cell, entry, OpId(), LastUse::Keeps, part)
                                 : liveTimes.getCarriedRanges(cell, entry, graph.cells[unit.cell].region, ends[0].op,
                                                              lastUse, part));
  }
  addReshardCopies(behind, ends);
}

} // namespace partita::cost
