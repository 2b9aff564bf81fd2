//===- LayerCode.cpp - layers in straight code ----------------------------===//

#include "partita/Pipeline/LayerCode.h"

#include "partita/Analysis/LayerChains.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Effects.h"
#include "partita/Remat/ProgramIndex.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <map>
#include <set>

using namespace mlir;

namespace partita::pipeline {

SmallVector<OpOperand *> listOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(&operand);
  for (mlir::Region &region : op->getRegions())
    region.walk([&](Operation *inside) {
      for (OpOperand &operand : inside->getOpOperands())
        if (!op->isAncestor(operand.get().getParentRegion()->getParentOp()))
          operands.push_back(&operand);
    });
  return operands;
}

/// Whether the ops are equal but for locations and the values that they read.
static bool areEqual(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inside;
  auto check = [&](Value left, Value right) {
    auto known = inside.find(left);
    return success(known == inside.end() ? left.getType() == right.getType() : known->second == right);
  };
  return OperationEquivalence::isEquivalentTo(
             a, b, check, [&](Value left, Value right) { inside[left] = right; },
             OperationEquivalence::IgnoreLocations) &&
         listOperands(a).size() == listOperands(b).size();
}

namespace {

/// Finds the code of one pass over one stack of layers.
class CodeFinder {
public:
  CodeFinder(Block &block, const ProgramIndex &index, const llvm::DenseSet<Operation *> &taken)
      : block(block), index(index), taken(taken) {}

  /// Nothing if no op with a contraction is left.
  std::optional<LayerCode> run(std::vector<SmallVector<Operation *>> given, bool isReversed);

private:
  void add(SmallVector<Operation *> ofLayer);
  void dropIndependent();
  bool isKeptWhole(const LayerOp &op) const;
  SmallVector<Value> listValues(const LayerOp &op, unsigned operand) const;
  std::optional<LayerSource> findSource(const LayerOp &op, unsigned operand);
  std::optional<LayerSource> findOfLayers(ArrayRef<Value> values) const;
  std::optional<std::pair<unsigned, unsigned>> findAt(Value value, int64_t layer) const;
  bool addDefinitions(ArrayRef<Value> values);
  bool findSources();
  void markReplaced();
  void markBehind();
  bool isBehind(Value value) const;
  void remove(llvm::ArrayRef<uint8_t> isRemoved);
  bool isSound(const LayerSource &source) const;
  LayerCode takeUsed();

  Block &block;
  const ProgramIndex &index;
  /// Ops that other loops replace.
  const llvm::DenseSet<Operation *> &taken;
  LayerCode code;
  /// Ops of the block that depend on the loop.
  llvm::DenseSet<Operation *> behind;
  /// Ops that cannot be in the loop.
  llvm::DenseSet<Operation *> refused;
};

} // namespace

void CodeFinder::add(SmallVector<Operation *> ofLayer) {
  for (auto [layer, op] : llvm::enumerate(ofLayer))
    code.places[op] = {static_cast<unsigned>(code.ops.size()), static_cast<int64_t>(layer)};
  code.ops.push_back({std::move(ofLayer)});
}

SmallVector<Value> CodeFinder::listValues(const LayerOp &op, unsigned operand) const {
  SmallVector<Value> values;
  for (Operation *each : op.ofLayer)
    values.push_back(listOperands(each)[operand]->get());
  return values;
}

/// The op and the result of which the value is that of `layer`.
std::optional<std::pair<unsigned, unsigned>> CodeFinder::findAt(Value value, int64_t layer) const {
  auto result = dyn_cast<OpResult>(value);
  auto place = result ? code.places.find(result.getOwner()) : code.places.end();
  if (place == code.places.end() || place->second.second != layer)
    return std::nullopt;
  return std::pair(place->second.first, result.getResultNumber());
}

/// A source that is an op of the layers.
std::optional<LayerSource> CodeFinder::findOfLayers(ArrayRef<Value> values) const {
  auto isAll = [&](bool isBefore) -> std::optional<std::pair<unsigned, unsigned>> {
    std::optional<std::pair<unsigned, unsigned>> all;
    for (int64_t layer = 0; layer < code.numLayers; ++layer) {
      if (isBefore && layer == code.getFirst())
        continue;
      auto own = findAt(values[layer], isBefore ? code.getBefore(layer) : layer);
      if (!own || (all && *all != *own))
        return std::nullopt;
      all = own;
    }
    return all;
  };
  if (auto same = isAll(false))
    return LayerSource{LayerSource::Kind::SameLayer, same->first, same->second};
  if (auto before = isAll(true))
    return LayerSource{LayerSource::Kind::LayerBefore, before->first, before->second, {values[code.getFirst()]}};
  return std::nullopt;
}

