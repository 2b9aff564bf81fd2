//===- FusionPlan.cpp - which ops run as one kernel -----------------------===//

#include "partita/Cost/FusionPlan.h"

#include "partita/Cost/SlowOpPrice.h"
#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

/// The most kernels that an op is copied into.
static constexpr int64_t maxCopies = 32;

FusionPlan::FusionPlan(const Topology &topology, const Multiplicity &multiplicity)
    : topology(topology), graph(topology.getGraph()) {
  findRoles();
  findFree();
  findNarrow();
  findOrders();
  findFootprints();
  findTransposed();
  findFilled();
  findBufferPasses();
  findKernels(multiplicity);
  findCombining();
  findJoined();
  findReads();
}

/// The most elements that a reduction inside a kernel combines: a row that stays on the chip. XLA goes up to 16,384,
/// but beyond this a single kernel takes as long as one for each reduction.
static constexpr int64_t maxRowSize = int64_t(1) << 13;

static FusionRole findRole(const Graph &graph, OpId number) {
  const Op &op = graph.ops[number];
  switch (op.opClass) {
  case OpClass::Identity:
    return FusionRole::Identity;
  case OpClass::Elementwise:
    return FusionRole::Elementwise;
  case OpClass::Movement:
    return op.kind == OpKind::Constant ? FusionRole::Constant
           : readsPart(op.kind)        ? FusionRole::Slice
                                       : FusionRole::Movement;
  case OpClass::Indexing:
    if (op.numUses == 0 || op.numDefinitions != 1)
      return FusionRole::Alone;
    if (op.kind == OpKind::DynamicUpdateSlice && op.numUses > 1)
      return FusionRole::Update;
    return readsPart(op.kind) ? FusionRole::Slice : FusionRole::Alone;
  case OpClass::Reduction:
    return ranksElements(op.kind) || isPrefixOp(graph, number) ? FusionRole::Alone : FusionRole::Reduction;
  case OpClass::Contraction:
  case OpClass::Random:
  case OpClass::Collective:
  case OpClass::Opaque:
    break;
  }
  return op.role == IdentityRole::None ? FusionRole::Alone : FusionRole::Identity;
}

/// A reduction over dims of one element: it gives the same elements under another shape. (One over windows keeps its
/// rank.)
static bool isReshape(const Graph &graph, OpId op) {
  if (graph.ops[op].opClass != OpClass::Reduction || graph.ops[op].numDefinitions != 1 || graph.ops[op].numUses == 0)
    return false;
  CellId operand = graph.getOperands(op)[0], result = graph.getResults(op)[0];
  return graph.cells[operand].rank > graph.cells[result].rank && graph.getBytes(operand) == graph.getBytes(result);
}

void FusionPlan::findRoles() {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    FusionRole role = findRole(graph, op);
    roles.push_back(role == FusionRole::Reduction && isReshape(graph, op) ? FusionRole::Movement : role);
  }
}

/// A reduction over the innermost dims of one operand, of at most maxRowSize elements.
bool FusionPlan::isRowReduction(OpId op) const {
  CellId operand = graph.getOperands(op).empty() ? CellId() : graph.getOperands(op)[0];
  if (!operand.isValid())
    return false;
  llvm::SmallVector<bool, 8> isReduced(graph.cells[operand].rank, false);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce)
      isReduced[entry.dim] = true;
  int64_t size = 1;
  DimOrder dims(orders.getOrder(operand));
  if (dims.empty())
    dims = listLongDims(graph, operand);
  for (; !dims.empty() && isReduced[dims.back()]; dims.pop_back())
    size *= graph.getShape(operand)[dims.back()];
  return size > 1 && size <= maxRowSize && llvm::none_of(dims, [&](uint8_t dim) { return isReduced[dim]; });
}

static int64_t countElements(const Graph &graph, CellId cell) {
  int64_t count = 1;
  for (int64_t size : graph.getShape(cell))
    count *= size;
  return count;
}

/// Whether the kernel of this root computes as many elements as the reduction reads: a softmax or a norm.
bool FusionPlan::isWide(OpId root, OpId reduction) const {
  return countElements(graph, graph.getResults(root)[0]) >= countElements(graph, graph.getOperands(reduction)[0]);
}

bool FusionPlan::isProducer(OpId op) const {
  if (graph.ops[op].numDefinitions != 1 || graph.cells[graph.getResults(op)[0]].kind != CellKind::OpResult)
    return false;
  switch (roles[op]) {
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Constant:
    return true;
  case FusionRole::Reduction:
    return isRowReduction(op);
  case FusionRole::Alone:
  case FusionRole::Update:
  case FusionRole::Identity:
    return false;
  }
  return false;
}

