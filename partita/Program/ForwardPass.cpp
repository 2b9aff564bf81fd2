//===- ForwardPass.cpp - which results the forward pass computes ----------===//

#include "partita/Program/ForwardPass.h"

#include "partita/Graph/LinkedDims.h"
#include "partita/Program/StateFlow.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace partita::program {

namespace {

/// A state and the sources of its next value.
struct State {
  CellId argument;
  std::vector<OpId> sources;
};

class ForwardFinder {
public:
  ForwardFinder(const Graph &graph, const Neighbors &neighbors)
      : graph(graph), neighbors(neighbors), classes(graph), borderForms(graph), isTied(graph.cells.size(), 0),
        endsStep(graph.ops.size(), 0), steppedIn(graph.cells.size()), seenBy(graph.ops.size(), 0) {
    for (const Tie &tie : graph.ties)
      isTied[tie.result] = 1;
    for (CellId result : graph.results)
      if (!isTied[result])
        untied.push_back(result);
  }

  std::optional<IdVector<OpId, uint8_t>> run();

private:
  void findStates();
  void findSources(State &state, CellId result);
  bool hasBatchDims(CellId cell) const { return hasBatch && classes.anyIn(cell, isBatchClass); }
  bool isSource(OpId op) const;
  bool passesOn(OpId op) const;
  bool sumsOverBatch(OpId op) const;
  bool readsData(CellId result, llvm::ArrayRef<size_t> trained) const;
  bool isFed() const;
  bool isInside(OpId op, RegionId region) const;
  bool reads(OpId reader, OpId definer, CellId cell) const;
  void findDependences();
  IdVector<OpId, uint64_t> findAncestors(llvm::ArrayRef<CellId> results) const;
  /// The ops that these ops depend on, and these themselves.
  IdVector<OpId, uint8_t> findAncestorsOfAll(llvm::ArrayRef<OpId> ops) const;
  IdVector<OpId, uint8_t> findDescendants(llvm::ArrayRef<OpId> ops) const;
  bool dependsOn(const IdVector<OpId, uint8_t> &ops, CellId result) const;
  llvm::SmallVector<OpId> findYields(const Tie &tie) const;
  std::vector<Tie> findUpdated() const;
  void dropCarried(std::vector<Tie> &updated) const;
  std::vector<uint8_t> findFirstOfIntegers() const;
  bool isRunOfSteps(RegionId loop, llvm::ArrayRef<Tie> updated, llvm::ArrayRef<Tie> carried) const;
  void findSteps(llvm::ArrayRef<Tie> updated);
  void addReshaped(std::vector<uint8_t> &isStateClass) const;
  /// `trained` are indices into `states`.
  IdVector<OpId, uint8_t> findAfterProducts(llvm::ArrayRef<size_t> trained) const;
  IdVector<OpId, uint8_t> findWithLoss(llvm::ArrayRef<size_t> trained);
  IdVector<OpId, uint8_t> findWithoutLoss() const;

  const Graph &graph;
  const Neighbors &neighbors;
  LinkedDims classes;
  BorderForms borderForms;
  IdVector<CellId, uint8_t> isTied;
  llvm::SmallVector<CellId> untied;
  std::vector<State> states;
  /// By class. Without any batch dims, elementwise ops are followed instead of values without batch dims.
  std::vector<uint8_t> isBatchClass;
  bool hasBatch = true;
  /// For each op, whether it carries a state to the next step of a loop; and for each cell, the body of the loop that
  /// carries it so.
  IdVector<OpId, uint8_t> endsStep;
  IdVector<CellId, RegionId> steppedIn;
  /// The number of the last walk that reached each op.
  IdVector<OpId, uint32_t> seenBy;
  uint32_t numWalks = 0;
  /// For each op, whether it depends on values with batch dims.
  IdVector<OpId, uint8_t> afterBatch;
  /// For each untied result: whether it depends on the state, and on all of its sources; by state.
  std::vector<std::vector<std::pair<uint8_t, uint8_t>>> dependences;
};

} // namespace