/// Whether the ops, which are equal, take what each layer has of a stack: then the stack is what a loop steps through.
static bool areOfStack(ArrayRef<Operation *> ops) {
  auto findSlice = [](Operation *op) { return op->getOperand(0).getDefiningOp<stablehlo::SliceOp>(); };
  return isa<stablehlo::ReshapeOp>(ops.front()) && llvm::all_of(ops, findSlice) &&
         !areEqual(findSlice(ops.front()), findSlice(ops.back()));
}

/// Adds the ops that define `values` to the layers, if they are equal and each is in one layer.
bool CodeFinder::addDefinitions(ArrayRef<Value> values) {
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> distinct;
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    bool mayBe = op && op->getBlock() == &block && !code.places.contains(op) && !taken.contains(op) &&
                 !refused.contains(op) && distinct.insert(op).second;
    if (!mayBe || cast<OpResult>(value).getResultNumber() != cast<OpResult>(values.front()).getResultNumber())
      return false;
    ops.push_back(op);
  }
  bool areAlike = mayRunAgain(ops.front()) &&
                  llvm::all_of(ops, [&](Operation *op) { return op == ops.front() || areEqual(op, ops.front()); }) &&
                  !areOfStack(ops);
  if (areAlike)
    add(std::move(ops));
  return areAlike;
}

std::optional<LayerSource> CodeFinder::findSource(const LayerOp &op, unsigned operand) {
  SmallVector<Value> values = listValues(op, operand);
  if (std::optional<LayerSource> source = findOfLayers(values))
    return source;
  if (llvm::all_equal(values))
    return LayerSource{LayerSource::Kind::Shared, 0, 0, {values.front()}};
  if (addDefinitions(values))
    return findOfLayers(values);
  if (!llvm::all_equal(llvm::map_range(values, [](Value value) { return value.getType(); })))
    return std::nullopt;
  return LayerSource{LayerSource::Kind::Own, 0, 0, std::move(values)};
}

/// Whether the op has to run once for each layer, though it does not depend on the layer before.
bool CodeFinder::isKeptWhole(const LayerOp &op) const {
  OpId id = index.getOp(op.ofLayer.front());
  return id.isValid() && index.getGraph().ops[id].opClass == OpClass::Contraction;
}

/// Sets `isReplaced`: what depends on the layer before, and contractions.
void CodeFinder::markReplaced() {
  for (LayerOp &op : code.ops)
    op.isReplaced = isKeptWhole(op);
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (LayerOp &op : code.ops) {
      bool depends = !op.isReplaced && llvm::any_of(op.sources, [&](const LayerSource &source) {
        return source.kind == LayerSource::Kind::LayerBefore ||
               (source.kind == LayerSource::Kind::SameLayer && code.ops[source.op].isReplaced);
      });
      op.isReplaced |= depends;
      isChanged |= depends;
    }
  }
}

/// The ops of the block that depend on what the loop replaces.
void CodeFinder::markBehind() {
  behind.clear();
  for (const LayerOp &op : code.ops)
    if (op.isReplaced)
      behind.insert(op.ofLayer.begin(), op.ofLayer.end());
  for (Operation &op : block)
    if (!behind.contains(&op) &&
        llvm::any_of(listOperands(&op), [&](OpOperand *each) { return isBehind(each->get()); }))
      behind.insert(&op);
}

bool CodeFinder::isBehind(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && behind.contains(op);
}

/// Whether what comes from outside of the layers is there before the loop.
bool CodeFinder::isSound(const LayerSource &source) const {
  if (source.kind == LayerSource::Kind::LayerBefore &&
      source.values.front().getType() != code.ops[source.op].ofLayer.front()->getResult(source.result).getType())
    return false;
  return llvm::none_of(source.values, [&](Value value) { return isBehind(value); });
}

void CodeFinder::remove(ArrayRef<uint8_t> isRemoved) {
  std::vector<LayerOp> kept;
  for (auto [number, op] : llvm::enumerate(code.ops)) {
    for (Operation *each : op.ofLayer)
      if (isRemoved[number])
        refused.insert(each);
    if (!isRemoved[number])
      kept.push_back({std::move(op.ofLayer)});
  }
  code.ops.clear();
  code.places.clear();
  for (LayerOp &op : kept)
    add(std::move(op.ofLayer));
}

