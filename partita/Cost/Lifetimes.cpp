//===- Lifetimes.cpp - who shares a buffer, and when a use releases it ----===//

#include "partita/Cost/Lifetimes.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

Lifetimes::Lifetimes(const Topology &topology, const FusionPlan &fusion, const LiveTimes &liveTimes)
    : topology(topology), fusion(fusion), liveTimes(liveTimes), graph(topology.getGraph()) {
  for (OpId op : idRange<OpId>(graph.ops.size()))
    latest.push_back(liveTimes.getLatest(op));
  ends.resize(graph.uses.size());
  copied.resize(graph.ops.size(), 0);
  for (uint32_t number = graph.ops.size(); number-- > 0;)
    findEnds(OpId(number));
  markDonors();
  markYields();
  markCopies();
  passThroughIdentities();
  findSharedKernels();
}

/// Kernels in which an op's result goes to the same op of the next layer.
void Lifetimes::findSharedKernels() {
  sharedKernels.resize(graph.ops.size(), 0);
  IdVector<OpId, uint8_t> leadsOn(graph.ops.size(), 0);
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId op(number), kernel = fusion.getKernel(op);
    if (kernel == op)
      continue;
    for (UseId use : topology.getUses(graph.getResults(op)[0])) {
      OpId user = topology.getUser(use);
      leadsOn[op] |= leadsOn[user] || liveTimes.isRecurrence(op, user);
    }
    sharedKernels[kernel] |= leadsOn[op] && liveTimes.isSingle(kernel);
  }
}

/// The end of a value that shares the buffer of `cell`, from `first` on.
UseEnd Lifetimes::joinEnds(CellId cell, OpId first) const {
  UseEnd end{first};
  llvm::ArrayRef<UseId> uses = topology.getUses(cell);
  for (UseId use : uses) {
    end.isToEnd |= ends[use].isToEnd;
    if (isLater(ends[use].op, end.op))
      end.op = ends[use].op;
  }
  return end;
}

UseEnd Lifetimes::findIdentityEnd(OpId op) {
  CellId cell = graph.getResults(op)[0];
  switch (graph.cells[cell].kind) {
  case CellKind::OpResult:
    return joinEnds(cell, op);
  case CellKind::Carried: {
    if (!isUnchanged(cell)) {
      bool isEntry = !isOfLoop(graph, graph.ops[op].region, graph.cells[cell].region);
      return {op, false, isEntry && !fusion.getOrders().isRelaid(cell), false};
    }
    OpId last = liveTimes.getLastOp(graph.cells[cell].region);
    return joinEnds(cell, last.isValid() ? std::max(last, op) : op);
  }
  case CellKind::Branch:
    return {op, false, true, false};
  case CellKind::Result:
    return {op, true, false, false};
  case CellKind::Argument:
    break;
  }
  return {op};
}

void Lifetimes::findEnds(OpId op) {
  const Op &info = graph.ops[op];
  bool isIdentity = fusion.getRole(op) == FusionRole::Identity && info.numUses == 1 && info.numDefinitions == 1;
  UseEnd end = isIdentity ? findIdentityEnd(op) : UseEnd{fusion.getKernel(op)};
  for (uint32_t number = 0; number < info.numUses; ++number)
    ends[UseId(info.firstUse + number)] = end;
  markUpdates(op);
}

/// Ops that work in the buffer of operand 0.
void Lifetimes::markUpdates(OpId op) {
  const Op &info = graph.ops[op];
  if (info.numUses == 0 || info.numDefinitions != 1)
    return;
  if (fusion.getRole(op) == FusionRole::Update || (info.opClass == OpClass::Indexing && info.kind == OpKind::Scatter))
    ends[UseId(info.firstUse)].givesBuffer = true;
}

/// Whether nothing needs the cell after the kernel; of a carried value, inside its loop.
bool Lifetimes::diesAt(CellId cell, OpId kernel) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) {
    bool isCarried = graph.cells[cell].kind == CellKind::Carried;
    if (isCarried && !isOfLoop(graph, graph.ops[topology.getUser(use)].region, graph.cells[cell].region))
      return true;
    return !ends[use].isToEnd && latest[ends[use].op] <= liveTimes.getOrigin(kernel);
  });
}

/// Whether the kernel reads each element of the cell only for the element of its result at the same index.
bool Lifetimes::isReadElementwise(CellId cell, OpId kernel) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) {
    OpId user = topology.getUser(use);
    return fusion.getKernel(user) != kernel || fusion.isElementwiseToRoot(user);
  });
}

/// Marks the operand whose buffer a kernel's result takes, if the kernel works elementwise on it.
void Lifetimes::markDonors() {
  IdVector<OpId, uint8_t> hasDonor(graph.ops.size(), 0);
  for (UseId use : idRange<UseId>(graph.uses.size())) {
    OpId op = topology.getUser(use), kernel = fusion.getKernel(op);
    CellId cell = graph.uses[use];
    if (!fusion.isElementwiseToRoot(op) || hasDonor[kernel] || fusion.isFused(cell) || isArgument(cell))
      continue;
    const Cell &from = graph.cells[cell], &to = graph.cells[graph.getResults(kernel)[0]];
    bool isAlike =
        from.elementBits == to.elementBits && graph.getShape(cell) == graph.getShape(graph.getResults(kernel)[0]);
    if (!isAlike || from.region != graph.ops[kernel].region || !diesAt(cell, kernel) ||
        !isReadElementwise(cell, kernel))
      continue;
    hasDonor[kernel] = 1;
    ends[use].givesBuffer = true;
  }
}