static bool isScalar(const Graph &graph, CellId cell) {
  return llvm::all_of(graph.getShape(cell), [](int64_t size) { return size == 1; });
}

bool ForwardFinder::passesOn(OpId op) const {
  const Op &entry = graph.ops[op];
  if (hasBatch)
    return true;
  bool isStack = entry.kind == OpKind::DynamicUpdateSlice;
  return entry.opClass == OpClass::Elementwise || entry.opClass == OpClass::Identity ||
         entry.opClass == OpClass::Movement || isStack;
}

bool ForwardFinder::isSource(OpId op) const {
  if (graph.ops[op].numUses == 0)
    return false;
  // What a mask selects, such as the terms of stages that are idle, is no function of the mask's dims.
  auto hasDims = [&](CellId cell) { return graph.cells[cell].elementBits > 1 && hasBatchDims(cell); };
  // A reshape loses sight of the minor dims that it joins.
  if (graph.ops[op].kind == OpKind::Reshape)
    return false;
  return !passesOn(op) || llvm::any_of(graph.getOperands(op), hasDims);
}

bool ForwardFinder::sumsOverBatch(OpId op) const {
  return llvm::any_of(graph.getDimFactors(op), [&](const DimFactor &entry) {
    return entry.value < graph.ops[op].numUses && graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce &&
           isBatchClass[classes.get(graph.getOperands(op)[entry.value], entry.dim)];
  });
}

bool ForwardFinder::isInside(OpId op, RegionId region) const {
  for (RegionId outer = graph.ops[op].region; outer.isValid(); outer = graph.regions[outer].parent)
    if (outer == region)
      return true;
  return false;
}

/// Whether a reader of the cell reads what `definer` gives. In a loop of steps it is what entered the step; behind the
/// loop it is what the last step gave.
bool ForwardFinder::reads(OpId reader, OpId definer, CellId cell) const {
  RegionId body = steppedIn[cell];
  return !body.isValid() || (endsStep[definer] != 0) != isInside(reader, body);
}

/// Whether there is anything to learn from: an argument that is not tied, a count or key, or large constants. Nothing
/// is trained by a step that takes fields alone and gives them back.
bool ForwardFinder::isFed() const {
  constexpr int64_t fewBytes = 1024;
  std::vector<uint8_t> isState(graph.cells.size(), 0);
  for (const Tie &tie : graph.ties)
    isState[tie.argument.get()] = isFloat(graph, tie.argument);
  if (llvm::any_of(graph.arguments, [&](CellId cell) { return !isState[cell.get()] && !isScalar(graph, cell); }) ||
      llvm::any_of(graph.arguments, [&](CellId cell) { return !isFloat(graph, cell); }))
    return true;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].kind == OpKind::Constant && graph.ops[op].linearity != Linearity::Zero &&
        graph.getBytes(graph.getResults(op).front()) >= fewBytes)
      return true;
  return false;
}

void ForwardFinder::findSources(State &state, CellId result) {
  constexpr size_t maxOps = 8192;
  size_t numOps = 0;
  llvm::SmallVector<CellId> todo{result};
  ++numWalks;
  while (!todo.empty() && numOps < maxOps) {
    CellId cell = todo.pop_back_val();
    for (OpId op : neighbors.definers[cell]) {
      if (std::exchange(seenBy[op], numWalks) == numWalks)
        continue;
      ++numOps;
      if (CellId source = borderForms.getSource(op); source.isValid())
        todo.push_back(source);
      else if (isExchangeOfRows(graph, op))
        todo.push_back(graph.getOperands(op).front());
      else if (isSource(op))
        state.sources.push_back(op);
      else
        // Scalars are factors of all gradients: a rate, a norm.
        llvm::copy_if(graph.getOperands(op), std::back_inserter(todo),
                      [&](CellId operand) { return !isScalar(graph, operand); });
    }
  }
}