/// Finds the sources of all ops, those that are added on the way included. Removes ops that cannot be in a loop; false
/// if there were any.
bool CodeFinder::findSources() {
  std::vector<uint8_t> isRemoved(code.ops.size(), 0);
  for (size_t number = 0; number < code.ops.size(); ++number) {
    LayerOp op = std::move(code.ops[number]);
    isRemoved.resize(code.ops.size(), 0);
    op.sources.clear();
    for (unsigned operand = 0; operand < listOperands(op.ofLayer.front()).size(); ++operand) {
      std::optional<LayerSource> source = findSource(op, operand);
      isRemoved[number] |= !source;
      op.sources.push_back(source ? std::move(*source) : LayerSource());
    }
    code.ops[number] = std::move(op);
  }
  isRemoved.resize(code.ops.size(), 0);
  markReplaced();
  markBehind();
  for (auto [number, op] : llvm::enumerate(code.ops))
    isRemoved[number] |= !llvm::all_of(op.sources, [&](const LayerSource &source) { return isSound(source); });
  if (!llvm::is_contained(isRemoved, 1))
    return true;
  remove(isRemoved);
  return false;
}

/// Only what something needs that the loop replaces, in program order.
LayerCode CodeFinder::takeUsed() {
  std::vector<uint8_t> isUsed(code.ops.size(), 0);
  SmallVector<unsigned> next;
  auto use = [&](unsigned number) {
    if (!isUsed[number])
      next.push_back(number);
    isUsed[number] = 1;
  };
  for (auto [number, op] : llvm::enumerate(code.ops))
    if (op.isReplaced)
      use(number);
  while (!next.empty())
    for (const LayerSource &source : code.ops[next.pop_back_val()].sources)
      if (source.kind == LayerSource::Kind::SameLayer || source.kind == LayerSource::Kind::LayerBefore)
        use(source.op);
  SmallVector<unsigned> order;
  for (unsigned number = 0; number < code.ops.size(); ++number)
    if (isUsed[number])
      order.push_back(number);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return code.ops[a].ofLayer.front()->isBeforeInBlock(code.ops[b].ofLayer.front());
  });
  LayerCode sorted{code.numLayers, code.isReversed};
  SmallVector<unsigned> moved(code.ops.size());
  for (auto [now, before] : llvm::enumerate(order)) {
    moved[before] = now;
    for (auto [layer, op] : llvm::enumerate(code.ops[before].ofLayer))
      sorted.places[op] = {static_cast<unsigned>(now), static_cast<int64_t>(layer)};
    sorted.ops.push_back(std::move(code.ops[before]));
  }
  for (LayerOp &op : sorted.ops)
    for (LayerSource &source : op.sources)
      source.op = moved[source.op];
  return sorted;
}

/// What only weights need, or the batch, is copied into each loop that needs it.
void CodeFinder::dropIndependent() {
  for (LayerOp &op : code.ops) {
    op.sources.clear();
    for (unsigned operand = 0; operand < listOperands(op.ofLayer.front()).size(); ++operand) {
      std::optional<LayerSource> source = findOfLayers(listValues(op, operand));
      op.sources.push_back(source ? std::move(*source) : LayerSource());
    }
  }
  markReplaced();
  std::vector<LayerOp> kept;
  for (LayerOp &op : code.ops)
    if (op.isReplaced)
      kept.push_back({std::move(op.ofLayer)});
  code.ops.clear();
  code.places.clear();
  for (LayerOp &op : kept)
    add(std::move(op.ofLayer));
}

std::optional<LayerCode> CodeFinder::run(std::vector<SmallVector<Operation *>> given, bool isReversed) {
  code.isReversed = isReversed;
  code.numLayers = static_cast<int64_t>(given.front().size());
  for (SmallVector<Operation *> &ofLayer : given)
    if (mayRunAgain(ofLayer.front()) &&
        llvm::all_of(ofLayer, [&](Operation *op) { return op == ofLayer.front() || areEqual(op, ofLayer.front()); }))
      add(std::move(ofLayer));
  dropIndependent();
  while (!findSources()) {
  }
  LayerCode found = takeUsed();
  bool hasContraction = llvm::any_of(found.ops, [&](const LayerOp &op) { return isKeptWhole(op); });
  return hasContraction ? std::optional(std::move(found)) : std::nullopt;
}

