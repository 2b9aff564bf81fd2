//===- ProductPieces.cpp - products that run beside their collectives -----===//

#include "partita/Cost/ProductPieces.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::cost {

//===----------------------------------------------------------------------===//
// The pieces of a plan
//===----------------------------------------------------------------------===//

ProductPieces::ProductPieces(std::vector<PiecedReshard> given) : list(std::move(given)) {
  for (const auto &[number, pieced] : llvm::enumerate(list)) {
    byReshard.emplace(pieced.reshard, static_cast<uint32_t>(number));
    for (const auto &[product, entry] : llvm::enumerate(pieced.products))
      byOp.emplace(entry.op, std::pair(static_cast<uint32_t>(number), static_cast<uint32_t>(product)));
  }
}

const PiecedReshard *ProductPieces::find(ReshardId reshard) const {
  auto found = byReshard.find(reshard);
  return found == byReshard.end() ? nullptr : &list[found->second];
}

std::optional<std::pair<const PiecedReshard *, const PiecedProduct *>> ProductPieces::find(OpId op) const {
  auto found = byOp.find(op);
  if (found == byOp.end())
    return std::nullopt;
  const PiecedReshard &pieced = list[found->second.first];
  return std::pair(&pieced, &pieced.products[found->second.second]);
}

//===----------------------------------------------------------------------===//
// What may run in pieces
//===----------------------------------------------------------------------===//

namespace {

class PieceFinder {
public:
  PieceFinder(const Assignment &assignment, const ReshardPlanner &planner, const Reshards &reshards, ReshardId id)
      : topology(assignment.getTopology()), graph(assignment.getGraph()), axes(assignment.getAxes()),
        assignment(assignment), plan(planner[reshards[id].plan]), reshards(reshards), id(id), reshard(reshards[id]) {}

  std::optional<PiecedReshard> run() {
    if (plan.steps.size() != 1 || !reshard.op.isValid() || !isOneDigit(plan.steps.front().axes))
      return std::nullopt;
    const ReshardStep &step = plan.steps.front();
    pieced.reshard = id;
    pieced.axes.assign(step.axes.begin(), step.axes.end());
    pieced.dim = step.dim;
    for (AxisId axis : step.axes)
      pieced.parts *= axes[axis].size;
    if (pieced.parts < 2 || pieced.parts > mostPieces)
      return std::nullopt;
    bool isFound = step.kind == CollectiveKind::AllGather       ? findGather()
                   : step.kind == CollectiveKind::ReduceScatter ? findScatter()
                                                                : false;
    return isFound ? std::optional(std::move(pieced)) : std::nullopt;
  }

private:
  /// The axes are one digit of the device's number, so that devices form circles.
  bool isOneDigit(llvm::ArrayRef<AxisId> list) const {
    for (size_t i = 1; i < list.size(); ++i)
      if (axes[list[i - 1]].stride != axes[list[i]].stride * axes[list[i]].size)
        return false;
    return !list.empty();
  }

  bool findGather();
  bool findScatter();
  bool addProduct(OpId op, uint32_t value, uint32_t dim);
  bool mayBeUniform(CellId cell, unsigned depth = 0) const;

  const Topology &topology;
  const Graph &graph;
  const Axes &axes;
  const Assignment &assignment;
  const ReshardPlan &plan;
  const Reshards &reshards;
  ReshardId id;
  const Reshard &reshard;
  PiecedReshard pieced;
};

} // namespace

static bool isEmpty(const Graph &graph, CellId cell) { return llvm::is_contained(graph.getShape(cell), 0); }

/// Values of which all elements along a dim may be equal: any piece of them is the right one, and the static check does
/// not follow which one a device has.
bool PieceFinder::mayBeUniform(CellId cell, unsigned depth) const {
  if (depth > 16)
    return false;
  // What a loop carries begins as what enters it; a branch may give what another one does not.
  if (llvm::ArrayRef<OpId> sources = topology.getDefinitions(cell); !sources.empty())
    return llvm::any_of(graph.cells[cell].kind == CellKind::Carried ? sources.take_front() : sources,
                        [&](OpId source) { return mayBeUniform(graph.getOperands(source)[0], depth + 1); });
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid())
    return false;
  const Op &op = graph.ops[definition];
  if (op.kind == OpKind::BroadcastInDim || op.kind == OpKind::Constant || op.numUses == 0)
    return true;
  auto isUniform = [&](CellId operand) {
    bool isSingle = llvm::all_of(graph.getShape(operand), [](int64_t size) { return size == 1; });
    return isSingle || isEmpty(graph, operand) || mayBeUniform(operand, depth + 1);
  };
  // An op that moves elements or computes each from those in its place gives equal ones if all operands do. Of others
  // (rows at equal indices, a product's rows, which are zeros without a contracted element, norms) one operand may be
  // enough.
  bool keepsPlaces =
      op.opClass == OpClass::Elementwise || op.opClass == OpClass::Movement || op.opClass == OpClass::Identity;
  if (keepsPlaces)
    return llvm::all_of(graph.getOperands(definition), isUniform);
  auto isUniformTensor = [&](CellId operand) { return graph.cells[operand].rank > 0 && isUniform(operand); };
  return llvm::any_of(graph.getOperands(definition), isUniformTensor);
}