/// If the result is a value that a loop carries, and that enters it as the argument, what the loop yields for it.
llvm::SmallVector<OpId> ForwardFinder::findYields(const Tie &tie) const {
  llvm::SmallVector<CellId> cells{tie.result};
  llvm::SmallVector<OpId> yields;
  bool isArgument = false;
  constexpr size_t maxCells = 256;
  for (size_t i = 0; i < cells.size() && i < maxCells; ++i)
    for (OpId op : neighbors.definers[cells[i]]) {
      if (graph.ops[op].opClass != OpClass::Identity)
        continue;
      if (graph.ops[op].role == IdentityRole::Yield)
        yields.push_back(op);
      for (CellId operand : graph.getOperands(op))
        if (!llvm::is_contained(cells, operand))
          cells.push_back(operand);
      isArgument |= llvm::is_contained(graph.getOperands(op), tie.argument);
    }
  return isArgument ? yields : llvm::SmallVector<OpId>();
}

/// The ties of floats whose results are computed from their arguments element by element.
std::vector<Tie> ForwardFinder::findUpdated() const {
  StateFlow flow(graph, neighbors);
  std::vector<Tie> updated;
  for (const Tie &tie : graph.ties) {
    if (!isFloat(graph, tie.argument) || isScalar(graph, tie.argument))
      continue;
    StateSources from = flow.findSources(tie.result);
    bool isCast = from.arguments.empty() && from.hasOthers && !from.casts.empty();
    bool isUpdated =
        llvm::is_contained(from.arguments, tie.argument) && !llvm::is_contained(from.written, tie.argument);
    if (isCast || isUpdated)
      updated.push_back(tie);
  }
  return updated;
}

/// The classes of the first dims of integers that are fed, such as tokens: those of the batch.
std::vector<uint8_t> ForwardFinder::findFirstOfIntegers() const {
  std::vector<uint8_t> isFirst(classes.size(), 0);
  for (CellId cell : graph.arguments) {
    llvm::StringRef element = graph.getName(graph.cells[cell].element);
    bool isFed = llvm::none_of(graph.ties, [&](const Tie &tie) { return tie.argument == cell; });
    if (isFed && (element == "i32" || element == "i64") && graph.cells[cell].rank > 0 && graph.getShape(cell)[0] > 1)
      isFirst[classes.get(cell, 0)] = 1;
  }
  return isFirst;
}

/// What a network carries from batch to batch, such as the last state of an LSTM, has the batch's dim: the first dim of
/// most arguments that are not tied. It is small beside what is trained, if anything is. A recurrence that decodes
/// carries nothing else.
void ForwardFinder::dropCarried(std::vector<Tie> &updated) const {
  std::vector<uint8_t> isOfIntegers = findFirstOfIntegers();
  if (llvm::all_of(updated, [&](const Tie &tie) { return classes.anyIn(tie.argument, isOfIntegers); }))
    return updated.clear();
  llvm::MapVector<DimClass, unsigned> counts;
  for (CellId cell : graph.arguments)
    if (!llvm::any_of(graph.ties, [&](const Tie &tie) { return tie.argument == cell; }))
      if (llvm::ArrayRef<int64_t> shape = graph.getShape(cell); !shape.empty() && shape.front() > 1)
        ++counts[classes.get(cell, 0)];
  if (counts.empty())
    return;
  std::vector<uint8_t> isFirst(classes.size(), 0);
  isFirst[llvm::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; })->first] = 1;
  int64_t bytes = 0, carriedBytes = 0;
  auto isCarried = [&](const Tie &tie) { return classes.anyIn(tie.argument, isFirst); };
  for (const Tie &tie : updated) {
    bytes += graph.getBytes(tie.argument);
    carriedBytes += isCarried(tie) ? graph.getBytes(tie.argument) : 0;
  }
  constexpr int64_t smallPart = 10;
  if (carriedBytes * smallPart < bytes)
    llvm::erase_if(updated, isCarried);
}

/// Whether a loop that carries these states runs several steps: they are most of the state that it reads. What a
/// network carries along a sequence is small beside its weights.
bool ForwardFinder::isRunOfSteps(RegionId loop, llvm::ArrayRef<Tie> updated, llvm::ArrayRef<Tie> carried) const {
  int64_t carriedBytes = 0, readBytes = 0;
  for (const Tie &tie : carried)
    carriedBytes += graph.getBytes(tie.argument);
  for (const Tie &tie : updated)
    if (!llvm::is_contained(carried, tie) &&
        llvm::any_of(neighbors.users[tie.argument], [&](OpId op) { return isInside(op, loop); }))
      readBytes += graph.getBytes(tie.argument);
  return carriedBytes > readBytes;
}

