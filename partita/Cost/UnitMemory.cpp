//===- UnitMemory.cpp - when the copies of a unit's value are alive -------===//

#include "partita/Cost/CarriedReductions.h"
#include "partita/Cost/PiecePrice.h"
#include "partita/Cost/UnitPrice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

void UnitPricer::extend(CopyEnd &end, OpId to, bool gives) const {
  if (!end.op.isValid() || model.getLifetimes().isLater(to, end.op)) {
    end.op = to;
    end.givesBuffer = gives;
  } else if (end.op == to) {
    end.givesBuffer |= gives;
  }
}

/// A value that is resharded for a loop or the caller is needed only until that reshard.
UseEnd UnitPricer::getEnd(UseId use) {
  OpId op = topology.getUser(use);
  bool isBrought = graph.ops[op].numDefinitions == 1 && graph.cells[graph.getResults(op)[0]].kind != CellKind::OpResult;
  if (isBrought && brought.buildOfDefinition(op, 0).definition.isValid())
    return {op};
  UseEnd end = model.getLifetimes().getEnd(use);
  end.isAliased |= isMadeInArgument(op);
  return end;
}

/// Whether the op is a result that is written into the buffer of its paired argument.
bool UnitPricer::isMadeInArgument(OpId op) const {
  CellId cell = graph.ops[op].numDefinitions == 1 ? graph.getResults(op)[0] : CellId();
  if (!cell.isValid() || graph.cells[cell].kind != CellKind::Result || graph.ops[op].numUses != 1)
    return false;
  CellId argument = pairs.getArgument(cell);
  return argument.isValid() && model.getLifetimes().mayAlias(argument, op);
}

/// The end of the original, then of each reshard's copy. Reshards after the definition are at `behind`. For the
/// original of a carried value, only uses after its loop count.
UnitPricer::CopyEnds UnitPricer::computeEnds(OpId behind, bool isCarried, CellId cell) {
  CopyEnds ends(1 + reshards->list.size());
  RegionId body = graph.cells[cell].region;
  for (auto [use, reshard] : reshards->uses) {
    if (isCarried && !reshard.isValid() && isOfLoop(graph, graph.ops[topology.getUser(use)].region, body))
      continue;
    UseEnd end = getEnd(use);
    CopyEnd &copy = ends[reshard.isValid() ? reshard.get() + 1 : 0];
    extend(copy, end.op, end.givesBuffer);
    copy.isToEnd |= end.isToEnd;
    copy.isAliased |= end.isAliased;
  }
  for (const auto &[number, reshard] : llvm::enumerate(reshards->list)) {
    OpId at = getPlace(static_cast<uint32_t>(number), behind);
    bool isInside =
        isCarried && reshard.position == ReshardPosition::BeforeUse && isOfLoop(graph, reshard.region, body);
    CopyEnd &source = ends[reshard.source.isValid() ? reshard.source.get() + 1 : 0];
    if (!at.isValid() || (!reshard.source.isValid() && isInside))
      continue;
    if (isLateReduction(reshard))
      extendByLate(reshard, at, source, ends[number + 1]);
    else
      extend(source, at, false);
  }
  return ends;
}

/// Whether the barrier takes what a reduction makes, which nothing needs before: lowering puts it behind the barrier.
bool UnitPricer::standsBehind(OpId barrier, uint32_t number) const {
  const Reshard &reshard = reshards->list[number];
  auto isTaken = [&](const auto &each) {
    return each.second == ReshardId(number) && topology.getUser(each.first) == barrier;
  };
  auto startsHere = [&](const Reshard &other) {
    return other.source == ReshardId(number) && other.position == ReshardPosition::AfterDefinition;
  };
  return !reshard.source.isValid() && onlyReduces(planner[reshard.plan]) && llvm::any_of(reshards->uses, isTaken) &&
         llvm::none_of(reshards->list, startsHere);
}

/// The op at which a reshard stands; those after the definition are at `behind`, or at a barrier.
OpId UnitPricer::getPlace(uint32_t number, OpId behind) const {
  const Reshard &reshard = reshards->list[number];
  if (reshard.position == ReshardPosition::BeforeUse)
    return reshard.op;
  OpId barrier = model.getOverlap().getBarrier(reshard.cell);
  return barrier.isValid() && standsBehind(barrier, number) ? barrier : behind;
}