namespace {

/// The ops of one map of layers and one pass: of each, its first layer and the op of each layer from there on.
struct OpChain {
  int64_t first = 0;
  SmallVector<Operation *> ops;
  bool isContraction = false;

  bool covers(int64_t from, int64_t to) const { return first <= from && to <= first + int64_t(ops.size()); }
};

} // namespace

/// Ranges of layers, those with the most contractions first, the longer one of two. A few are enough: what is before or
/// behind the layers may look like a part of them.
static std::vector<std::pair<int64_t, int64_t>> listRanges(ArrayRef<OpChain> chains) {
  constexpr size_t most = 6;
  struct Range {
    int64_t contractions = 0, length = 0, others = 0, from = 0;
    auto operator<=>(const Range &) const = default;
  };
  std::set<std::pair<int64_t, int64_t>> distinct;
  for (const OpChain &chain : chains)
    distinct.insert({chain.first, chain.first + int64_t(chain.ops.size())});
  std::vector<Range> ranges;
  for (auto [from, to] : distinct) {
    Range range{0, to - from, 0, from};
    for (const OpChain &chain : chains)
      if (chain.covers(from, to))
        (chain.isContraction ? range.contractions : range.others) += range.length;
    if (range.contractions > 0)
      ranges.push_back(range);
  }
  llvm::sort(ranges, std::greater<>());
  ranges.resize(std::min(ranges.size(), most));
  std::vector<std::pair<int64_t, int64_t>> list;
  for (const Range &range : ranges)
    list.emplace_back(range.from, range.from + range.length);
  return list;
}

/// The chains of ops of `block`, for each pass and each map; forward passes first.
static std::map<std::pair<bool, uint32_t>, std::vector<OpChain>> listChains(Block &block, const ProgramIndex &index) {
  const Graph &graph = index.getGraph();
  Topology topology(graph);
  Repetition repetition = findRepetition(topology, RepetitionUse::Correspond);
  LayerChains chains(topology, repetition);
  std::map<std::pair<bool, uint32_t>, std::vector<OpChain>> found;
  for (ChainId id : idRange<ChainId>(chains.size())) {
    const LayerChain &chain = chains[id];
    OpChain made;
    Phase phase = Phase::Update;
    for (auto [number, item] : llvm::enumerate(chains.getMembers(id, chain.first, chain.getEnd()))) {
      OpId op = chains.isOp(item) ? OpId(item.get()) : OpId();
      Operation *origin = op.isValid() ? index.getFlattened().origins[op] : nullptr;
      if (!origin || origin->getBlock() != &block || index.getOp(origin) != op)
        break;
      phase = graph.ops[op].phase;
      made.isContraction = graph.ops[op].opClass == OpClass::Contraction;
      int64_t position = chain.first + int64_t(number);
      if (position >= 0 && position < chains.getNumLayers(chain.map))
        made.ops.push_back(origin);
    }
    made.first = std::max(0, chain.first);
    bool isWhole = int64_t(made.ops.size()) == std::min(chain.getEnd(), chains.getNumLayers(chain.map)) - made.first;
    if (isWhole && made.ops.size() > 1 && phase != Phase::Update)
      found[{phase == Phase::Backward, chain.map.get()}].push_back(std::move(made));
  }
  return found;
}

std::vector<LayerCode> findLayerCode(func::FuncOp main, const Flattened &flattened) {
  Block &block = main.getBody().front();
  ProgramIndex index(flattened);
  std::vector<LayerCode> found;
  llvm::DenseSet<Operation *> taken;
  for (const auto &[key, chains] : listChains(block, index))
    for (auto [from, to] : listRanges(chains)) {
      std::vector<SmallVector<Operation *>> given;
      for (const OpChain &chain : chains)
        if (chain.covers(from, to))
          given.push_back(SmallVector<Operation *>(ArrayRef(chain.ops).slice(from - chain.first, to - from)));
      std::optional<LayerCode> code = CodeFinder(block, index, taken).run(std::move(given), key.first);
      if (!code)
        continue;
      for (const LayerOp &op : code->ops)
        if (op.isReplaced)
          taken.insert(op.ofLayer.begin(), op.ofLayer.end());
      found.push_back(std::move(*code));
      break;
    }
  return found;
}

} // namespace partita::pipeline