void ForwardFinder::findSteps(llvm::ArrayRef<Tie> updated) {
  struct Loop {
    std::vector<Tie> carried;
    std::vector<OpId> yields;
  };
  std::map<uint32_t, Loop> loops;
  for (const Tie &tie : updated)
    for (OpId yield : findYields(tie)) {
      Loop &loop = loops[graph.ops[yield].region.get()];
      loop.carried.push_back(tie);
      loop.yields.push_back(yield);
    }
  for (const auto &[region, loop] : loops)
    if (isRunOfSteps(RegionId(region), updated, loop.carried))
      for (OpId yield : loop.yields) {
        endsStep[yield] = 1;
        steppedIn[graph.getResults(yield).front()] = RegionId(region);
      }
}

/// A reshape of a value without batch dims has none, such as that of layers to layers of each stage.
void ForwardFinder::addReshaped(std::vector<uint8_t> &isStateClass) const {
  auto isOfState = [&](CellId cell) {
    return llvm::all_of(llvm::enumerate(graph.getShape(cell)), [&](auto entry) {
      return entry.value() <= 1 || isStateClass[classes.get(cell, static_cast<uint32_t>(entry.index()))];
    });
  };
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].kind != OpKind::Reshape)
      continue;
    CellId operand = graph.getOperands(op)[0], result = graph.getResults(op)[0];
    if (isScalar(graph, operand))
      continue;
    if (isOfState(operand))
      classes.add(result, isStateClass);
    else if (isOfState(result))
      classes.add(operand, isStateClass);
  }
}

void ForwardFinder::findStates() {
  std::vector<Tie> updated = findUpdated();
  dropCarried(updated);
  std::vector<uint8_t> isStateClass(classes.size(), 0);
  for (const Tie &tie : updated) {
    classes.add(tie.argument, isStateClass);
    classes.add(tie.result, isStateClass);
  }
  addReshaped(isStateClass);
  findSteps(updated);
  for (uint8_t isState : isStateClass)
    isBatchClass.push_back(!isState);
  for (bool withBatch : {true, false}) {
    hasBatch = withBatch;
    states.clear();
    for (const Tie &tie : updated) {
      states.push_back({tie.argument, {}});
      findSources(states.back(), tie.result);
    }
    if (llvm::any_of(states, [](const State &state) { return !state.sources.empty(); }))
      break;
  }
  llvm::erase_if(states, [](const State &state) { return state.sources.empty(); });
}

/// For each op, which of the results depend on it: bit i for results[i], of which there are at most 64. Loops make it
/// necessary to go over the program until nothing changes.
IdVector<OpId, uint64_t> ForwardFinder::findAncestors(llvm::ArrayRef<CellId> results) const {
  // What reads a cell in a loop of steps, and what reads it behind the loop.
  IdVector<CellId, uint64_t> ofCell(graph.cells.size(), 0), behind(graph.cells.size(), 0);
  IdVector<OpId, uint64_t> ofOp(graph.ops.size(), 0);
  for (auto [index, result] : llvm::enumerate(results))
    ofCell[result] |= uint64_t(1) << index;
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (uint32_t index = graph.ops.size(); index-- > 0;) {
      OpId op(index);
      uint64_t mask = 0;
      for (CellId cell : graph.getResults(op))
        mask |= endsStep[op] ? behind[cell] : ofCell[cell];
      if (mask == ofOp[op])
        continue;
      ofOp[op] = mask;
      isChanged = true;
      for (CellId cell : graph.getOperands(op)) {
        RegionId body = steppedIn[cell];
        (body.isValid() && !isInside(op, body) ? behind : ofCell)[cell] |= mask;
      }
    }
  return ofOp;
}

