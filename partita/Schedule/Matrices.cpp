//===- Matrices.cpp - arguments that are multiplied, and their dims -------===//

#include "partita/Schedule/Matrices.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace partita::schedule {

namespace {

/// What a dim of a value shows instead of a dim of the argument: a part of one, or what is not of the argument at all,
/// because it is broadcast.
constexpr int32_t partOfDim = -1, broadcastDim = -2;

/// An argument as a value shows it: for each dim of the value the dim of the argument that it begins with.
struct View {
  CellId argument;
  std::vector<int32_t> dims;

  bool isBroadcast() const { return llvm::is_contained(dims, broadcastDim); }
  bool operator==(const View &) const = default;
};

/// Several where arguments stand side by side, or are added; none for values that are made in other ways.
using Views = std::vector<View>;

/// A dim of a value.
using ValueDim = std::pair<CellId, uint32_t>;

/// A dim of an argument that stays in the result of its product, and what products of activations do with it.
struct Output {
  uint32_t argumentDim = 0;
  /// The dim of the product's result; none if it does not begin with this output.
  std::optional<uint32_t> resultDim = std::nullopt;
  /// It is a batch of one.
  bool isHead = false;
  /// It is summed over in one.
  bool isSummed = false;
  /// All of them, and the factor that it is there.
  std::vector<std::pair<OpId, uint8_t>> reached = {};
  /// Arguments that are multiplied with it, and their dims that are summed over with it.
  std::vector<std::pair<CellId, int32_t>> fed = {};
};

/// An argument at its first product.
struct MultipliedArgument {
  CellId argument;
  OpId product;
  std::vector<Output> outputs = {};
  std::vector<uint32_t> batchDims = {}, inDims = {};
};

/// A dim of an argument that is summed over with an output of another, and whether that one is split by heads.
struct FedDim {
  int32_t dim;
  bool isByHeads;
};

class MatrixFinder {
public:
  MatrixFinder(const Topology &topology, llvm::ArrayRef<CellId> arguments, bool areParameters)
      : topology(topology), graph(topology.getGraph()), areParameters(areParameters), views(graph.cells.size()),
        hasMatrix(graph.cells.size()), isDoubtful(graph.cells.size()), fedDims(graph.cells.size()),
        isSplitByHeads(graph.cells.size()) {
    for (CellId argument : arguments) {
      View view{argument, {}};
      for (uint32_t dim = 0; dim < graph.cells[argument].rank; ++dim)
        view.dims.push_back(static_cast<int32_t>(dim));
      views[argument] = {std::move(view)};
    }
  }

  std::vector<Matrix> run();

private:
  const Views &getViews(OpId op, uint32_t operand) const { return views[graph.getOperands(op)[operand]]; }
  bool isLoopInvariant(CellId carried) const;
  std::optional<uint8_t> findMajor(OpId op, uint32_t value, uint32_t dim) const;
  bool contains(OpId op, uint32_t value, uint8_t factor) const;
  View follow(OpId op, uint32_t operand, const View &view) const;
  Views followOperand(OpId op, uint32_t operand) const;
  Views followIdentity(OpId op) const;
  Views followElementwise(OpId op) const;
  Views followMovement(OpId op) const;
  Views followGather(OpId op) const;
  Views followOp(OpId op) const;

  std::optional<uint32_t> findWeight(OpId op);
  void noteProduct(OpId op);
  void noteMatrix(OpId op, uint32_t side, const View &view);
  bool isOfActivations(OpId op) const;
  void followUse(OpId op, uint32_t operand, uint32_t dim, Output &output, std::vector<ValueDim> &next) const;
  void followOutput(OpId product, Output &output) const;
  static bool hasHeads(const MultipliedArgument &argument);
  bool isKept(const Output &output) const;
  std::vector<uint32_t> chooseOutputs(const MultipliedArgument &argument);
  std::vector<uint32_t> orderDims(const MultipliedArgument &argument, std::vector<uint32_t> outputs) const;