/// Adds `op` if dim `dim` of its operand or result `value` is a dim of one operand and of the result.
bool PieceFinder::addProduct(OpId op, uint32_t value, uint32_t dim) {
  const Op &info = graph.ops[op];
  if (info.kind != OpKind::DotGeneral || info.numUses != 2 || info.numDefinitions != 1)
    return false;
  auto isHere = [&](const DimFactor &entry) { return entry.value == value && entry.dim == dim; };
  llvm::ArrayRef<DimFactor> dims = graph.getDimFactors(op);
  const DimFactor *here = llvm::find_if(dims, isHere);
  if (here == dims.end() || graph.getFactors(op)[here->factor].kind != FactorKind::Parallel)
    return false;
  PiecedProduct product{op, here->factor};
  unsigned numPlaces = 0;
  bool isInResult = false;
  for (const DimFactor &entry : dims) {
    auto isSameDim = [&](const DimFactor &other) { return other.value == entry.value && other.dim == entry.dim; };
    if (entry.factor != product.factor)
      continue;
    if (llvm::count_if(dims, isSameDim) != 1)
      return false;
    ++numPlaces;
    isInResult |= entry.value == info.numUses;
    if (entry.value == info.numUses)
      product.dim = entry.dim;
    else
      std::tie(product.operand, product.operandDim) = std::pair(entry.value, entry.dim);
  }
  auto hasNoElements = [&](CellId operand) { return isEmpty(graph, operand); };
  bool isRows = numPlaces == 2 && isInResult && llvm::none_of(graph.getOperands(op), hasNoElements);
  // The rows are cut once more.
  int64_t size = isRows ? graph.getFactors(op)[product.factor].size : 0;
  if (!isRows || size / assignment.getParts(topology.getNode(op), product.factor) % pieced.parts != 0 ||
      mayBeUniform(graph.getOperands(op)[product.operand]))
    return false;
  pieced.products.push_back(product);
  return true;
}

bool PieceFinder::findGather() {
  if (reshard.position != ReshardPosition::BeforeUse || !plan.to.partial.empty())
    return false;
  for (UseId use : topology.getUses(reshard.cell)) {
    if (reshards.uses[use] != id)
      continue;
    OpId op = topology.getUser(use);
    uint32_t operand = use.get() - graph.ops[op].firstUse;
    bool isOnce = llvm::count_if(graph.getOperands(op), [&](CellId cell) { return cell == reshard.cell; }) == 1;
    bool isRun = isOnce && graph.ops[op].region == reshard.region && addProduct(op, operand, pieced.dim);
    // Its rows may come from the other operand alone.
    if (isRun && pieced.products.back().operand != operand) {
      pieced.products.pop_back();
      isRun = false;
    }
    pieced.isWhole |= !isRun;
  }
  auto startsHere = [&](const Reshard &other) { return other.source == id; };
  pieced.isWhole |= llvm::any_of(reshards.list.raw(), startsHere) || llvm::is_contained(reshards.definitions, id);
  return !pieced.products.empty();
}

bool PieceFinder::findScatter() {
  pieced.isScatter = true;
  bool isOfOp = reshard.position == ReshardPosition::AfterDefinition && !reshard.source.isValid() &&
                plan.from.combiner == Combiner::Add && topology.getDefinition(reshard.cell) == reshard.op &&
                graph.cells[reshard.cell].kind == CellKind::OpResult;
  if (!isOfOp)
    return false;
  // Nothing takes the sums before they are scattered.
  for (UseId use : topology.getUses(reshard.cell))
    if (!reshards.uses[use].isValid())
      return false;
  for (ReshardId other : idRange<ReshardId>(reshards.size()))
    if (other != id && reshards[other].cell == reshard.cell && !reshards[other].source.isValid())
      return false;
  return addProduct(reshard.op, graph.ops[reshard.op].numUses, pieced.dim);
}

