//===- Flatten.cpp - from the normal form to the flat program -------------===//
//
// One walk in program order. Every value of the program has one cell, except
// values that depend on no argument: these have one cell for each use, with
// copies of the ops that compute them.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Flatten.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Graph/RulePool.h"
#include "partita/Program/AlikeOps.h"
#include "partita/Program/FlatNames.h"
#include "partita/Program/FlattenTypes.h"
#include "partita/Program/GivenShardings.h"
#include "partita/Program/IdentityRules.h"
#include "partita/Program/Loops.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Phases.h"
#include "partita/Program/Rules/RuleTable.h"
#include "partita/Program/Ties.h"
#include "partita/Program/UnknownOps.h"

using namespace mlir;

namespace partita::program {

namespace {

/// A value that depends on no argument.
struct FreeValue {
  /// Ops in its cone.
  unsigned size = 0;
  OpFacts *facts = nullptr;
};

class Flattener {
public:
  Flattener(func::FuncOp main, const FlattenOptions &options, const UserRules &rules)
      : main(main), options(options), rules(rules) {}

  Result<Flattened> run();

  /// Sets the values that differ between devices; call it before `run`.
  void setDeviceDependence(DeviceDependence values) {
    result.deviceDependence = std::move(values);
    knowsDependence = true;
  }
  /// Whether `run` met a collective without knowing which values differ.
  bool needsDependence() const { return meetsCollective && !knowsDependence; }

private:
  // Cells.
  /// A cell that has the shape and element type of `type`, and nothing else.
  const Cell &typeOf(Type type);
  CellId addCell(Value value, CellKind kind, RegionId region, uint32_t number, std::pair<NameId, uint32_t> name);
  CellId cellOf(Value value, RegionId region);
  RegionId addRegion(RegionKind kind, RegionId parent, int64_t trips, Location location);

  // Ops.
  OpId beginOp(Operation *op, NameId opName, RegionId region);
  /// Computes the rule of `op` and what follows from it, unless `facts` already have it. False on an error.
  bool ensureRule(Operation *op, OpFacts &facts);
  void addIdentity(Operation *source, IdentityRole role, CellId from, CellId to, RegionId region);
  void flattenBlock(Block &block, RegionId region);
  void flattenOp(Operation *op, RegionId region);
  /// `isCopy`: this is a copy of a free value for one of its uses. Returns the first result.
  CellId flattenOrdinary(Operation *op, OpFacts &facts, RegionId region, bool isCopy);
  void bindOperands(sdy::ManualComputationOp op, MutableArrayRef<CellId> operands, RegionId region);
  void addPredicate(Operation *source, Value predicate, RegionId region);
  void flattenWhile(stablehlo::WhileOp op, RegionId region);
  void flattenBranches(Operation *op, RegionId region);
  void flattenBarrier(Operation *op, RegionId region);
  void flattenReturn(Operation *op, RegionId region);
  void addStepped(const CountedLoop &loop, ArrayRef<CellId> carried, RegionId body);
  void addArguments(RegionId region);
  /// Adds the sharding that the program gives `cell`.
  void addSharding(CellId cell, Attribute sharding, Operation *owner) {
    if (differingCells.contains(cell.get()))
      return;
    if (Status wrong = givenShardings.add(cell, dyn_cast_or_null<sdy::TensorShardingAttr>(sharding), owner))
      fail(std::move(*wrong));
  }

  // Values that depend on no argument.
  unsigned countFree(Operation *op);
  CellId copyFree(Value value, RegionId region);

  void fail(Error why) {
    if (!error)
      error = std::move(why);
  }

  func::FuncOp main;
  const FlattenOptions &options;
  const UserRules &rules;
  Flattened result;
  Graph &graph = result.graph;
  RulePool pool{graph};
  ShapePool shapes{graph};
  FlatNames names{graph};
  GivenShardings givenShardings{graph};
  AlikeOps alikeOps;
  IdentityRules identityRules{pool};
  NameId identityName;
  llvm::DenseMap<Value, CellId> cells;
  llvm::DenseMap<Operation *, FreeValue> freeValues;
  llvm::DenseMap<Type, Cell> typedCells;
  UnknownOps unknown;
  /// Cells of values that differ between devices.
  llvm::DenseSet<uint32_t> differingCells;
  bool knowsDependence = false, meetsCollective = false;
  uint32_t nextSource = 0;
  Status error;
};

/// Cones of free values with more ops than this are not copied.
constexpr unsigned maxFreeOps = 64;

} // namespace

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

const Cell &Flattener::typeOf(Type type) {
  auto [it, isNew] = typedCells.try_emplace(type);
  Cell &cell = it->second;
  if (!isNew)
    return cell;
  ArrayRef<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape = tensor.getShape();
    cell.elementBits = getElementBits(tensor.getElementType());
    cell.element = names.intern(printElementType(tensor.getElementType()));
  }
  cell.rank = shape.size();
  cell.firstDim = shapes.add(shape);
  return cell;
}