  const Topology &topology;
  const Graph &graph;
  bool areParameters;
  IdVector<CellId, Views> views;
  IdVector<CellId, uint8_t> hasMatrix, isDoubtful;
  std::vector<MultipliedArgument> found;
  /// For arguments whose inputs are split with an output of another.
  IdVector<CellId, std::optional<FedDim>> fedDims;
  IdVector<CellId, uint8_t> isSplitByHeads;
  /// Products of activations that are split with an output, and the factor of it.
  llvm::DenseMap<uint32_t, uint8_t> splitProducts;
};

} // namespace

/// The first factor of a dim of a value, if the dim has one that may be split.
std::optional<uint8_t> MatrixFinder::findMajor(OpId op, uint32_t value, uint32_t dim) const {
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == value && entry.dim == dim && entry.position == 0 &&
        graph.getFactors(op)[entry.factor].isSplittable())
      return entry.factor;
  return std::nullopt;
}

bool MatrixFinder::contains(OpId op, uint32_t value, uint8_t factor) const {
  return llvm::any_of(graph.getDimFactors(op),
                      [&](const DimFactor &entry) { return entry.value == value && entry.factor == factor; });
}

//===----------------------------------------------------------------------===//
// On the way to a product
//===----------------------------------------------------------------------===//

/// What result 0 shows of a view of the operand. A dim that is made of several begins with the first of them.
View MatrixFinder::follow(OpId op, uint32_t operand, const View &view) const {
  llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getResults(op).front());
  bool isBroadcast = graph.ops[op].kind == OpKind::BroadcastInDim;
  View result{view.argument, {}};
  for (auto [dim, size] : llvm::enumerate(shape)) {
    std::optional<uint8_t> factor = findMajor(op, graph.ops[op].numUses, dim);
    int32_t shown = isBroadcast && size > 1 && !(factor && contains(op, operand, *factor)) ? broadcastDim : partOfDim;
    for (uint32_t source = 0; factor && source < view.dims.size(); ++source)
      if (findMajor(op, operand, source) == factor)
        shown = view.dims[source];
    result.dims.push_back(shown);
  }
  return result;
}

Views MatrixFinder::followOperand(OpId op, uint32_t operand) const {
  Views result;
  for (const View &view : getViews(op, operand))
    result.push_back(follow(op, operand, view));
  return result;
}

bool MatrixFinder::isLoopInvariant(CellId carried) const {
  return llvm::all_of(topology.getDefinitions(carried), [&](OpId definition) {
    return graph.ops[definition].role != IdentityRole::Yield || graph.getOperands(definition).front() == carried;
  });
}

/// What a loop or a branch gives back is another value.
Views MatrixFinder::followIdentity(OpId op) const {
  switch (graph.ops[op].role) {
  case IdentityRole::Entry:
    return areParameters || isLoopInvariant(graph.getResults(op).front()) ? followOperand(op, 0) : Views();
  case IdentityRole::Yield:
  case IdentityRole::BranchYield:
  case IdentityRole::Result:
    return {};
  default:
    return followOperand(op, 0);
  }
}

/// Whole weights with each other, or with values that are none, such as noise. Vectors that are spread over others
/// (norms, biases) say nothing.
Views MatrixFinder::followElementwise(OpId op) const {
  if (graph.ops[op].kind == OpKind::Convert)
    return getViews(op, 0);
  CellId result = graph.getResults(op).front();
  Views shown;
  if (!areParameters || graph.cells[result].rank == 0)
    return shown;
  for (CellId operand : graph.getOperands(op))
    for (const View &view : views[operand])
      if (graph.getShape(operand) == graph.getShape(result) && !view.isBroadcast() && !llvm::is_contained(shown, view))
        shown.push_back(view);
  return shown;
}

/// Transposes, reshapes, slices; matrices side by side, if all of them are arguments.
Views MatrixFinder::followMovement(OpId op) const {
  Views shown;
  for (auto [number, operand] : llvm::enumerate(graph.getOperands(op))) {
    if (graph.cells[operand].rank == 0)
      continue;
    if (views[operand].empty())
      return {};
    llvm::append_range(shown, followOperand(op, number));
  }
  return shown;
}