std::optional<PiecedReshard> findPieces(const Assignment &assignment, const ReshardPlanner &planner,
                                        const Reshards &reshards, ReshardId id) {
  return PieceFinder(assignment, planner, reshards, id).run();
}

/// Adds `times` runs of the same to the line of this kind and these axes; a new one if there is none.
static void addTo(std::vector<CollectiveCount> &counts, const CollectiveCount &more) {
  auto isSame = [&](const CollectiveCount &each) { return each.kind == more.kind && each.axes == more.axes; };
  auto line = llvm::find_if(counts, isSame);
  if (line == counts.end()) {
    counts.push_back(more);
    return;
  }
  line->count += more.count;
  line->payloadBytes += more.payloadBytes;
  line->sentBytes += more.sentBytes;
}

std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards, const ProductPieces &pieces) {
  std::vector<CollectiveCount> counts = countCollectives(assignment, planner, reshards);
  for (const PiecedReshard &pieced : pieces.getList()) {
    const Reshard &reshard = reshards[pieced.reshard];
    const ReshardStep &step = planner[reshard.plan].steps.front();
    int64_t trips = assignment.getGraph().getMultiplicity(reshard.region), times = trips < 0 ? 1 : trips;
    int64_t sentBytes = (step.sentBits + 7) / 8;
    addTo(counts, {step.kind, step.axes, -times, -times * step.payloadBytes, -times * sentBytes});
    int64_t permutes = times * (pieced.parts - 1), bytes = step.payloadBytes / pieced.parts;
    addTo(counts, {CollectiveKind::CollectivePermute, step.axes, permutes, permutes * bytes, permutes * bytes});
  }
  llvm::erase_if(counts, [](const CollectiveCount &each) { return each.count == 0; });
  llvm::sort(counts, [](const CollectiveCount &a, const CollectiveCount &b) {
    return std::tie(a.kind, a.axes) < std::tie(b.kind, b.axes);
  });
  return counts;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

PiecedCollective describePieces(const PiecedReshard &pieced, const Reshards &reshards, const Graph &graph,
                                const CellNames &names) {
  const Reshard &reshard = reshards[pieced.reshard];
  PiecedCollective named;
  named.isScatter = pieced.isScatter;
  named.value = names.getName(reshard.cell);
  if (!pieced.isScatter)
    named.user = names.getName(graph.getResults(reshard.op)[0]);
  return named;
}

static Error refuse(const PiecedCollective &named) {
  std::string what = named.isScatter
                         ? "the sums of '" + named.value + "' are not scattered along rows of its product"
                         : "no products take rows of '" + named.value + "', gathered before '" + named.user + "'";
  return Error::badInput(named.location, "\"matmul\": " + what + ", in pieces that no other entry has")
      .withRemedy("plan with --allow=matmul, which finds those that may run in pieces");
}

Result<ProductPieces> bindPieces(llvm::ArrayRef<PiecedCollective> named, const Assignment &assignment,
                                 const ReshardPlanner &planner, const Reshards &reshards, const CellNames &names) {
  std::vector<PiecedReshard> list;
  std::set<OpId> taken;
  auto isFree = [&](const PiecedReshard &pieced) {
    return llvm::none_of(pieced.products, [&](const PiecedProduct &product) { return taken.contains(product.op); });
  };
  for (const PiecedCollective &entry : named) {
    CellId value = names.find(entry.value), user = entry.isScatter ? value : names.find(entry.user);
    if (!value.isValid() || !user.isValid())
      return Error::badInput(entry.location, "the program has no value '" +
                                                 (value.isValid() ? entry.user : entry.value) + "', or several");
    OpId op = assignment.getTopology().getDefinition(user);
    std::optional<PiecedReshard> found;
    for (ReshardId id : idRange<ReshardId>(reshards.size())) {
      if (reshards[id].cell != value || reshards[id].op != op || found)
        continue;
      found = findPieces(assignment, planner, reshards, id);
      if (found && (found->isScatter != entry.isScatter || !isFree(*found)))
        found.reset();
    }
    if (!found)
      return refuse(entry);
    for (const PiecedProduct &product : found->products)
      taken.insert(product.op);
    list.push_back(std::move(*found));
  }
  return ProductPieces(std::move(list));
}

} // namespace partita::cost
