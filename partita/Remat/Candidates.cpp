//===- Candidates.cpp - classes with the values that they stand for -------===//

#include "partita/Remat/Candidates.h"

#include "partita/Graph/Paths.h"
#include "partita/Graph/Places.h"
#include "partita/Program/Names.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::remat {

namespace {

class CandidateFinder {
public:
  explicit CandidateFinder(RematProgram &program) : program(program), index(program.index) {}

  void run();

private:
  // In loops.
  void addStacks(size_t pair);
  void addRecomputedInLoop(size_t pair);

  // In straight code.
  void addCrossing(size_t code);
  void addRecomputedInCode(size_t code);
  void add(RematCandidate candidate);
  RematCandidate makeClass(RematKind kind, size_t code, ArrayRef<Value> values) const;

  void addCone(const Cone &cone, RematClass &facts) const;
  std::pair<OpId, OpId> findRange(const LayerLoops &pair) const;
  std::pair<OpId, OpId> findRange(Value value) const;
  std::string describe(Value value) const;
  void nameAll();

  RematProgram &program;
  const ProgramIndex &index;
};

/// Whether keeping the operand is as good as keeping the result: it has another shape, or a wider type.
bool isView(Operation *op) {
  if (isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::BroadcastInDimOp, stablehlo::SliceOp>(op))
    return true;
  auto getBits = [](Value value) { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); };
  if (isa<stablehlo::ConvertOp>(op) && getElementTypeOrSelf(op->getResult(0).getType()).isIntOrFloat() &&
      getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrFloat())
    return getBits(op->getResult(0)) >= getBits(op->getOperand(0));
  return isa<stablehlo::OptimizationBarrierOp>(op);
}

/// Values that the backward pass computes again and that something other than recomputation uses. `isRecomputed` says
/// which ops compute again what the forward pass has.
std::vector<Value> findNeeded(llvm::iterator_range<Block::iterator> ops, Block &block,
                              llvm::function_ref<bool(Operation *)> isRecomputed) {
  llvm::DenseSet<Operation *> passing;
  std::vector<Value> needed;
  for (Operation &op : llvm::reverse(ops)) {
    if (!isRecomputed(&op))
      continue;
    auto isNeeded = [&](Value result) {
      return llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *around = block.findAncestorOpInBlock(*user);
        return !isRecomputed(around) || passing.contains(around);
      });
    };
    if (isView(&op)) {
      if (llvm::any_of(op.getResults(), isNeeded))
        passing.insert(&op);
      continue;
    }
    llvm::copy_if(op.getResults(), std::back_inserter(needed), isNeeded);
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

} // namespace

void CandidateFinder::addCone(const Cone &cone, RematClass &facts) const {
  for (Operation *op : cone.ops) {
    facts.flops += index.countFlops(op);
    op->walk([&](Operation *inside) {
      if (OpId id = index.getOp(inside); id.isValid())
        facts.cone.push_back(id);
    });
  }
}

/// A stack is alive from the forward loop to the backward one.
std::pair<OpId, OpId> CandidateFinder::findRange(const LayerLoops &pair) const {
  return {index.getRange(pair.forward).first, index.getRange(pair.backward).second};
}