/// A matrix that an index picks, or one for each of several indices; rows that are looked up are no weights.
Views MatrixFinder::followGather(OpId op) const {
  CellId result = graph.getResults(op).front();
  auto isTaken = [&](uint32_t dim) {
    std::optional<uint8_t> factor = findMajor(op, graph.ops[op].numUses, dim);
    return factor && contains(op, 0, *factor);
  };
  bool picksOne = graph.cells[graph.getOperands(op)[1]].rank <= 1;
  if (!picksOne && llvm::count_if(llvm::seq<uint32_t>(graph.cells[result].rank), isTaken) < 2)
    return {};
  return followOperand(op, 0);
}

Views MatrixFinder::followOp(OpId op) const {
  const Op &info = graph.ops[op];
  if (info.kind == OpKind::DynamicSlice)
    return followOperand(op, 0);
  if (info.kind == OpKind::Gather)
    return followGather(op);
  switch (info.opClass) {
  case OpClass::Identity:
    return followIdentity(op);
  case OpClass::Elementwise:
    return followElementwise(op);
  case OpClass::Movement:
    return followMovement(op);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The only factor that is made of arguments and not broadcast, as what starts for each sample from an argument is. A
/// product of two says nothing about either. Of a ragged product it is the second.
std::optional<uint32_t> MatrixFinder::findWeight(OpId op) {
  if (graph.ops[op].numUses < 2)
    return std::nullopt;
  bool isRagged = graph.ops[op].numUses == 3;
  if (!isRagged && !areParameters && !getViews(op, 0).empty() && !getViews(op, 1).empty()) {
    for (uint32_t side : {0u, 1u})
      for (const View &view : getViews(op, side))
        isDoubtful[view.argument] = true;
    return std::nullopt;
  }
  auto isWeight = [&](uint32_t side) {
    const Views &shown = getViews(op, side);
    return !shown.empty() && llvm::none_of(shown, [](const View &view) { return view.isBroadcast(); });
  };
  bool isSecond = isWeight(1);
  if (isRagged)
    return isSecond ? std::optional(1u) : std::nullopt;
  if (isWeight(0) == isSecond)
    return std::nullopt;
  return isSecond ? 1 : 0;
}

void MatrixFinder::noteProduct(OpId op) {
  if (std::optional<uint32_t> side = findWeight(op))
    for (const View &view : getViews(op, *side))
      if (!hasMatrix[view.argument] && !isDoubtful[view.argument])
        noteMatrix(op, *side, view);
}

void MatrixFinder::noteMatrix(OpId op, uint32_t side, const View &view) {
  const Op &info = graph.ops[op];
  // Groups of a convolution are the major part of its outputs.
  bool isConvolution = info.kind != OpKind::DotGeneral && info.numUses == 2;
  llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getOperands(op)[side]);
  MultipliedArgument noted{view.argument, op};
  bool keepsDim = false;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    std::optional<uint8_t> factor = findMajor(op, side, dim);
    bool isOfBoth = factor && contains(op, 1 - side, *factor);
    bool isSummed = factor && graph.getFactors(op)[*factor].kind == FactorKind::Reduce;
    bool isBatch = factor && isOfBoth != isSummed && !isConvolution;
    keepsDim |= size > 1 && !isSummed && !isBatch;
    if (!factor || view.dims[dim] < 0)
      continue;
    auto argumentDim = static_cast<uint32_t>(view.dims[dim]);
    if (isBatch) {
      noted.batchDims.push_back(argumentDim);
    } else if (isSummed) {
      noted.inDims.push_back(argumentDim);
    } else {
      Output &output = noted.outputs.emplace_back(Output{argumentDim});
      for (uint32_t resultDim = 0; resultDim < graph.cells[graph.getResults(op).front()].rank; ++resultDim)
        if (findMajor(op, info.numUses, resultDim) == factor)
          output.resultDim = resultDim;
    }
  }
  if (noted.outputs.empty() && (noted.inDims.empty() || !keepsDim))
    return;
  hasMatrix[view.argument] = true;
  found.push_back(std::move(noted));
}