bool FusionPlan::isConsumer(UseId use) const {
  OpId op = topology.getUser(use);
  switch (roles[op]) {
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Reduction:
    return true;
  case FusionRole::Update:
    return use.get() != graph.ops[op].firstUse;
  case FusionRole::Alone:
  case FusionRole::Constant:
  case FusionRole::Identity:
    return false;
  }
  return false;
}

/// Whether computing the op at each use moves no more bytes than writing its result once and reading it: (k - 1) in <=
/// (k + 1) out for k uses. Counts uses, not kernels, so that the result is the same in every layer.
bool FusionPlan::isWorthCopying(OpId op) const {
  CellId result = graph.getResults(op)[0];
  int64_t numUses = static_cast<int64_t>(topology.getUses(result).size());
  return (numUses - 1) * computeInputBytes(op) <= (numUses + 1) * graph.getBytes(result);
}

/// Computing it twice takes longer than reading it.
bool FusionPlan::isSlow(OpId op) const {
  return graph.ops[op].kind == OpKind::SlowFunction && !isLight(graph.getResults(op)[0]);
}

/// Whether a slow function takes the cell in 16 bits. It computes in 32, and the code that XLA spells out for it (erfc
/// of a GELU) uses its operand many times, so the operand is computed once.
bool FusionPlan::isSpeltOut(CellId cell) const {
  return graph.cells[cell].elementBits == 16 && llvm::any_of(topology.getUses(cell), [&](UseId use) {
           const Op &user = graph.ops[topology.getUser(use)];
           return user.kind == OpKind::SlowFunction && user.numUses == 1 &&
                  !isLight(graph.getResults(topology.getUser(use))[0]);
         });
}

/// Whether the op may be computed in several kernels. An op of several operands may not if its users are such ops, too:
/// a sum that runs through all layers would be computed again from its beginning. Neither may the first addition of
/// such a sum if it begins with something light.
bool FusionPlan::isCheap(OpId op) const {
  CellId cell = graph.getResults(op)[0];
  if (roles[op] == FusionRole::Reduction || transposed[cell] != 0 || isSlow(op) || isSpeltOut(cell))
    return false;
  bool widens = isWidening(op), isFirst = isSum(op);
  auto mayRecur = [&](UseId use) {
    OpId user = topology.getUser(use);
    bool isComparison = graph.ops[user].kind == OpKind::Compare;
    return isProducer(user) && roles[user] != FusionRole::Reduction && !isComparison && !isWidening(user) &&
           (!widens || isSum(user));
  };
  if (widens && !isFirst)
    return true;
  return (widens || isWorthCopying(op)) && llvm::none_of(topology.getUses(cell), mayRecur);
}

bool FusionPlan::isWidening(OpId op) const {
  std::optional<CellId> only = findOnlyOperand(op);
  bool readsPart = roles[op] == FusionRole::Slice;
  return only && (!only->isValid() || readsPart || footprints[*only] <= graph.getBytes(graph.getResults(op)[0]));
}

/// x + scatter(zeros, indices, updates) is scatter(x, indices, updates).
void FusionPlan::findFilled() {
  kernelOps.resize(graph.uses.size());
  fillers.resize(graph.uses.size());
  bufferPasses.resize(graph.ops.size(), 0);
  hasOwnBuffer.resize(graph.ops.size(), 0);
  for (OpId scatter : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[scatter];
    if (info.kind != OpKind::Scatter || info.numDefinitions != 1 || info.numUses != 3 ||
        !topology.isZero(graph.getOperands(scatter)[0]))
      continue;
    CellId scattered = graph.getResults(scatter)[0];
    llvm::ArrayRef<UseId> uses = topology.getUses(scattered);
    OpId sum = uses.size() == 1 ? topology.getUser(uses[0]) : OpId();
    if (!sum.isValid() || graph.ops[sum].kind != OpKind::Add || graph.ops[sum].region != info.region)
      continue;
    UseId other(graph.ops[sum].firstUse + (uses[0].get() == graph.ops[sum].firstUse ? 1 : 0));
    OpId definition = topology.getDefinition(graph.uses[other]);
    if (!definition.isValid() || definition > scatter || isLight(graph.uses[other]) ||
        graph.ops[definition].region != info.region)
      continue;
    if (!isProducer(definition)) {
      if (graph.cells[graph.uses[other]].kind == CellKind::OpResult)
        fillers[other] = scatter;
      continue;
    }
    kernelOps[other] = scatter;
    bufferPasses[scatter] = 1;
  }
}