/// Whether the cell is not needed after `at`, and by `at` only where it may overwrite it.
bool Lifetimes::isDead(CellId cell, OpId at, bool mayReadElements) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) {
    OpId user = topology.getUser(use);
    bool isCarried = graph.cells[cell].kind == CellKind::Carried;
    if (isCarried && !isOfLoop(graph, graph.ops[user].region, graph.cells[cell].region))
      return true;
    if (ends[use].isToEnd)
      return false;
    if (ends[use].op == at)
      return ends[use].givesBuffer || (mayReadElements && fusion.isElementwiseToRoot(user));
    return latest[ends[use].op] < liveTimes.getOrigin(at);
  });
}

/// The value that reaches this one through identities without other uses.
CellId Lifetimes::findOrigin(CellId value) const {
  while (isPassedThrough(value))
    value = graph.getOperands(topology.getDefinition(value))[0];
  return value;
}

/// Whether the cell is an identity's result that is used once.
bool Lifetimes::isPassedThrough(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  return graph.cells[cell].kind == CellKind::OpResult && op.isValid() && fusion.getRole(op) == FusionRole::Identity &&
         graph.ops[op].numUses == 1 && graph.ops[op].numDefinitions == 1 && topology.getUses(cell).size() == 1;
}

/// An identity treats the buffer as the only use of its result does.
void Lifetimes::passThroughIdentities() {
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId op(number);
    if (graph.ops[op].numDefinitions == 1 && isPassedThrough(graph.getResults(op)[0]))
      ends[UseId(graph.ops[op].firstUse)] = ends[topology.getUses(graph.getResults(op)[0])[0]];
  }
}

/// Marks yielded values that are written into the buffer of the carried value.
void Lifetimes::markYields() {
  IdVector<CellId, uint8_t> isTaken(graph.cells.size(), 0);
  // The op that makes a value; of what a loop inside the iteration leaves, the loop's entry, if it starts with the
  // carried value and so works in its buffer.
  auto findWriter = [&](CellId value, CellId carried) -> OpId {
    if (graph.cells[value].kind == CellKind::OpResult)
      return topology.getDefinition(value);
    if (graph.cells[value].kind != CellKind::Carried || topology.getDefinitions(value).size() < 2)
      return {};
    OpId entry = topology.getDefinitions(value)[0];
    return graph.ops[entry].numUses == 1 && findOrigin(graph.getOperands(entry)[0]) == carried ? entry : OpId();
  };
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].role != IdentityRole::Yield || graph.ops[op].numUses != 1 || graph.ops[op].numDefinitions != 1)
      continue;
    CellId value = findOrigin(graph.getOperands(op)[0]), carried = graph.getResults(op)[0];
    OpId definition = findWriter(value, carried);
    if (isTaken[value] || !definition.isValid() || graph.ops[definition].region != graph.ops[op].region ||
        !isDead(carried, definition, false))
      continue;
    isTaken[value] = 1;
    ends[UseId(graph.ops[op].firstUse)].isAliased = true;
  }
}

bool Lifetimes::mayAlias(CellId argument, OpId result) const {
  CellId value = findOrigin(graph.getOperands(result)[0]);
  switch (graph.cells[value].kind) {
  case CellKind::Argument:
    return value == argument;
  case CellKind::Carried: {
    // A loop that starts with the argument and ends with the result works in its buffer.
    OpId entry = topology.getDefinitions(value).empty() ? OpId() : topology.getDefinitions(value)[0];
    bool startsThere = entry.isValid() && graph.ops[entry].numUses == 1 && graph.getOperands(entry)[0] == argument;
    return startsThere && !isUnchanged(value) && isDead(argument, entry, false);
  }
  case CellKind::OpResult: {
    OpId definition = topology.getDefinition(value);
    return definition.isValid() && isDead(argument, definition, true);
  }
  case CellKind::Result:
  case CellKind::Branch:
    break;
  }
  return false;
}

/// Marks results that must be copies: of arguments, of values that were returned before, and of what a loop leaves in
/// another order of dims.
void Lifetimes::markCopies() {
  IdVector<CellId, uint8_t> isReturned(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].numUses != 1 || graph.ops[op].numDefinitions != 1 ||
        graph.cells[graph.getResults(op)[0]].kind != CellKind::Result)
      continue;
    CellId value = findOrigin(graph.getOperands(op)[0]);
    bool isInOrder = graph.cells[value].kind != CellKind::Carried || fusion.getOrders().getOrder(value).empty();
    if (!isArgument(value) && isInOrder && !std::exchange(isReturned[value], 1))
      continue;
    copied[op] = 1;
    ends[UseId(graph.ops[op].firstUse)] = {op};
  }
}

} // namespace partita::cost