CellId Flattener::addCell(Value value, CellKind kind, RegionId region, uint32_t number,
                          std::pair<NameId, uint32_t> name) {
  Cell cell;
  cell.kind = kind;
  cell.region = region;
  cell.number = number;
  std::tie(cell.name, cell.occurrence) = name;
  cell.location = names.internLocation(value.getLoc());
  const Cell &typed = typeOf(value.getType());
  cell.firstDim = typed.firstDim;
  cell.rank = typed.rank;
  cell.element = typed.element;
  cell.elementBits = typed.elementBits;
  CellId id = graph.cells.push_back(cell);
  if (result.deviceDependence.isDiffering(value)) {
    differingCells.insert(id.get());
    // Nothing may split it: all dims are closed.
    if (cell.rank > 0)
      graph.shardings.push_back({id, std::vector<GivenDim>(cell.rank), {}});
  }
  return id;
}

RegionId Flattener::addRegion(RegionKind kind, RegionId parent, int64_t trips, Location location) {
  Region region;
  region.kind = kind;
  region.parent = parent;
  region.trips = trips;
  region.location = names.internLocation(location);
  return graph.regions.push_back(region);
}

CellId Flattener::cellOf(Value value, RegionId region) {
  auto it = cells.find(value);
  if (it != cells.end())
    return it->second;
  return copyFree(value, region);
}

//===----------------------------------------------------------------------===//
// Values that depend on no argument
//===----------------------------------------------------------------------===//

/// Ops in the cone of `op`'s value if it is free, else 0.
unsigned Flattener::countFree(Operation *op) {
  unsigned size = 1;
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    unsigned inner = definition ? freeValues.lookup(definition).size : 0;
    if (inner == 0)
      return 0;
    size += inner;
  }
  return size <= maxFreeOps ? size : 0;
}