/// Whether something is added to a scatter into zeros, and nothing is computed from the sum in one kernel with it: then
/// the other summand is written to the buffer of the sum, and the scatter works in it.
bool FusionPlan::isAddedLast(OpId scatter) const {
  llvm::ArrayRef<UseId> uses = topology.getUses(graph.getResults(scatter)[0]);
  OpId sum = uses.size() == 1 ? topology.getUser(uses[0]) : OpId();
  return sum.isValid() && topology.isZero(graph.getOperands(scatter)[0]) && graph.ops[sum].kind == OpKind::Add &&
         graph.ops[sum].region == graph.ops[scatter].region &&
         llvm::none_of(topology.getUses(graph.getResults(sum)[0]), [&](UseId use) { return isConsumer(use); });
}

/// Constants are written to a buffer before it is updated; an argument that is not donated is copied.
void FusionPlan::findBufferPasses() {
  IdVector<CellId, uint8_t> isKept(graph.cells.size(), 0);
  for (CellId cell : graph.arguments)
    isKept[cell] = 1;
  for (CellId cell : graph.donated)
    isKept[cell] = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    bool isScatter = info.kind == OpKind::Scatter && info.numUses >= 3;
    if (info.numDefinitions != 1 || (roles[op] != FusionRole::Update && !isScatter) || bufferPasses[op] != 0)
      continue;
    CellId buffer = graph.getOperands(op)[0];
    if (isScatter && isAddedLast(op))
      continue;
    bufferPasses[op] = isKept[buffer] ? 2 : isFree(buffer) || isConstant(buffer) ? 1 : 0;
    hasOwnBuffer[op] = bufferPasses[op] != 0;
  }
}

/// Whether the user reads few elements of the cell: those of a label among the logits.
bool FusionPlan::takesPart(UseId use) const {
  OpId op = topology.getUser(use);
  return roles[op] == FusionRole::Slice && use.get() == graph.ops[op].firstUse &&
         graph.getBytes(graph.getResults(op)[0]) * minSpread <= graph.getBytes(graph.uses[use]);
}

void FusionPlan::findKernels(const Multiplicity &multiplicity) {
  fused.resize(graph.cells.size(), 0);
  for (OpId scatter : fillers.raw())
    if (scatter.isValid())
      fused[graph.getResults(scatter)[0]] = 1;
  kernels.resize(graph.ops.size());
  allKernels.resize(graph.ops.size());
  elementwise.resize(graph.ops.size(), 0);
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId op(number);
    kernels[op] = op;
    elementwise[op] = roles[op] == FusionRole::Elementwise;
    llvm::SmallVector<KernelCopies, 4> found;
    // The number of kernels of the whole program in which the op would run.
    int64_t numCopies = 0;
    bool mayFuse = isProducer(op), isElementwise = elementwise[op];
    llvm::ArrayRef<UseId> uses = mayFuse ? topology.getUses(graph.getResults(op)[0]) : llvm::ArrayRef<UseId>();
    for (UseId use : uses) {
      OpId user = getKernelOp(use);
      if (!isConsumer(use) || graph.ops[user].region != graph.ops[op].region || numCopies > maxCopies) {
        mayFuse = false;
        break;
      }
      isElementwise &= elementwise[user] != 0;
      for (const KernelCopies &kernel : allKernels[user]) {
        int64_t count = kernel.count * multiplicity.getNumUsers(op, topology.getUser(use));
        auto *known = llvm::find_if(found, [&](const KernelCopies &other) { return other.root == kernel.root; });
        if (known == found.end())
          known = found.insert(found.end(), {kernel.root, 0, true});
        numCopies += std::max<int64_t>(0, count - known->count);
        known->count = std::max(known->count, count);
        known->isPart &= kernel.isPart || takesPart(use);
      }
    }
    if (mayFuse && roles[op] == FusionRole::Reduction && numCopies == 1)
      mayFuse = isWide(found.front().root, op);
    if (mayFuse && (numCopies == 1 || (numCopies > 0 && numCopies <= maxCopies && isCheap(op)))) {
      fused[graph.getResults(op)[0]] = 1;
      kernels[op] = llvm::max_element(found, [](const auto &a, const auto &b) { return a.root < b.root; })->root;
      elementwise[op] = isElementwise && numCopies == 1;
    } else {
      found.assign({{op}});
    }
    allKernels[op].assign(found.begin(), found.end());
  }
  // A reshape that would be a kernel of its own, of a value whose dims lie in memory as they are written (or in the
  // order that its result has, too), is the same buffer under another shape.
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].kind != OpKind::Reshape || !isProducer(op))
      continue;
    CellId operand = graph.getOperands(op)[0], result = graph.getResults(op)[0];
    bool isInOrder = orders.getOrder(operand).empty() || !orders.getOrder(result).empty();
    if (isInOrder && !isFused(result) && !isFused(operand) && !isFree(operand))
      roles[op] = FusionRole::Identity;
  }
}