void ForwardFinder::findDependences() {
  dependences.assign(untied.size(), {});
  for (size_t first = 0; first < untied.size(); first += 64) {
    size_t count = std::min<size_t>(64, untied.size() - first);
    IdVector<OpId, uint64_t> masks = findAncestors(llvm::ArrayRef(untied).slice(first, count));
    for (const State &state : states) {
      uint64_t reading = 0, derived = ~uint64_t(0);
      for (OpId op : neighbors.users[state.argument])
        reading |= masks[op];
      for (OpId op : state.sources)
        derived &= masks[op];
      for (size_t i = 0; i < count; ++i)
        dependences[first + i].push_back({reading >> i & 1, derived >> i & 1});
    }
  }
}

IdVector<OpId, uint8_t> ForwardFinder::findDescendants(llvm::ArrayRef<OpId> ops) const {
  IdVector<OpId, uint8_t> isReached(graph.ops.size(), 0);
  llvm::SmallVector<OpId> todo(ops);
  for (OpId op : ops)
    isReached[op] = 1;
  while (!todo.empty()) {
    OpId op = todo.pop_back_val();
    for (CellId cell : graph.getResults(op))
      for (OpId user : neighbors.users[cell])
        if (reads(user, op, cell) && !std::exchange(isReached[user], 1))
          todo.push_back(user);
  }
  return isReached;
}

IdVector<OpId, uint8_t> ForwardFinder::findAncestorsOfAll(llvm::ArrayRef<OpId> ops) const {
  IdVector<OpId, uint8_t> isReached(graph.ops.size(), 0);
  llvm::SmallVector<OpId> todo(ops);
  for (OpId op : ops)
    isReached[op] = 1;
  while (!todo.empty()) {
    OpId op = todo.pop_back_val();
    for (CellId cell : graph.getOperands(op))
      for (OpId definer : neighbors.definers[cell])
        if (reads(op, definer, cell) && !std::exchange(isReached[definer], 1))
          todo.push_back(definer);
  }
  return isReached;
}

bool ForwardFinder::dependsOn(const IdVector<OpId, uint8_t> &ops, CellId result) const {
  return llvm::any_of(neighbors.definers[result], [&](OpId op) { return ops[op] != 0; });
}

/// What depends on products with trained states: what a network computes, such as the next state of an environment.
IdVector<OpId, uint8_t> ForwardFinder::findAfterProducts(llvm::ArrayRef<size_t> trained) const {
  llvm::SmallVector<OpId> readers, products;
  for (size_t state : trained)
    llvm::append_range(readers, neighbors.users[states[state].argument]);
  IdVector<OpId, uint8_t> isAfter = findDescendants(readers);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (isAfter[op] && graph.ops[op].opClass == OpClass::Contraction)
      products.push_back(op);
  return findDescendants(products);
}

IdVector<OpId, uint8_t> ForwardFinder::findWithLoss(llvm::ArrayRef<size_t> trained) {
  llvm::SmallVector<OpId> results;
  auto addResult = [&](CellId cell) { llvm::append_range(results, neighbors.definers[cell]); };
  std::vector<uint8_t> isTrained(states.size(), 0);
  for (size_t state : trained)
    isTrained[state] = 1;
  for (auto [index, result] : llvm::enumerate(untied)) {
    bool isOfGradients = false;
    for (auto [state, depends] : llvm::enumerate(dependences[index]))
      isOfGradients |= depends.second && isTrained[state];
    if (!isOfGradients && (!isFloat(graph, result) || dependsOn(afterBatch, result)))
      addResult(result);
  }
  // Statistics of the forward pass may be factors of a gradient.
  IdVector<OpId, uint8_t> isForward = findAncestorsOfAll(results);
  llvm::SmallVector<OpId> sources;
  for (size_t state : trained)
    llvm::copy_if(states[state].sources, std::back_inserter(sources), [&](OpId op) { return !isForward[op]; });
  IdVector<OpId, uint8_t> afterSources = findDescendants(sources);
  IdVector<OpId, uint8_t> afterProducts = findAfterProducts(trained);
  for (const Tie &tie : graph.ties)
    if (hasBatch && !isScalar(graph, tie.result) && !dependsOn(afterSources, tie.result) &&
        (dependsOn(afterBatch, tie.result) || dependsOn(afterProducts, tie.result)))
      addResult(tie.result);
  return findAncestorsOfAll(results);
}