//===----------------------------------------------------------------------===//
// What becomes of outputs
//===----------------------------------------------------------------------===//

/// Whether a product of matrices is taken for each of a batch. That of a gradient is summed over the batch; one in
/// which nothing is left of either operand but the batch is of vectors, a norm say.
bool MatrixFinder::isOfActivations(OpId op) const {
  bool isBatched = false, hasRows = false;
  for (auto [factor, info] : llvm::enumerate(graph.getFactors(op))) {
    bool inFirst = contains(op, 0, factor), inSecond = contains(op, 1, factor);
    isBatched |= info.kind == FactorKind::Parallel && inFirst && inSecond;
    hasRows |= info.kind == FactorKind::Parallel && inFirst != inSecond;
  }
  return isBatched && hasRows;
}

/// Adds the dims of the op's results that begin with the dim, and notes what a product of activations does with it.
void MatrixFinder::followUse(OpId op, uint32_t operand, uint32_t dim, Output &output,
                             std::vector<ValueDim> &next) const {
  const Op &info = graph.ops[op];
  std::optional<uint8_t> factor = findMajor(op, operand, dim);
  if (!factor || info.phase != Phase::Forward || info.opClass == OpClass::Opaque)
    return;
  if (info.opClass == OpClass::Contraction && info.numUses >= 2 && operand < 2) {
    bool isOfBoth = contains(op, 1 - operand, *factor);
    bool isSummed = graph.getFactors(op)[*factor].kind == FactorKind::Reduce;
    if (getViews(op, 1 - operand).empty() && isOfActivations(op)) {
      output.isHead |= isOfBoth && !isSummed;
      output.isSummed |= isSummed;
      output.reached.emplace_back(op, *factor);
    }
    for (uint32_t fedDim = 0; isSummed && fedDim < graph.cells[graph.getOperands(op)[1 - operand]].rank; ++fedDim)
      if (findMajor(op, 1 - operand, fedDim) == factor)
        for (const View &view : getViews(op, 1 - operand))
          output.fed.emplace_back(view.argument, view.dims[fedDim]);
    if (isSummed)
      return;
  }
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.factor == *factor && entry.value >= info.numUses && entry.position == 0)
      next.emplace_back(graph.getResults(op)[entry.value - info.numUses], entry.dim);
}

/// Follows an output through the forward pass, up to where it is summed over.
void MatrixFinder::followOutput(OpId product, Output &output) const {
  constexpr size_t maxDims = 256;
  if (!output.resultDim)
    return;
  std::vector<ValueDim> pending = {{graph.getResults(product).front(), *output.resultDim}};
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> seen;
  for (size_t i = 0; i < pending.size() && seen.size() < maxDims; ++i) {
    auto [cell, dim] = pending[i];
    if (!seen.insert({cell.get(), dim}).second)
      continue;
    for (UseId use : topology.getUses(cell)) {
      OpId user = topology.getUser(use);
      followUse(user, use.get() - graph.ops[user].firstUse, dim, output, pending);
    }
  }
}

/// Whether products of activations take the argument's matrix for each of several heads: an output is a batch of one,
/// or stays beside another that is summed over.
bool MatrixFinder::hasHeads(const MultipliedArgument &argument) {
  auto isSummed = [](const Output &output) { return output.isSummed; };
  return llvm::any_of(argument.outputs, [&](const Output &output) {
    return !output.isSummed && (output.isHead || (!output.reached.empty() && llvm::any_of(argument.outputs, isSummed)));
  });
}

/// Whether an output may be split. Products of activations do not sum over it, are not split along another factor (by
/// heads that share these values), and it is not summed over with an input of what is split by heads.
bool MatrixFinder::isKept(const Output &output) const {
  auto isSplitOtherwise = [&](const auto &reached) {
    auto split = splitProducts.find(reached.first.get());
    return split != splitProducts.end() && split->second != reached.second;
  };
  return !output.isSummed && llvm::none_of(output.reached, isSplitOtherwise) &&
         llvm::none_of(output.fed, [&](const auto &fed) { return bool(isSplitByHeads[fed.first]); });
}