/// A reduction right behind an op that may still be under way while later ops run.
bool UnitPricer::isLateReduction(const Reshard &reshard) const {
  return model.hasIssueWindow() && reshard.position == ReshardPosition::AfterDefinition &&
         graph.cells[reshard.cell].kind == CellKind::OpResult && prices.get(reshard.plan).hasReduction &&
         model.getOverlap().isLate(reshard.cell);
}

/// An all_reduce works in its operand's buffer. Any other reduction needs its operand until it is done.
void UnitPricer::extendByLate(const Reshard &reshard, OpId at, CopyEnd &source, CopyEnd &target) const {
  llvm::ArrayRef<ReshardStep> steps = planner[reshard.plan].steps;
  bool isInPlace = steps.size() == 1 && steps.front().kind == CollectiveKind::AllReduce;
  extend(source, at, isInPlace);
  (isInPlace ? target : source).isInWindow = true;
}

LiveRanges UnitPricer::getRanges(OpId from, const CopyEnd &end, WindowPart part) const {
  if (end.isInWindow)
    part = WindowPart::Behind;
  if (end.isToEnd)
    return model.getLiveTimes().getRanges(cell, from, OpId(), LastUse::Keeps, part);
  OpId to = end.op.isValid() ? end.op : from;
  if (!to.isValid())
    return graph.ops.empty() ? LiveRanges() : model.getLiveTimes().getRanges(cell, from, OpId(0));
  return model.getLiveTimes().getRanges(cell, from, to, model.getLifetimes().getLastUse(to, end.givesBuffer), part);
}

/// Of something that is there at one op alone.
LiveRanges UnitPricer::getRangesAt(OpId op) const {
  return model.getLiveTimes().getRanges(cell, op, op, LastUse::Here);
}

void UnitPricer::addValueCopy(ReshardId reshard, int64_t bytes, LiveRanges ranges, bool isTemporary) {
  if (bytes > 0 && !ranges.empty())
    price.copies.push_back({reshard, isTemporary, bytes, std::move(ranges)});
}

int64_t UnitPricer::getReshardBytes(const Reshard &reshard) const {
  const ReshardPlan &plan = planner[reshard.plan];
  return (computeLocalBits(model.getAxes(), plan.shape, plan.elementBits, plan.to.sharding) + 7) / 8;
}

/// Of what a reshard makes, or of the pieces that it brings.
int64_t UnitPricer::getCopyBytes(const Reshard &reshard) const {
  const PiecedReshardPrice *own = pieces ? pieces->find(reshard) : nullptr;
  return own ? own->bytes : getReshardBytes(reshard);
}

/// Of what a reduction takes.
int64_t UnitPricer::getUnreducedBytes(const Reshard &reshard) const {
  const ReshardPlan &plan = planner[reshard.plan];
  return (computeLocalBits(model.getAxes(), plan.shape, plan.elementBits, plan.from.sharding) + 7) / 8;
}

/// What a loop carries: unreduced gradients, beside those that the iteration makes, or what was gathered, and what is
/// gathered for the next iteration meanwhile.
void UnitPricer::addRotatedCopies(uint32_t number) {
  const Reshard &reshard = reshards->list[number];
  LiveRanges ranges = model.getLiveTimes().getRanges(cell, findLoopEntry(topology, reshard.region),
                                                     model.getLiveTimes().getLastOp(reshard.region));
  int64_t bytes = isCarried(reshard) ? getUnreducedBytes(reshard) : 2 * getReshardBytes(reshard);
  addValueCopy(ReshardId(number), bytes, std::move(ranges), /*isTemporary=*/isCarried(reshard));
}

/// Adds the results of reshards and their temporaries.
void UnitPricer::addReshardCopies(OpId behind, llvm::ArrayRef<CopyEnd> ends) {
  for (uint32_t number = 0; number < reshards->list.size(); ++number) {
    const Reshard &reshard = reshards->list[number];
    OpId at = getPlace(number, behind);
    const CopyEnd &end = ends[number + 1];
    if (isRotated(reshard))
      addRotatedCopies(number);
    if (isRotated(reshard) && !isCarried(reshard))
      continue;
    bool isAhead = reshard.position == ReshardPosition::BeforeUse && !prices.get(reshard.plan).hasReduction &&
                   isOverlapped(reshard);
    if (!end.isAliased)
      addValueCopy(ReshardId(number), getCopyBytes(reshard),
                   getRanges(at, end, isAhead ? WindowPart::Before : WindowPart::None));
    addValueCopy(ReshardId(number), (planner[reshard.plan].peakTemporaryBits + 7) / 8, getRangesAt(at), true);
  }
}

} // namespace partita::cost