/// In the order of the program, gradients come after all that they are made from.
IdVector<OpId, uint8_t> ForwardFinder::findWithoutLoss() const {
  llvm::SmallVector<OpId> sources;
  uint32_t first = graph.ops.size();
  for (const State &state : states)
    for (OpId op : state.sources) {
      first = std::min(first, op.get());
      sources.push_back(op);
    }
  IdVector<OpId, uint8_t> isForward = findAncestorsOfAll(sources);
  for (uint32_t index = first; index < graph.ops.size(); ++index)
    isForward[OpId(index)] = 0;
  return isForward;
}

/// Whether the result depends on all arrays that are fed to gradients of these states. A loss does, or else it is a
/// statistic of the states.
bool ForwardFinder::readsData(CellId result, llvm::ArrayRef<size_t> trained) const {
  llvm::SmallVector<OpId> sources;
  for (size_t state : trained)
    llvm::append_range(sources, states[state].sources);
  IdVector<OpId, uint8_t> ofGradients = findAncestorsOfAll(sources),
                          ofResult = findAncestorsOfAll(neighbors.definers[result]);
  return llvm::all_of(graph.arguments, [&](CellId cell) {
    auto isReadBy = [&](const IdVector<OpId, uint8_t> &ops) {
      return llvm::any_of(neighbors.users[cell], [&](OpId op) { return ops[op] != 0; });
    };
    bool isFed =
        !isScalar(graph, cell) && llvm::none_of(graph.ties, [&](const Tie &tie) { return tie.argument == cell; });
    return !isFed || !isReadBy(ofGradients) || isReadBy(ofResult);
  });
}

std::optional<IdVector<OpId, uint8_t>> ForwardFinder::run() {
  if (!isFed())
    return std::nullopt;
  findStates();
  if (states.empty())
    return std::nullopt;
  llvm::SmallVector<OpId> ofBatch;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (!hasBatch || (!borderForms.isPart(op) &&
                      (llvm::any_of(graph.getResults(op), [&](CellId cell) { return hasBatchDims(cell); }) ||
                       llvm::any_of(graph.getOperands(op), [&](CellId cell) { return hasBatchDims(cell); }))))
      ofBatch.push_back(op);
  afterBatch = findDescendants(ofBatch);
  findDependences();
  // The states that each result trains.
  llvm::SmallVector<size_t> trained;
  int64_t mostBytes = 0;
  for (size_t index = 0; index < untied.size(); ++index) {
    if (!dependsOn(afterBatch, untied[index]))
      continue;
    llvm::SmallVector<size_t> own;
    int64_t bytes = 0;
    for (auto [state, depends] : llvm::enumerate(dependences[index]))
      if (depends.first && !depends.second) {
        own.push_back(state);
        bytes += graph.getBytes(states[state].argument);
      }
    bool mayBeStatistic = !isScalar(graph, untied[index]) && !hasBatchDims(untied[index]);
    if (bytes > mostBytes && (!mayBeStatistic || readsData(untied[index], own)))
      mostBytes = bytes, trained = std::move(own);
  }
  if (mostBytes > 0)
    return findWithLoss(trained);
  bool hasArrays = llvm::any_of(untied, [&](CellId cell) { return !isScalar(graph, cell); });
  // What differences of neighbours change is no gradient: nothing is summed over the batch.
  bool hasSums = llvm::any_of(states, [&](const State &state) {
    return llvm::any_of(state.sources, [&](OpId op) { return sumsOverBatch(op); });
  });
  return hasBatch && hasSums && !hasArrays ? std::optional(findWithoutLoss()) : std::nullopt;
}

std::optional<IdVector<OpId, uint8_t>> findForwardPass(const Graph &graph, const Neighbors &neighbors) {
  return ForwardFinder(graph, neighbors).run();
}

} // namespace partita::program
