//===- LocalScoring.cpp - a local program of anybody's, scored ------------===//

#include "partita/Driver/LocalScoring.h"

#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Evaluate/Devices.h"
#include "partita/Program/Diagnostics.h"
#include "partita/Simulate/Durations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;

namespace partita {

namespace {

/// A collective of the body: what runs each time, and between whom.
struct LocalCollective {
  OpId op;
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// The parts of mesh axes in which the devices of a group differ, `model` or `model:(1)2`, and their levels.
  std::vector<std::string> axes;
  LevelParts parts;
  int64_t payloadBytes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The body as a program
//===----------------------------------------------------------------------===//

static Result<Mesh> readMesh(sdy::ManualComputationOp manual) {
  sdy::MeshAttr mesh;
  for (sdy::TensorShardingPerValueAttr list : {manual.getInShardings(), manual.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : list.getShardings())
      if (!mesh)
        mesh = sdy::lookupMesh(sharding, manual);
  if (!mesh)
    return Error::badInput(placeOf(manual), "the manual computation names no mesh");
  Mesh result;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    result.axes.push_back({axis.getName().str(), axis.getSize()});
    if (axis.getSize() > 1 && !manual.isManual(axis.getName()))
      return Error::unsupported(placeOf(manual),
                                "axis '" + axis.getName().str() + "' is not manual, so this is no local program")
          .withRemedy("score the program itself with --annotated");
  }
  return result;
}

/// Copies the names and donations of what `main` passes in and gives back.
static void copyAttributes(func::FuncOp from, sdy::ManualComputationOp manual, func::FuncOp to) {
  auto copy = [](DictionaryAttr attributes, auto set) {
    if (!attributes)
      return;
    for (NamedAttribute attribute : attributes)
      if (!attribute.getName().strref().starts_with("sdy."))
        set(attribute.getName(), attribute.getValue());
  };
  for (auto [index, operand] : llvm::enumerate(manual.getTensors()))
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      copy(from.getArgAttrDict(argument.getArgNumber()),
           [&, i = index](StringAttr name, Attribute value) { to.setArgAttr(i, name, value); });
      to.getArgument(index).setLoc(argument.getLoc());
    }
  Operation *end = from.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(end->getOperands()))
    if (auto result = dyn_cast<OpResult>(value); result && result.getOwner() == manual.getOperation())
      copy(from.getResultAttrDict(number),
           [&](StringAttr name, Attribute value) { to.setResultAttr(result.getResultNumber(), name, value); });
}

/// Replaces `@main` of the copy by the body of its manual computation.
static void unwrap(func::FuncOp main, sdy::ManualComputationOp manual) {
  Block &body = manual.getBody().front();
  OpBuilder builder(main);
  auto type = FunctionType::get(main.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes());
  auto inner = func::FuncOp::create(builder, main.getLoc(), "main", type);
  inner.getBody().takeBody(manual.getBody());
  Operation *end = inner.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  copyAttributes(main, manual, inner);
  main.erase();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static std::optional<CollectiveKind> findKind(llvm::StringRef name) {
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::AllToAll, CollectiveKind::CollectivePermute,
                              CollectiveKind::AllReduce, CollectiveKind::ReduceScatter})
    if (name == ("stablehlo." + getName(kind)).str())
      return kind;
  return std::nullopt;
}

/// The devices of one group; of a permute, all that something is sent between, from the first of them on.
static Result<evaluate::Group> findGroup(Operation *op, int64_t numDevices) {
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    evaluate::Group group;
    for (const APInt &device : permute.getSourceTargetPairs().getValues<APInt>())
      if (!llvm::is_contained(group, device.getSExtValue()))
        group.push_back(device.getSExtValue());
    llvm::sort(group);
    return group;
  }
  auto groups =
      evaluate::computeGroups(op, op->getAttr("replica_groups"), evaluate::GroupStrategy::CrossPartition, numDevices);
  if (!groups)
    return groups.error();
  return groups->empty() ? evaluate::Group() : groups->front();
}

/// Names and levels of the axes in which the devices of the group differ. A group that is no product of parts of axes
/// is taken for all of the axes that it touches.
static void findAxes(const evaluate::Group &group, const Mesh &mesh, const Placement &placement,
                     LocalCollective &collective) {
  int64_t stride = mesh.getNumDevices();
  for (size_t number = 0; number < mesh.axes.size(); ++number) {
    const MeshAxis &axis = mesh.axes[number];
    stride /= axis.size;
    std::vector<int64_t> positions;
    for (int64_t device : group)
      if (int64_t position = device / stride % axis.size; !llvm::is_contained(positions, position))
        positions.push_back(position);
    llvm::sort(positions);
    int64_t size = static_cast<int64_t>(positions.size());
    if (size <= 1)
      continue;
    int64_t step = positions[1] - positions[0];
    bool isPart = axis.size % (size * step) == 0;
    for (size_t i = 1; i < positions.size(); ++i)
      isPart &= positions[i] - positions[i - 1] == step;
    if (!isPart || size == axis.size) {
      collective.axes.push_back(axis.name);
      collective.parts.append(placement.axes[number]);
      continue;
    }
    int64_t before = axis.size / (size * step);
    collective.axes.push_back(axis.name + ":(" + std::to_string(before) + ")" + std::to_string(size));
    collective.parts.append(placeSubAxis(placement.axes[number], before, size));
  }
}