llvm::SmallVector<OpId, 4> FusionPlan::listKernels(OpId op) const {
  llvm::SmallVector<OpId, 4> roots;
  for (const KernelCopies &kernel : allKernels[op])
    if (!kernel.isPart)
      roots.push_back(kernel.root);
  return roots;
}

/// Marks the kernels that spread a value that is computed from reduced ones alone.
void FusionPlan::findCombining() {
  combining.resize(graph.ops.size(), 0);
  IdVector<CellId, uint8_t> isReduced(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    FusionRole role = roles[op];
    bool computes = role == FusionRole::Elementwise || role == FusionRole::Movement;
    if (graph.ops[op].numDefinitions != 1 || (role != FusionRole::Reduction && !computes))
      continue;
    CellId result = graph.getResults(op)[0];
    auto takesReduced = [&](CellId cell) { return isReduced[cell] != 0; };
    auto isFreeOrReduced = [&](CellId cell) { return isReduced[cell] != 0 || isFree(cell) || isConstant(cell); };
    llvm::ArrayRef<CellId> operands = graph.getOperands(op);
    bool isOfReduced = computes && llvm::any_of(operands, takesReduced) && llvm::all_of(operands, isFreeOrReduced);
    bool isSpread = isOfReduced && graph.getBytes(operands[0]) * minSpread <= graph.getBytes(result);
    isReduced[result] = role == FusionRole::Reduction || (isOfReduced && !isSpread);
    if (isSpread)
      for (const KernelCopies &kernel : allKernels[op])
        combining[kernel.root] = 1;
  }
}

/// Ops that are looked at before two kernels are taken to depend on each other in other ways.
static constexpr uint32_t maxJoinedOps = 64;

/// Whether every way from the root's result to the later root stays in the later root's kernel.
bool FusionPlan::mayJoin(OpId root, OpId later) const {
  llvm::SmallVector<OpId, maxJoinedOps> found = {later};
  for (uint32_t next = 0; next < found.size(); ++next) {
    auto isLater = [&](const KernelCopies &kernel) { return kernel.root == later; };
    bool isInside = llvm::any_of(allKernels[found[next]], isLater);
    for (CellId operand : graph.getOperands(found[next])) {
      const Cell &cell = graph.cells[operand];
      if (cell.kind != CellKind::OpResult && cell.kind != CellKind::Argument && cell.region != graph.ops[root].region)
        return false;
      OpId definition = cell.kind == CellKind::OpResult ? topology.getDefinition(operand) : OpId();
      if (!definition.isValid() || definition < root || llvm::is_contained(found, definition))
        continue;
      if (definition != root)
        found.push_back(definition);
      else if (!isInside)
        return false;
      if (found.size() > maxJoinedOps)
        return false;
    }
  }
  return true;
}

void FusionPlan::findJoined() {
  joined.resize(graph.ops.size());
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId root(number);
    joined[root] = root;
    if (roles[root] != FusionRole::Elementwise || kernels[root] != root || graph.ops[root].numDefinitions != 1)
      continue;
    CellId cell = graph.getResults(root)[0];
    for (UseId use : topology.getUses(cell)) {
      OpId later = kernels[topology.getUser(use)];
      bool isElementwise = roles[later] == FusionRole::Elementwise && isElementwiseToRoot(topology.getUser(use));
      if (isElementwise && graph.ops[later].region == graph.ops[root].region &&
          graph.getShape(graph.getResults(later)[0]) == graph.getShape(cell) && mayJoin(root, later)) {
        joined[root] = joined[later];
        break;
      }
    }
  }
}

void FusionPlan::findReads() {
  reads.resize(graph.uses.size(), 0);
  sparedReads.resize(graph.uses.size(), 0);
  IdVector<OpId, CellId> lastReader(graph.ops.size());
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    if (topology.getRepresentative(cell) != cell)
      continue;
    for (UseId use : topology.getUses(cell)) {
      OpId op = topology.getUser(use);
      if (roles[op] == FusionRole::Alone || roles[op] == FusionRole::Identity || isConstant(cell))
        continue;
      OpId definition = graph.cells[cell].kind == CellKind::OpResult ? topology.getDefinition(cell) : OpId();
      for (const KernelCopies &kernel : allKernels[op]) {
        OpId reader = joined[kernel.root];
        if (kernel.isPart || std::exchange(lastReader[reader], cell) == cell)
          continue;
        bool isInside = definition.isValid() && !isFused(cell) && joined[definition] == reader;
        (isInside ? sparedReads : reads)[use] += kernel.count;
      }
    }
  }
}

} // namespace partita::cost