CellId Flattener::copyFree(Value value, RegionId region) {
  Operation *definition = value.getDefiningOp();
  FreeValue known = definition ? freeValues.lookup(definition) : FreeValue();
  assert(known.facts && "a value is used before it is flattened");
  return flattenOrdinary(definition, *known.facts, region, /*isCopy=*/true);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

OpId Flattener::beginOp(Operation *op, NameId opName, RegionId region) {
  Op entry;
  entry.region = region;
  entry.location = names.internLocation(op->getLoc());
  entry.source = nextSource;
  entry.firstUse = graph.uses.size();
  entry.firstDefinition = graph.definitions.size();
  result.origins.push_back(op);
  OpId id = graph.ops.push_back(entry);
  graph.setOpName(id, opName);
  return id;
}

bool Flattener::ensureRule(Operation *op, OpFacts &facts) {
  if (facts.hasRule)
    return true;
  Result<OpRule> rule = computeRule(op, rules);
  if (!rule) {
    fail(rule.error());
    return false;
  }
  facts.rule = pool.add(rule->rule);
  facts.flops = rule->flops ? *rule->flops : countFlops(op, rule->rule);
  facts.precision = findPrecision(op);
  facts.isUnknown = rule->isUnknown;
  facts.isUnpriced = rule->isUnpriced;
  facts.opName = names.intern(rule->opName.empty() ? op->getName().getStringRef() : rule->opName);
  return facts.hasRule = true;
}

void Flattener::addIdentity(Operation *source, IdentityRole role, CellId from, CellId to, RegionId region) {
  OpId id = beginOp(source, identityName, region);
  Op &op = graph.ops[id];
  op.opClass = OpClass::Identity;
  op.role = role;
  op.linearity = Linearity::Sum;
  graph.uses.push_back(from);
  graph.definitions.push_back(to);
  op.numUses = op.numDefinitions = 1;
  bool isDiffering = differingCells.contains(from.get()) || differingCells.contains(to.get());
  identityRules.get(graph.getShape(to), isDiffering).setOn(graph.ops[id]);
}

/// A manual computation fixes the shardings of its operands, whatever the sharding of the value elsewhere.
void Flattener::bindOperands(sdy::ManualComputationOp op, MutableArrayRef<CellId> operands, RegionId region) {
  for (auto [index, from] : llvm::enumerate(operands)) {
    CellId cell = addCell(op->getOperand(index), CellKind::OpResult, region, 0, names.nextName(op.getLoc()));
    addIdentity(op, IdentityRole::Boundary, from, cell, region);
    addSharding(cell, op.getInShardings().getSharding(index), op);
    from = cell;
  }
}

CellId Flattener::flattenOrdinary(Operation *op, OpFacts &facts, RegionId region, bool isCopy) {
  SmallVector<CellId> operands;
  for (Value operand : op->getOperands())
    operands.push_back(cellOf(operand, region));
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
    bindOperands(manual, operands, region);
  if (!ensureRule(op, facts))
    return CellId(0);
  if (facts.isUnknown || facts.isUnpriced)
    unknown.add(op, facts, std::max<int64_t>(1, graph.getMultiplicity(region)));
  RuleRange rule = facts.rule;
  if (result.deviceDependence.touchesDiffering(op)) {
    OpRule whole = rules::makeWholeRule(op, "everything: it is about values that differ between devices");
    canonicalizeRule(whole.rule);
    rule = pool.add(whole.rule);
  }
  Op &entry = graph.ops[beginOp(op, facts.opName, region)];
  rule.setOn(entry);
  entry.opClass = facts.opClass;
  entry.linearity = facts.linearity ? *facts.linearity : findLinearity(op);
  entry.flops = facts.flops;
  entry.precision = facts.precision;
  if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
    entry.role = IdentityRole::Constraint;
  auto name = names.nextName(op->getLoc());
  std::tie(entry.name, entry.occurrence) = name;
  for (CellId operand : operands)
    graph.uses.push_back(operand);
  entry.numUses = operands.size();
  entry.numDefinitions = op->getNumResults();
  CellId first;
  for (OpResult value : op->getResults()) {
    if (value.getResultNumber() > 0)
      name = names.nextName(op->getLoc());
    CellId cell = addCell(value, CellKind::OpResult, region, value.getResultNumber(), name);
    graph.definitions.push_back(cell);
    if (!isCopy) {
      cells[value] = cell;
      addSharding(cell, findGivenSharding(value), op);
    }
    if (!first.isValid())
      first = cell;
  }
  return first;
}

void Flattener::flattenOp(Operation *op, RegionId region) {
  ++nextSource;
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return flattenWhile(loop, region);
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return flattenBranches(op, region);
  if (isa<stablehlo::OptimizationBarrierOp>(op))
    return flattenBarrier(op, region);
  if (isa<func::ReturnOp>(op))
    return flattenReturn(op, region);
  OpFacts &facts = alikeOps.find(op);
  meetsCollective |= facts.isExistingCollective;
  if (needsDependence())
    return fail(Error::internal("devices differ"));
  if (facts.mayBeFree)
    if (unsigned size = countFree(op)) {
      freeValues[op] = {size, &facts};
      result.freeOps.insert(op);
      return;
    }
  flattenOrdinary(op, facts, region, /*isCopy=*/false);
}

void Flattener::flattenBlock(Block &block, RegionId region) {
  for (Operation &op : block)
    if (!error && !isa<stablehlo::ReturnOp>(op))
      flattenOp(&op, region);
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

void Flattener::addStepped(const CountedLoop &loop, ArrayRef<CellId> carried, RegionId body) {
  for (const SteppedOperand &step : loop.stepped) {
    CellId cell = step.carried ? carried[*step.carried] : cells.lookup(step.value);
    if (cell.isValid())
      graph.steppedDims.push_back({cell, static_cast<uint32_t>(step.dim), body});
  }
}

/// All devices must take the same branch, so the predicate is used whole.
void Flattener::addPredicate(Operation *source, Value predicate, RegionId region) {
  CellId from = cellOf(predicate, region);
  CellId cell = addCell(predicate, CellKind::OpResult, region, 0, names.nextName(source->getLoc()));
  addIdentity(source, IdentityRole::Boundary, from, cell, region);
}

void Flattener::flattenWhile(stablehlo::WhileOp op, RegionId region) {
  std::optional<CountedLoop> counted = analyzeLoop(op);
  int64_t trips = counted ? counted->tripCount : -1;
  RegionId condition = addRegion(RegionKind::LoopCondition, region, trips < 0 ? -1 : trips + 1, op.getLoc());
  RegionId body = addRegion(RegionKind::LoopBody, region, trips, op.getLoc());
  Block &conditionBlock = op.getCond().front();
  Block &bodyBlock = op.getBody().front();
  SmallVector<CellId> carried;
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    CellId from = cellOf(op->getOperand(index), region);
    CellId cell = addCell(value, CellKind::Carried, body, index, names.nextName(op.getLoc()));
    addIdentity(op, IdentityRole::Entry, from, cell, region);
    addSharding(cell, findGivenSharding(value), op);
    carried.push_back(cell);
    // One by one: a reference into the map does not outlive the next insertion.
    for (Value name : {Value(value), Value(bodyBlock.getArgument(index)), Value(conditionBlock.getArgument(index))})
      cells[name] = cell;
  }
  flattenBlock(conditionBlock, condition);
  if (error)
    return;
  addPredicate(op, conditionBlock.getTerminator()->getOperand(0), condition);
  flattenBlock(bodyBlock, body);
  if (error)
    return;
  for (auto [index, value] : llvm::enumerate(bodyBlock.getTerminator()->getOperands()))
    // A value that is passed on unchanged is the same cell already.
    if (CellId from = cellOf(value, body); from != carried[index])
      addIdentity(op, IdentityRole::Yield, from, carried[index], body);
  if (counted)
    addStepped(*counted, carried, body);
}

void Flattener::flattenBranches(Operation *op, RegionId region) {
  addPredicate(op, op->getOperand(0), region);
  SmallVector<CellId> results;
  for (OpResult value : op->getResults()) {
    results.push_back(addCell(value, CellKind::Branch, region, value.getResultNumber(), names.nextName(op->getLoc())));
    cells[value] = results.back();
  }
  for (mlir::Region &branch : op->getRegions()) {
    RegionId inner = addRegion(RegionKind::Branch, region, 1, op->getLoc());
    flattenBlock(branch.front(), inner);
    if (error)
      return;
    for (auto [index, value] : llvm::enumerate(branch.front().getTerminator()->getOperands()))
      addIdentity(op, IdentityRole::BranchYield, cellOf(value, inner), results[index], inner);
  }
}

void Flattener::flattenBarrier(Operation *op, RegionId region) {
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    CellId from = cellOf(op->getOperand(index), region);
    CellId cell = addCell(value, CellKind::OpResult, region, index, names.nextName(op->getLoc()));
    addIdentity(op, IdentityRole::Barrier, from, cell, region);
    cells[value] = cell;
  }
}