static Result<std::vector<LocalCollective>> findCollectives(const Planning &planning, const Placement &placement) {
  const Graph &graph = planning.getGraph();
  const Mesh &mesh = planning.axes.mesh;
  std::vector<LocalCollective> list;
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    std::optional<CollectiveKind> kind = findKind(graph.getName(graph.ops[id].kind));
    if (!kind)
      continue;
    Result<evaluate::Group> group = findGroup(planning.flattened.origins[id], mesh.getNumDevices());
    if (!group)
      return group.error();
    LocalCollective collective;
    collective.op = id;
    collective.kind = *kind;
    findAxes(*group, mesh, placement, collective);
    bool isGather = *kind == CollectiveKind::AllGather;
    for (CellId cell : isGather ? graph.getResults(id) : graph.getOperands(id))
      collective.payloadBytes += graph.getBytes(cell);
    list.push_back(std::move(collective));
  }
  return list;
}

static CollectivePrice price(const Machine &machine, const LocalCollective &collective) {
  static constexpr Collective kinds[] = {Collective::AllGather, Collective::AllGather,
                                         Collective::AllToAll,  Collective::CollectivePermute,
                                         Collective::AllReduce, Collective::ReduceScatter};
  CollectiveRequest request;
  request.kind = kinds[static_cast<unsigned>(collective.kind)];
  request.parts = collective.parts;
  request.payloadBytes = collective.payloadBytes;
  return priceCollective(machine, request);
}

//===----------------------------------------------------------------------===//
// The score
//===----------------------------------------------------------------------===//

namespace {

/// Puts the collectives of the body into a pricing of it, and into its score.
class LocalScorer {
public:
  LocalScorer(LocalScore &result, llvm::ArrayRef<LocalCollective> collectives)
      : result(result), graph(result.planning->getGraph()), pricing(*result.pricing), collectives(collectives) {}

  void run() {
    Durations durations = computeDurations(pricing.model, pricing.tracker, pricing.transfers, pricing.planner);
    durations.opStreams.resize(graph.ops.size(), computeStream);
    for (const LocalCollective &collective : collectives)
      setDuration(collective, durations);
    SimulationOptions options;
    options.assumedTrips = pricing.model.getOptions().assumedTrips;
    pricing.timeline = simulate(*result.planning->topology, pricing.transfers, durations, options);
    result.score = buildScore(*result.planning, pricing.transfers, pricing.planner, &pricing);
    for (const LocalCollective &collective : collectives)
      add(collective);
  }

private:
  void setDuration(const LocalCollective &collective, Durations &durations) {
    uint32_t outermost = UINT32_MAX;
    for (const LevelPart &part : collective.parts)
      if (part.size > 1)
        outermost = std::min(outermost, part.level);
    durations.ops[collective.op] = price(pricing.machine, collective).timePs;
    if (outermost != UINT32_MAX)
      durations.opStreams[collective.op] = outermost + 1;
  }

  void add(const LocalCollective &collective) {
    const Op &op = graph.ops[collective.op];
    int64_t times = pricing.model.getTimes(op.region);
    CollectivePrice found = price(pricing.machine, collective);
    std::string kind = getName(collective.kind).str();
    std::vector<ScoreCollective> &list = result.score.collectives;
    auto entry = llvm::find_if(
        list, [&](const ScoreCollective &known) { return known.kind == kind && known.axes == collective.axes; });
    if (entry == list.end())
      entry = list.insert(list.end(), {kind, collective.axes, 0, 0, 0, 0});
    entry->count += times;
    entry->bytes += times * collective.payloadBytes;
    entry->wireBytes += times * found.getWireBytes();
    *entry->timePs += times * found.timePs;
    std::vector<ScoreLevel> &levels = result.score.prices->levels;
    if (levels.empty())
      for (const Level &level : pricing.machine.levels)
        levels.push_back({level.name, 0, 0});
    for (size_t level = 0; level < found.wireBytes.size() && level < levels.size(); ++level) {
      levels[level].bytes += times * found.wireBytes[level];
      levels[level].busyPs = pricing.timeline.busyPs[level + 1];
    }
  }

  LocalScore &result;
  const Graph &graph;
  Pricing &pricing;
  llvm::ArrayRef<LocalCollective> collectives;
};

} // namespace

Result<LocalScore> scoreLocal(ModuleOp local, const Options &options, StageClock &clock) {
  LocalScore result;
  result.body = OwningOpRef<ModuleOp>(local.clone());
  auto main = result.body->lookupSymbol<func::FuncOp>("main");
  llvm::SmallVector<sdy::ManualComputationOp> found;
  main.walk([&](sdy::ManualComputationOp op) { found.push_back(op); });
  if (found.size() > 1 || (found.empty() && options.mesh.empty()))
    return Error::badInput(placeOf(main), "@main has " + std::to_string(found.size()) +
                                              " manual computations: a local program has one")
        .withRemedy("local.mlir, as partita plan writes it, is one");
  Options planOptions = options;
  planOptions.schedule = planOptions.plan = planOptions.local = "";
  planOptions.annotated = "local";
  if (!found.empty()) {
    Result<Mesh> mesh = readMesh(found.front());
    if (!mesh)
      return mesh.error();
    planOptions.mesh = mesh->str();
    unwrap(main, found.front());
  }
  auto planning = makePlanning(*result.body, planOptions, clock);
  if (!planning)
    return planning.error();
  result.planning = std::move(*planning);
  auto pricing = makePricing(*result.planning, planOptions, clock);
  if (!pricing)
    return pricing.error();
  result.pricing = std::move(*pricing);
  auto collectives = findCollectives(*result.planning, result.pricing->placement);
  if (!collectives)
    return collectives.error();
  LocalScorer(result, *collectives).run();
  return result;
}

} // namespace partita
