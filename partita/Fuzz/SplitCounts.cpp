//===- SplitCounts.cpp - what of a case is split --------------------------===//

#include "partita/Fuzz/SplitCounts.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Fuzz/Coverage.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

/// Counts the splits of one op.
class OpCounter {
public:
  OpCounter(const Assignment &assignment, const Flattened &flattened, const PaddedElements &elements, OpId op,
            std::map<std::string, int64_t> &counts)
      : assignment(assignment), flattened(flattened), graph(flattened.graph), elements(elements), op(op),
        origin(flattened.origins[op]), name(graph.getName(graph.ops[op].opName)), counts(counts) {}

  void addPossible();
  void count();

private:
  std::string getKey(StringRef kind) const { return (name + " " + kind).str(); }
  void countPadding(uint8_t factor, int64_t parts);

  const Assignment &assignment;
  const Flattened &flattened;
  const Graph &graph;
  const PaddedElements &elements;
  OpId op;
  Operation *origin;
  StringRef name;
  std::map<std::string, int64_t> &counts;
};

} // namespace

std::optional<UnevenDim> findUnevenDim(const Flattened &flattened, const PaddedElements &elements, OpId op,
                                       const DimFactor &entry) {
  const Graph &graph = flattened.graph;
  Operation *origin = flattened.origins[op];
  // An identity stands for one value of a loop or a branch.
  bool isWhole = origin && origin->getNumOperands() == graph.getOperands(op).size() &&
                 origin->getNumResults() == graph.getResults(op).size();
  if (!isWhole || entry.position != 0)
    return std::nullopt;
  unsigned count = origin->getNumOperands();
  Value value = entry.value < count ? origin->getOperand(entry.value) : origin->getResult(entry.value - count);
  auto known = elements.find(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (known == elements.end() || !type || known->second[entry.dim] == type.getDimSize(entry.dim))
    return std::nullopt;
  int64_t size = type.getDimSize(entry.dim);
  return UnevenDim{known->second[entry.dim], size, size / graph.getFactors(op)[entry.factor].size};
}

bool isOfPadding(Operation *op) {
  auto named = op ? dyn_cast<NameLoc>(op->getLoc()) : NameLoc();
  StringRef name = named ? named.getName().strref() : StringRef();
  bool isPadded = name == padding::unpaddedName ||
                  (name.consume_front(padding::paddedName) && (name.empty() || name.starts_with("(")));
  return isPadded && isa<stablehlo::PadOp, stablehlo::SliceOp>(op);
}

void OpCounter::addPossible() {
  for (const Factor &factor : graph.getFactors(op))
    if (factor.isSplittable() && factor.size > 1)
      counts.try_emplace(getKey(getKind(factor)), 0);
  Linearity linearity = graph.ops[op].linearity;
  if (linearity != Linearity::None && linearity != Linearity::Zero)
    counts.try_emplace(getKey("sum"), 0);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (graph.getFactors(op)[entry.factor].isSplittable() && findUnevenDim(flattened, elements, op, entry))
      for (StringRef kind : remainderClasses)
        counts.try_emplace(getKey(kind), 0);
}

void OpCounter::countPadding(uint8_t factor, int64_t parts) {
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    if (entry.factor != factor)
      continue;
    if (std::optional<UnevenDim> dim = findUnevenDim(flattened, elements, op, entry)) {
      ++counts[getKey(findRemainderClass(*dim, parts))];
      return;
    }
  }
}

void OpCounter::count() {
  llvm::ArrayRef<Factor> factors = graph.getFactors(op);
  std::map<uint8_t, int64_t> parts;
  for (size_t axis = 0; axis < assignment.getAxes().size(); ++axis) {
    uint8_t factor = assignment.getFactor(assignment.getTopology().getNode(op), AxisId(axis));
    if (factor == sumFactor) {
      ++counts[getKey("sum")];
    } else if (factor < factors.size()) {
      if (!isOfPadding(origin) || factors[factor].shift == std::nullopt)
        ++counts[getKey(getKind(factors[factor]))];
      parts.try_emplace(factor, 1).first->second *= assignment.getAxes()[AxisId(axis)].size;
    }
  }
  for (auto [factor, number] : parts)
    countPadding(factor, number);
}

std::map<std::string, int64_t> countSplits(const Assignment &assignment, const Flattened &flattened,
                                           const PaddedElements &elements) {
  std::map<std::string, int64_t> counts;
  for (OpId op : idRange<OpId>(flattened.graph.ops.size())) {
    OpCounter counter(assignment, flattened, elements, op, counts);
    counter.addPossible();
    counter.count();
  }
  return counts;
}

bool hasKind(const std::map<std::string, int64_t> &splits, llvm::ArrayRef<llvm::StringLiteral> kinds) {
  return llvm::any_of(splits, [&](const auto &entry) {
    return entry.second > 0 && llvm::is_contained(kinds, llvm::StringRef(entry.first).rsplit(' ').second);
  });
}

} // namespace partita::fuzz