void Flattener::flattenReturn(Operation *op, RegionId region) {
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    CellId from = cellOf(value, region);
    CellId cell =
        addCell(value, CellKind::Result, region, index, {names.intern(nameResult(main, index)), noOccurrence});
    addIdentity(op, IdentityRole::Result, from, cell, region);
    addSharding(cell, main.getResultAttr(index, "sdy.sharding"), op);
    graph.results.push_back(cell);
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

void Flattener::addArguments(RegionId region) {
  for (BlockArgument argument : main.getArguments()) {
    unsigned index = argument.getArgNumber();
    CellId cell =
        addCell(argument, CellKind::Argument, region, index, {names.intern(nameArgument(main, index)), noOccurrence});
    cells[argument] = cell;
    graph.arguments.push_back(cell);
    if (main.getArgAttr(index, "tf.aliasing_output") || main.getArgAttr(index, "jax.buffer_donor"))
      graph.donated.push_back(cell);
    addSharding(cell, main.getArgAttr(index, "sdy.sharding"), main);
  }
}

/// The results that are written into arguments' buffers (`tf.aliasing_output`).
static std::vector<Tie> findAliases(func::FuncOp main, const Graph &graph) {
  std::vector<Tie> aliases;
  for (auto [index, argument] : llvm::enumerate(graph.arguments))
    if (auto number = main.getArgAttrOfType<IntegerAttr>(index, "tf.aliasing_output"))
      if (number.getType().isSignlessInteger() && number.getValue().ult(graph.results.size()))
        aliases.push_back({argument, graph.results[number.getValue().getZExtValue()]});
  return aliases;
}

Result<Flattened> Flattener::run() {
  identityName = names.intern("identity");
  RegionId program = addRegion(RegionKind::Program, RegionId(), 1, main.getLoc());
  graph.programName = main->getParentOfType<ModuleOp>().getName().value_or("").str();
  addArguments(program);
  flattenBlock(main.getBody().front(), program);
  if (!error)
    error = addTies(graph, options.ties, findAliases(main, graph));
  if (error)
    return std::move(*error);
  addBoundaries(graph);
  assignPhases(graph);
  canonicalizeNames(graph);
  result.unknown = unknown.list();
  return std::move(result);
}

Result<Flattened> flatten(ModuleOp module, const FlattenOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  assert(main && "flatten takes a normal form");
  Result<UserRules> rules = parseUserRules(options.rules);
  if (!rules)
    return rules.error();
  Flattener flattener(main, options, *rules);
  Result<Flattened> flattened = flattener.run();
  if (!flattener.needsDependence())
    return flattened;
  // Few programs have existing collectives. Only these need the analysis of what differs between devices.
  Flattener again(main, options, *rules);
  again.setDeviceDependence(findDeviceDependence(main));
  return again.run();
}

} // namespace partita::program
