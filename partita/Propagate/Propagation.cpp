//===- Propagation.cpp - propagates a step to everything it reaches -------===//

#include "partita/Propagate/Propagation.h"

#include "partita/Propagate/ConflictClasses.h"
#include "partita/Propagate/ConflictSizes.h"

#include <algorithm>

namespace partita::propagate {

Propagation::Propagation(Assignment &assignment)
    : assignment(assignment), topology(assignment.getTopology()), axes(assignment.getAxes()),
      cuts(assignment.getGraph().cells.size(), 0), nodeMarks(topology.getNumNodes(), 0),
      pendingDims(topology.getNumDims()), reached(topology.getNumOpFactors()), sumPropagation(assignment) {
  addReachTables();
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

void Propagation::addCut(CellId cell, AxisId axis) {
  cell = topology.getRepresentative(cell);
  cuts[cell] |= uint32_t(1) << axis.get();
  cutCells.push_back(cell);
}

void Propagation::clearCuts() {
  for (CellId cell : cutCells)
    cuts[cell] = 0;
  cutCells.clear();
}

bool Propagation::isCut(CellId cell, AxisId axis) const {
  return (cuts[topology.getRepresentative(cell)] >> axis.get() & 1) != 0;
}

//===----------------------------------------------------------------------===//
// Open op factors
//===----------------------------------------------------------------------===//

/// Whether the dims that the op factor defines can take one more axis: the dim is not closed, and if its cell has pins
/// beyond the sharding of its definition, the size divides by both together.
LLVM_ATTRIBUTE_NOINLINE bool Propagation::takesAxis(DimId dim, AxisId axis) const {
  uint32_t pinned = assignment.getPinnedAxes(dim), bit = uint32_t(1) << axis.get();
  if (assignment.isClosed(dim) && (pinned & bit) == 0)
    return false;
  if (pinned == 0)
    return true;
  CellId cell = topology.getCell(dim);
  uint32_t number = topology.getDimNumber(dim);
  Sharding sharding = assignment.getCellSharding(cell);
  uint32_t together = pinned | bit;
  for (AxisId other : sharding.dims[number])
    together |= uint32_t(1) << other.get();
  int64_t parts = 1;
  for (AxisId other : idRange<AxisId>(axes.size()))
    if (together >> other.get() & 1)
      parts *= axes[other].size;
  return topology.getGraph().getShape(cell)[number] % parts == 0;
}

inline bool Propagation::isOpenToResults(OpFactorId opFactor, AxisId axis) const {
  for (const FactorDim &entry : topology.getDefinedDims(opFactor))
    if (assignment.isRestricted(entry.dim) && !takesAxis(entry.dim, axis))
      return false;
  return true;
}

/// Most axes have a power of two of devices, and a division would take longer than everything else here.
static bool isDivisible(int64_t rest, int64_t size) {
  bool isPowerOfTwo = (size & (size - 1)) == 0;
  return isPowerOfTwo ? (rest & (size - 1)) == 0 : rest % size == 0;
}

bool Propagation::isOpen(OpFactorId opFactor, AxisId axis) const {
  NodeId node = topology.getNode(opFactor);
  if (assignment.getFactor(node, axis) != noFactor || !isDivisible(assignment.getPartSize(opFactor), axes[axis].size))
    return false;
  // A minor factor may be split only when its majors are split fully.
  if (topology.isMinor(opFactor))
    for (uint8_t major : topology.getMajors(opFactor))
      if (assignment.getPartSize(topology.getOpFactor(node, major)) != 1)
        return false;
  return isOpenToResults(opFactor, axis);
}

std::string Propagation::explainFactor(NodeId node, uint8_t factor, AxisId axis) const {
  uint8_t taken = assignment.getFactor(node, axis);
  if (taken == factor)
    return "";
  if (taken != noFactor)
    return "'" + axes.getName(axis) + "' already splits another factor of it";
  OpFactorId opFactor = topology.getOpFactor(node, factor);
  int64_t rest = assignment.getPartSize(opFactor);
  if (rest < 0)
    return "the factor must stay whole";
  if (!isDivisible(rest, axes[axis].size))
    return "its size, of which " + std::to_string(rest) + " is left, does not divide by " +
           std::to_string(axes[axis].size);
  return isOpen(opFactor, axis) ? ""
                                : "a factor before it is not split fully, or a result of the op is bound otherwise";
}

/// Whether a step on `axis` may enter a dim that is not one of its roots.
inline bool Propagation::mayEnter(DimId dim, AxisId axis) const {
  if (assignment.isRestricted(dim) && (assignment.getExcludedAxes(dim) >> axis.get() & 1) != 0)
    return false;
  return cutCells.empty() || (cuts[topology.getCell(dim)] >> axis.get() & 1) == 0;
}

/// Whether ops depend on the cell being a partial sum over the axis, so that a pin would break them.
bool Propagation::isTakenAsSum(CellId cell, AxisId axis) const {
  if (!assignment.isPartialSum(cell, axis))
    return false;
  auto takesSum = [&](UseId use) {
    return assignment.getFactor(topology.getNode(topology.getUser(use)), axis) == sumFactor;
  };
  return topology.getBoundaryNode(cell).isValid() || llvm::any_of(topology.getUses(cell), takesSum);
}

std::string Propagation::explainAtomic(CellId cell, AxisId axis) const {
  cell = topology.getRepresentative(cell);
  Pin pin = assignment.getPin(cell, axis);
  if (pin.kind == PinKind::Atomic)
    return "";
  std::string name = axes.getName(axis);
  bool isInner = topology.getGraph().cells[cell].kind == CellKind::OpResult;
  int found = findSplitDim(cell, axis);
  if (found >= 0 && (!isInner || pin.kind == PinKind::Tile))
    return "'" + name + "' already splits its dim " + std::to_string(found);
  if (isTakenAsSum(cell, axis))
    return "it is a partial sum over '" + name + "', which its uses take on";
  return "";
}

int Propagation::findSplitDim(CellId cell, AxisId axis) const {
  cell = topology.getRepresentative(cell);
  Pin pin = assignment.getPin(cell, axis);
  if (pin.kind != PinKind::None)
    return pin.kind == PinKind::Tile ? pin.dim : -1;
  NodeId source = topology.getSource(cell);
  uint8_t factor = source.isValid() ? assignment.getFactor(source, axis) : noFactor;
  if (factor >= sumFactor)
    return -1;
  if (topology.getBoundaryNode(cell).isValid())
    return factor;
  OpId op = topology.getOp(source);
  uint32_t value = topology.getGraph().ops[op].numUses + topology.getResultNumber(cell);
  int found = -1;
  for (const DimFactor &entry : topology.getGraph().getDimFactors(op))
    if (entry.value == value && entry.factor == factor && (found < 0 || entry.dim < found))
      found = entry.dim;
  return found;
}

/// The size of the dim on each device.
int64_t Propagation::computePartSize(DimId dim) const {
  CellId cell = topology.getCell(dim);
  uint32_t number = topology.getDimNumber(dim);
  int64_t size = topology.getGraph().getShape(cell)[number];
  for (AxisId other : idRange<AxisId>(axes.size()))
    if (findSplitDim(cell, other) == int(number))
      size /= axes[other].size;
  return size;
}

Propagation::Refusal Propagation::findRefusal(DimId dim, AxisId axis, bool spreadsNowhere) const {
  CellId cell = topology.getCell(dim);
  int found = findSplitDim(cell, axis);
  Pin pin = assignment.getPin(cell, axis);
  if (found == int(topology.getDimNumber(dim)))
    return Refusal::None;
  if (pin.kind == PinKind::Atomic)
    return Refusal::Whole;
  if (!spreadsNowhere && isCut(cell, axis))
    return Refusal::Cut;
  if (assignment.isClosed(dim))
    return Refusal::Closed;
  bool isInner = topology.getGraph().cells[cell].kind == CellKind::OpResult;
  if (found >= 0 && (!isInner || pin.kind == PinKind::Tile))
    return Refusal::OtherDim;
  if (isTakenAsSum(cell, axis))
    return Refusal::Sum;
  int64_t rest = computePartSize(dim);
  return rest == 0 || rest % axes[axis].size != 0 ? Refusal::Size : Refusal::None;
}

std::string Propagation::explainRoot(DimId dim, AxisId axis, bool spreadsNowhere) const {
  Refusal refusal = findRefusal(dim, axis, spreadsNowhere);
  if (refusal == Refusal::None)
    return "";
  CellId cell = topology.getCell(dim);
  std::string name = axes.getName(axis), number = std::to_string(topology.getDimNumber(dim));
  int64_t size = topology.getGraph().getShape(cell)[topology.getDimNumber(dim)], rest = computePartSize(dim);
  switch (refusal) {
  case Refusal::None:
    return "";
  case Refusal::Whole:
    return "it is replicated over '" + name + "'";
  case Refusal::Cut:
    return "it is cut on '" + name + "' in this tactic";
  case Refusal::Closed:
    return "its dim " + number + " is closed by the sharding that is given for it";
  case Refusal::OtherDim:
    return "'" + name + "' already splits its dim " + std::to_string(findSplitDim(cell, axis));
  case Refusal::Sum:
    return "it is a partial sum over '" + name + "', which its uses take on";
  case Refusal::Size:
    return "its dim " + number + " of size " + std::to_string(size) +
           (rest == size ? "" : ", of which each device has " + std::to_string(rest) + ",") +
           " does not divide by the " + std::to_string(axes[axis].size) + " devices of '" + name + "'";
  }
  llvm_unreachable("all refusals are explained");
}

//===----------------------------------------------------------------------===//
// Reach
//===----------------------------------------------------------------------===//

void Propagation::addReachTables() {
  auto getStart = [](auto all, auto range) { return static_cast<uint32_t>(range.begin() - all.begin()); };
  for (OpFactorId id : idRange<OpFactorId>(topology.getNumOpFactors())) {
    ReachFactor opFactor;
    opFactor.node = topology.getNode(id);
    opFactor.firstDim = getStart(topology.getAllFactorDims(), topology.getDims(id));
    opFactor.factor = topology.getFactor(id);
    opFactor.isAdded = topology.isAdded(id);
    for (uint32_t axis = 0; axis < std::min<size_t>(axes.size(), 16) && !topology.isMinor(id); ++axis)
      if (isDivisible(topology.getSplitSize(id), axes[AxisId(axis)].size))
        opFactor.plainAxes |= uint16_t(1U << axis);
    reachFactors.push_back(opFactor);
  }
  reachFactors.push_back({0, NodeId(), static_cast<uint32_t>(topology.getAllFactorDims().size()), 0, 0, false});
  for (DimId dim : idRange<DimId>(topology.getNumDims()))
    reachDims.push_back({0, getStart(topology.getAllDimOpFactors(), topology.getOpFactors(dim))});
  reachDims.push_back({0, static_cast<uint32_t>(topology.getAllDimOpFactors().size())});
}

void Propagation::ensureEpochs() {
  if (lastEpoch < UINT32_MAX / 2)
    return;
  for (ReachFactor &opFactor : reachFactors)
    opFactor.mark = 0;
  for (ReachDim &dim : reachDims)
    dim.mark = 0;
  nodeMarks = IdVector<NodeId, uint32_t>(nodeMarks.size(), 0);
  lastEpoch = 0;
}

/// The same as isOpen, with a fast path for most op factors.
inline bool Propagation::isOpenNow(const ReachFactor &opFactor, OpFactorId id, AxisId axis) const {
  bool isPlain = assignment.isWhole(opFactor.node) && !assignment.isRestricted(opFactor.node);
  return (isPlain && (opFactor.plainAxes >> axis.get() & 1) != 0) || isOpen(id, axis);
}

/// Depth first: neighbors in the program are neighbors in memory. Uses plain pointers, because the compiler would have
/// to reload the bounds of vectors after each write of a mark.
void Propagation::computeReach(llvm::ArrayRef<DimId> roots, AxisId axis) {
  const uint32_t epoch = reachEpoch = nextEpoch(), closed = closedEpoch;
  ReachFactor *opFactors = reachFactors.data();
  ReachDim *dims = reachDims.data();
  const OpFactorId *dimOpFactors = topology.getAllDimOpFactors().data();
  const FactorDim *factorDims = topology.getAllFactorDims().data();
  NodeFactor *lastReached = reached.data();
  DimId *pending = pendingDims.data();
  conflicted.clear();
  addedNodes.clear();
  for (DimId root : roots) {
    dims[root.get()].mark = epoch;
    *pending++ = root;
  }
  while (pending != pendingDims.data()) {
    uint32_t dim = (--pending)->get();
    for (const OpFactorId *at = dimOpFactors + dims[dim].firstOpFactor,
                          *end = dimOpFactors + dims[dim + 1].firstOpFactor;
         at != end; ++at) {
      ReachFactor &opFactor = opFactors[at->get()];
      if (opFactor.mark == epoch || opFactor.mark == closed)
        continue;
      if (!isOpenNow(opFactor, *at, axis)) {
        opFactor.mark = closed;
        continue;
      }
      opFactor.mark = epoch;
      *lastReached++ = {opFactor.node, opFactor.factor};
      if (opFactor.isAdded)
        addedNodes.push_back(opFactor.node);
      // Earlier marks are smaller.
      if (uint32_t &nodeMark = nodeMarks[opFactor.node]; nodeMark < epoch) {
        nodeMark = epoch;
      } else if (nodeMark == epoch) {
        conflicted.push_back(opFactor.node);
        nodeMark = epoch + 1;
      }
      for (const FactorDim *entry = factorDims + opFactor.firstDim, *last = factorDims + (&opFactor + 1)->firstDim;
           entry != last; ++entry) {
        uint32_t &dimMark = dims[entry->dim.get()].mark;
        if (dimMark == epoch || !mayEnter(entry->dim, axis))
          continue;
        dimMark = epoch;
        *pending++ = entry->dim;
      }
    }
  }
  numReached = lastReached - reached.data();
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

std::optional<size_t> Propagation::findChosenSide(const Conflict &conflict) const {
  return propagate::findChosenSide(topology, conflict, [&](DimId dim) {
    Pin pin = assignment.getPin(topology.getCell(dim), conflict.axis);
    bool isTile = pin.kind == PinKind::Tile && pin.dim == topology.getDimNumber(dim);
    return isTile || assignment.isChosen(dim, conflict.axis);
  });
}

void Propagation::close(llvm::ArrayRef<OpFactorId> opFactors) {
  for (OpFactorId opFactor : opFactors)
    reachFactors[opFactor.get()].mark = closedEpoch;
}

bool Propagation::closeConflicts(llvm::ArrayRef<DimId> roots, AxisId axis, uint32_t step, ConflictPolicy policy,
                                 StepOutcome &outcome) {
  if (conflicted.empty())
    return false;
  llvm::sort(conflicted);
  auto isReachedDim = [&](DimId dim) { return reachDims[dim.get()].mark == reachEpoch; };
  auto isReachedFactor = [&](OpFactorId opFactor) { return reachFactors[opFactor.get()].mark == reachEpoch; };
  bool isAnyChosen = false;
  std::vector<Conflict> conflicts = findConflicts(topology, conflicted, isReachedDim, isReachedFactor);
  for (Conflict &conflict : conflicts) {
    conflict.axis = axis;
    conflict.step = step;
    std::optional<size_t> chosen = findChosenSide(conflict);
    if (!chosen)
      continue;
    isAnyChosen = true;
    for (size_t side = 0; side < conflict.sides.size(); ++side)
      if (side != *chosen)
        close(conflict.sides[side].opFactors);
  }
  // Without the sides that lost, other conflicts may disappear.
  if (isAnyChosen)
    return true;
  if (policy == ConflictPolicy::LargerSide) {
    close(findSmallerSides(topology, roots, conflicts, isReachedDim, isReachedFactor));
    return true;
  }
  for (const Conflict &conflict : conflicts)
    for (const ConflictSide &side : conflict.sides)
      close(side.opFactors);
  outcome.conflicts = std::move(conflicts);
  return true;
}

StepOutcome Propagation::run(llvm::ArrayRef<DimId> roots, AxisId axis, uint32_t step, ConflictPolicy policy) {
  StepOutcome outcome;
  for (DimId root : roots) {
    assert(canSplit(root, axis) && "a root that the axis cannot split");
    CellId cell = topology.getCell(root);
    assignment.pin(cell, axis, {PinKind::Tile, uint8_t(topology.getDimNumber(root))}, step);
  }
  ensureEpochs();
  closedEpoch = nextEpoch();
  do
    computeReach(roots, axis);
  while (closeConflicts(roots, axis, step, policy, outcome));
  llvm::ArrayRef<NodeFactor> all = llvm::ArrayRef(reached).take_front(numReached);
  assignment.assign(all, axis, step);
  outcome.assigned.resize(all.size());
  llvm::transform(all, outcome.assigned.begin(), [](const NodeFactor &taken) { return taken.node; });
  sumPropagation.run(addedNodes, axis, step);
  return outcome;
}

} // namespace partita::propagate