/// From its definition to its last use.
std::pair<OpId, OpId> CandidateFinder::findRange(Value value) const {
  Operation *op = value.getDefiningOp();
  std::pair<OpId, OpId> range = index.getRange(op);
  for (Operation *user : value.getUsers())
    if (Operation *around = op->getBlock()->findAncestorOpInBlock(*user))
      if (OpId last = index.getRange(around).second; last.isValid())
        range.second = std::max(range.second, last);
  return range;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What a stack is called by: where an iteration runs several layers, the value of the first of them.
static Value findNamed(const LayerStack &stack) {
  auto layers = stack.written.getDefiningOp<stablehlo::ConcatenateOp>();
  if (stack.reshapes.empty() || !layers)
    return stack.written;
  Value first = layers.getInputs().front();
  while (isReshape(first.getDefiningOp()))
    first = first.getDefiningOp()->getOperand(0);
  return first.getDefiningOp() ? first : stack.written;
}

void CandidateFinder::addStacks(size_t number) {
  const LayerLoops &pair = program.pairs[number];
  LoopCones cones(pair, program.numbers);
  for (auto [position, stack] : llvm::enumerate(pair.stacks)) {
    Operation *end = cones.findFirstUse(position);
    // What layers pass on to each other is kept, whatever is recomputed.
    if (!end || !stack.written.getDefiningOp())
      continue;
    Cone cone = cones.find(position, {}, cones.findExcluded(position), end);
    CellId cell = index.getCarried(pair.forward, stack.forward);
    if (cone.forbidden || !cell.isValid())
      continue;
    RematCandidate found;
    found.facts.kind = RematKind::Recompute;
    found.facts.numValues = pair.forwardCount.tripCount;
    found.facts.bytes = index.getGraph().getBytes(cell);
    addCone(cone, found.facts);
    found.facts.cells = {cell};
    found.facts.alive = {findRange(pair)};
    found.values = {findNamed(stack)};
    found.pair = number;
    found.stack = position;
    add(std::move(found));
  }
}

/// Whether the value depends on what the loop carries from layer to layer, or on what it kept of it.
static llvm::DenseSet<Value> findVarying(const LayerLoops &pair) {
  llvm::DenseSet<Value> varying;
  Block &body = pair.getForwardBody();
  AffineEvaluator evaluator = makeEvaluator(pair.forward, pair.forwardCount);
  for (BlockArgument argument : body.getArguments())
    if (!isInvariant(pair.forward, argument.getArgNumber()) && !evaluator.evaluate(argument))
      varying.insert(argument);
  for (Operation &op : body)
    if (llvm::any_of(findRead(&op), [&](Value value) { return varying.contains(value); }))
      varying.insert_range(op.getResults());
  return varying;
}

void CandidateFinder::addRecomputedInLoop(size_t number) {
  const LayerLoops &pair = program.pairs[number];
  Block &body = pair.getBackwardBody();
  llvm::DenseMap<uint32_t, Value> forward = indexValues(pair.getForwardBody(), program.numbers);
  llvm::DenseSet<Value> varying = findVarying(pair);
  auto findEqual = [&](Value value) { return forward.lookup(program.numbers.get(value).get()); };
  auto isRecomputed = [&](Operation *op) {
    return op->getNumResults() > 0 && llvm::all_of(op->getResults(), [&](Value value) {
             Value equal = findEqual(value);
             return equal && equal.getType() == value.getType();
           });
  };
  auto ops = llvm::make_range(body.begin(), body.getTerminator()->getIterator());
  std::vector<Value> needed = findNeeded(ops, body, isRecomputed);
  llvm::DenseMap<Value, std::vector<Value>> again;
  for (Operation &op : ops)
    for (Value value : op.getResults())
      if (Value equal = findEqual(value))
        again[equal].push_back(value);
  llvm::DenseSet<Value> known;
  for (Value value : needed) {
    Value equal = findEqual(value);
    bool isRead = isa<stablehlo::DynamicSliceOp>(value.getDefiningOp());
    CellId cell = equal.getDefiningOp() ? index.getCell(equal) : CellId();
    if (isRead || !cell.isValid() || !varying.contains(equal) || !known.insert(equal).second)
      continue;
    auto isLeaf = [&](Value other) { return llvm::is_contained(needed, other); };
    RematCandidate found;
    found.facts.kind = RematKind::Keep;
    found.facts.numValues = found.facts.copies = pair.forwardCount.tripCount;
    found.facts.bytes = index.getGraph().getBytes(cell) * found.facts.copies;
    addCone(findCone(value, body, isLeaf), found.facts);
    found.facts.cells = {cell};
    found.facts.alive = {findRange(pair)};
    found.values = {equal};
    found.again = again[equal];
    found.pair = number;
    add(std::move(found));
  }
}

//===----------------------------------------------------------------------===//
// Straight code
//===----------------------------------------------------------------------===//

/// A class of values of the forward pass, one for each layer.
RematCandidate CandidateFinder::makeClass(RematKind kind, size_t code, ArrayRef<Value> values) const {
  RematCandidate found;
  found.facts.kind = kind;
  found.code = code;
  found.values.assign(values.begin(), values.end());
  for (Value value : values) {
    CellId cell = index.getCell(value);
    found.facts.cells.push_back(cell);
    found.facts.alive.push_back(findRange(value));
    found.facts.bytes += index.getGraph().getBytes(cell);
    ++found.facts.numValues;
  }
  return found;
}

/// Values that are alike in all layers, by the first of them.
using AlikeValues = llvm::MapVector<std::pair<uint32_t, unsigned>, std::vector<Value>>;

static void addAlike(AlikeValues &alike, Value value, const RematProgram &program) {
  OpId first = program.layers.findFirst(program.index.getOp(value.getDefiningOp()));
  alike[{first.get(), cast<OpResult>(value).getResultNumber()}].push_back(value);
}

void CandidateFinder::addCrossing(size_t number) {
  const StraightCode &code = program.codes[number];
  llvm::DenseSet<Operation *> ofStacks;
  for (const LayerLoops &pair : program.pairs)
    for (const LayerStack &stack : pair.stacks)
      ofStacks.insert_range(stack.reshapes);
  AlikeValues alike;
  for (Value value : code.findCrossing())
    if (!ofStacks.contains(value.getDefiningOp()))
      addAlike(alike, value, program);
  for (auto &[first, values] : alike) {
    RematCandidate found = makeClass(RematKind::Recompute, number, values);
    llvm::DenseSet<Value> dropped(values.begin(), values.end());
    bool isAllowed = true;
    for (Value value : values) {
      Cone cone = code.findCone(value, dropped);
      isAllowed &= !cone.forbidden;
      addCone(cone, found.facts);
    }
    if (isAllowed)
      add(std::move(found));
  }
}

void CandidateFinder::addRecomputedInCode(size_t number) {
  const StraightCode &code = program.codes[number];
  Block &block = code.getBlock();
  llvm::DenseMap<uint32_t, Value> forward;
  for (Operation &op : llvm::make_range(block.begin(), std::next(code.getSeam()->getIterator())))
    for (Value value : op.getResults())
      forward.try_emplace(program.numbers.get(value).get(), value);
  auto findEqual = [&](Value value) { return forward.lookup(program.numbers.get(value).get()); };
  auto isRecomputed = [&](Operation *op) {
    bool isOfArguments = isa<stablehlo::OptimizationBarrierOp>(op);
    return op->getNumResults() > 0 && code.isBackward(op) && !index.isFree(op) &&
           (isOfArguments || llvm::all_of(op->getResults(), [&](Value value) { return bool(findEqual(value)); }));
  };
  auto ops = llvm::make_range(std::next(code.getSeam()->getIterator()), block.getTerminator()->getIterator());
  std::vector<Value> needed = findNeeded(ops, block, isRecomputed);
  AlikeValues alike;
  llvm::DenseMap<Value, SmallVector<Value, 1>> again;
  for (Value value : needed) {
    Value equal = findEqual(value);
    if (!equal || !index.getCell(equal).isValid())
      continue;
    if (again[equal].empty())
      addAlike(alike, equal, program);
    again[equal].push_back(value);
  }
  for (auto &[first, values] : alike) {
    RematCandidate found = makeClass(RematKind::Keep, number, values);
    for (auto [position, value] : llvm::enumerate(values))
      for (Value recomputed : again[value]) {
        OpId &last = found.facts.alive[position].second;
        last = std::max(last, findRange(recomputed).second);
        auto isLeaf = [&](Value other) { return llvm::is_contained(needed, other); };
        found.equal.push_back({value, recomputed});
        auto isEnd = [&](Value other) { return isLeaf(other) || !isRecomputed(other.getDefiningOp()); };
        addCone(findCone(recomputed, block, isEnd), found.facts);
      }
    add(std::move(found));
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string CandidateFinder::describe(Value value) const {
  const Graph &graph = index.getGraph();
  OpId op = index.getOp(value.getDefiningOp());
  return op.isValid() ? llvm::join(splitPlace(graph.getName(graph.ops[op].name)), "/")
                      : value.getDefiningOp()->getName().stripDialect().str();
}

void CandidateFinder::add(RematCandidate candidate) {
  candidate.facts.location = printLocation(candidate.values.front().getLoc());
  program.candidates.push_back(std::move(candidate));
}

/// Values whose names differ in the number of their layer share one with `*`. Classes of one name are numbered.
void CandidateFinder::nameAll() {
  llvm::StringMap<int> counts;
  for (RematCandidate &candidate : program.candidates) {
    std::string name = describe(candidate.values.front());
    auto hasOther = [&](Value value) { return describe(value) != name; };
    if (llvm::any_of(candidate.values, hasOther))
      name = collapseNumbers(name);
    candidate.facts.name = name;
    ++counts[name];
  }
  llvm::StringMap<int> used;
  for (RematCandidate &candidate : program.candidates)
    if (std::string name = candidate.facts.name; counts[name] > 1)
      candidate.facts.name = name + "#" + std::to_string(used[name]++);
}

void CandidateFinder::run() {
  for (size_t pair = 0; pair < program.pairs.size(); ++pair) {
    addStacks(pair);
    addRecomputedInLoop(pair);
  }
  for (size_t code = 0; code < program.codes.size(); ++code) {
    addCrossing(code);
    addRecomputedInCode(code);
  }
  // In the order of the forward pass, so that names do not depend on what is kept.
  auto getPlace = [&](const RematCandidate &candidate) {
    auto value = cast<OpResult>(candidate.values.front());
    return std::tuple(index.getOp(value.getOwner()), value.getResultNumber(), candidate.facts.kind, candidate.stack);
  };
  llvm::sort(program.candidates,
             [&](const RematCandidate &a, const RematCandidate &b) { return getPlace(a) < getPlace(b); });
  nameAll();
}

//===----------------------------------------------------------------------===//

RematProgram::RematProgram(ModuleOp module, const Flattened &flattened)
    : index(flattened), pairs(findLayerLoops(module)), numbers(module, pairs), layers(index) {
  auto addCode = [&](Block &block) {
    StraightCode code(block, index, layers);
    if (code.getSeam())
      codes.push_back(code);
  };
  addCode(module.lookupSymbol<mlir::func::FuncOp>("main").getBody().front());
  module.walk<WalkOrder::PreOrder>([&](stablehlo::WhileOp loop) {
    auto isOf = [&](const LayerLoops &pair) { return loop == pair.forward || loop == pair.backward; };
    if (llvm::none_of(pairs, isOf))
      addCode(loop.getBody().front());
  });
  CandidateFinder(*this).run();
}

} // namespace partita::remat