/// The outputs that may be split, the best first, and notes what is split with them.
std::vector<uint32_t> MatrixFinder::chooseOutputs(const MultipliedArgument &argument) {
  bool isByHeads = hasHeads(argument);
  std::vector<const Output *> kept;
  for (const Output &output : argument.outputs)
    if (isKept(output) && (!isByHeads || !output.reached.empty()))
      kept.push_back(&output);
  llvm::ArrayRef<int64_t> shape = graph.getShape(argument.argument);
  llvm::sort(kept, [&](const Output *a, const Output *b) {
    auto getKey = [&](const Output *output) {
      return std::tuple(!output->isHead, -shape[output->argumentDim], output->argumentDim);
    };
    return getKey(a) < getKey(b);
  });
  std::vector<uint32_t> dims;
  for (const Output *output : kept) {
    dims.push_back(output->argumentDim);
    if (fedDims[argument.argument])
      continue;
    for (auto [op, factor] : output->reached)
      splitProducts.try_emplace(op.get(), factor);
    for (auto [fed, dim] : output->fed)
      if (!fedDims[fed])
        fedDims[fed] = FedDim{dim, isByHeads};
  }
  isSplitByHeads[argument.argument] = isByHeads && !dims.empty();
  return dims;
}

/// An argument that heads are summed over with is split along them, or not at all. Inputs are split where nothing is
/// said against outputs.
std::vector<uint32_t> MatrixFinder::orderDims(const MultipliedArgument &argument, std::vector<uint32_t> outputs) const {
  if (std::optional<FedDim> fed = fedDims[argument.argument]; fed && fed->isByHeads && fed->dim >= 0)
    return {static_cast<uint32_t>(fed->dim)};
  llvm::ArrayRef<int64_t> shape = graph.getShape(argument.argument);
  bool hasAllOutputs = outputs.size() == argument.outputs.size() && !isSplitByHeads[argument.argument];
  std::vector<uint32_t> order = std::move(outputs);
  auto append = [&](std::vector<uint32_t> dims) {
    llvm::sort(dims, [&](uint32_t a, uint32_t b) { return std::pair(-shape[a], a) < std::pair(-shape[b], b); });
    llvm::append_range(order, dims);
  };
  append(argument.batchDims);
  if (hasAllOutputs)
    append(argument.inDims);
  return order;
}

std::vector<Matrix> MatrixFinder::run() {
  for (uint32_t number = 0; number < graph.ops.size(); ++number) {
    OpId op(number);
    const Op &info = graph.ops[op];
    if (info.numDefinitions == 0 ||
        llvm::all_of(graph.getOperands(op), [&](CellId operand) { return views[operand].empty(); }))
      continue;
    if (info.opClass == OpClass::Contraction)
      noteProduct(op);
    else if (Views shown = followOp(op); !shown.empty())
      views[graph.getResults(op).front()] = std::move(shown);
  }
  for (MultipliedArgument &argument : found)
    for (Output &output : argument.outputs)
      followOutput(argument.product, output);
  // Heads decide first: what comes before them (a latent that keys and values are made of) is whole.
  std::vector<std::vector<uint32_t>> outputs(found.size());
  for (bool isByHeads : {true, false})
    for (auto [argument, dims] : llvm::zip_equal(found, outputs))
      if (hasHeads(argument) == isByHeads)
        dims = chooseOutputs(argument);
  std::vector<Matrix> matrices;
  for (auto [argument, dims] : llvm::zip_equal(found, outputs))
    matrices.push_back({argument.argument, orderDims(argument, std::move(dims))});
  return matrices;
}

std::vector<Matrix> findMatrices(const Topology &topology, llvm::ArrayRef<CellId> candidates) {
  return MatrixFinder(topology, candidates, /*areParameters=*/true).run();
}

std::vector<Matrix> findMatrices(const Topology &topology) {
  return MatrixFinder(topology, topology.getGraph().arguments, /*areParameters=*/false).run();
}

} // namespace partita::schedule
