//===- CarriedReductions.cpp - reductions a loop makes an iteration later -===//

#include "partita/Cost/CarriedReductions.h"

#include "partita/Cost/Exchanges.h"
#include "partita/Graph/ElementTypes.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <set>

namespace partita::cost {

bool onlyReduces(const ReshardPlan &plan) {
  return llvm::all_of(plan.steps, [](const ReshardStep &step) {
    return step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter;
  });
}

static bool isInside(const Graph &graph, RegionId region, RegionId outer) {
  for (; region.isValid(); region = graph.regions[region].parent)
    if (region == outer)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What takes the reduced value
//===----------------------------------------------------------------------===//

namespace {

/// What a value would be if what is reduced were zero: zero, what the loop carries in a cell, or a slice of that.
struct Given {
  enum class Kind : uint8_t { Other, Zero, State, Slice };

  Kind kind = Kind::Other;
  CellId state;
  OpId slice;
  bool operator==(const Given &) const = default;
};

const Given zero{Given::Kind::Zero, CellId(), OpId()};

/// The ops that depend on one reduced value, up to the values that the loop carries.
class SuffixCheck {
public:
  SuffixCheck(const Assignment &assignment, const Reshards &reshards, ReshardId id)
      : topology(assignment.getTopology()), graph(assignment.getGraph()), assignment(assignment), reshards(reshards),
        id(id), body(reshards[id].region) {}

  bool run();

private:
  bool addUsers(CellId cell);
  bool addYield(OpId yield);
  bool addSlice(CellId cell);
  bool isSuffixOp(OpId op) const;
  bool isPlain(OpId op) const;
  bool isTaken(UseId use) const;
  bool isState(CellId cell) const;
  bool isZero(CellId cell, unsigned depth = 0) const;
  bool isFirstZero(CellId state) const;
  Given find(CellId cell) const;
  Given compute(OpId op) const;
  bool writesBack(OpId write, OpId slice) const;
  bool isYielded(CellId cell) const;
  bool isOwn(CellId state) const;
  bool keepsStates();

  const Topology &topology;
  const Graph &graph;
  const Assignment &assignment;
  const Reshards &reshards;
  ReshardId id;
  RegionId body;
  std::set<OpId> ops;
  /// The yields of the carried values.
  std::vector<OpId> yields;
  std::map<CellId, Given> given;
};

} // namespace

bool isSmall(const Graph &graph, CellId cell) {
  constexpr int64_t most = 64;
  int64_t size = 1;
  for (int64_t length : graph.getShape(cell))
    size *= std::min<int64_t>(length, most + 1);
  return size <= most;
}

bool SuffixCheck::isState(CellId cell) const {
  return graph.cells[cell].kind == CellKind::Carried && graph.cells[cell].region == body;
}

/// Whether a device's part of the op is that op, on pieces. A slice along a dim that is split is none: each device
/// looks whether it has the rows.
bool SuffixCheck::isPlain(OpId op) const {
  const Op &info = graph.ops[op];
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  if (!listExchanges(assignment, op).collectives.empty())
    return false;
  if (info.kind != OpKind::DynamicSlice && info.kind != OpKind::DynamicUpdateSlice)
    return true;
  uint32_t part = info.kind == OpKind::DynamicSlice ? info.numUses : 1;
  CellId slice = part == 1 ? operands[1] : graph.getResults(op)[0];
  llvm::ArrayRef<int64_t> sizes = graph.getShape(operands[0]), partSizes = graph.getShape(slice);
  Sharding whole = assignment.getValueSharding(op, 0), piece = assignment.getValueSharding(op, part);
  return llvm::all_of(llvm::seq(sizes.size()), [&](size_t dim) {
    return partSizes[dim] > 0 && (sizes[dim] == partSizes[dim] || (whole.dims[dim].empty() && piece.dims[dim].empty()));
  });
}

bool SuffixCheck::isSuffixOp(OpId op) const {
  const Op &info = graph.ops[op];
  bool isKnown = info.opClass == OpClass::Elementwise || info.opClass == OpClass::Movement ||
                 info.kind == OpKind::DynamicUpdateSlice;
  return isKnown && info.region == body && info.numDefinitions == 1 && info.role == IdentityRole::None && isPlain(op) &&
         !reshards.getDefinition(graph, op, 0).isValid();
}

/// Whether the next iteration may be given it, or it is there anyway.
bool SuffixCheck::isTaken(UseId use) const {
  CellId cell = graph.uses[use];
  if (reshards.uses[use].isValid())
    return isSmall(graph, cell) && !isZero(cell);
  return isSmall(graph, cell) || !isInside(graph, graph.cells[cell].region, body) || isZero(cell);
}

bool SuffixCheck::addYield(OpId yield) {
  CellId state = graph.getResults(yield)[0];
  bool isPlain = graph.ops[yield].role == IdentityRole::Yield && isState(state) &&
                 !reshards.getDefinition(graph, yield, 0).isValid() && topology.getDefinitions(state).size() == 2;
  if (isPlain)
    yields.push_back(yield);
  return isPlain;
}

/// Adds what takes a value of the suffix.
bool SuffixCheck::addUsers(CellId cell) {
  bool isFirst = cell == reshards[id].cell;
  return llvm::all_of(topology.getUses(cell), [&](UseId use) {
    OpId op = topology.getUser(use);
    if (reshards.uses[use] != (isFirst ? id : ReshardId()))
      return false;
    if (graph.ops[op].role == IdentityRole::Yield)
      return addYield(op);
    if (!isSuffixOp(op))
      return false;
    return !ops.insert(op).second || addUsers(graph.getResults(op)[0]);
  });
}

/// Whether the op gives zeros if all that it takes are zeros.
static bool keepsZeros(const Op &op) {
  return op.numUses > 0 && (op.linearity == Linearity::Sum || op.kind == OpKind::Convert ||
                            (op.linearity == Linearity::First && op.numUses == 1));
}

/// Zeros, moved or not.
bool SuffixCheck::isZero(CellId cell, unsigned depth) const {
  OpId op = topology.getDefinition(cell);
  if (!op.isValid() || graph.cells[cell].kind != CellKind::OpResult || depth > 8)
    return false;
  if (graph.ops[op].linearity == Linearity::Zero)
    return true;
  if (!keepsZeros(graph.ops[op]) || !isPlain(op))
    return false;
  return llvm::all_of(llvm::seq(graph.ops[op].numUses), [&](uint32_t number) {
    UseId use(graph.ops[op].firstUse + number);
    return !reshards.uses[use].isValid() && isZero(graph.uses[use], depth + 1);
  });
}

bool SuffixCheck::isFirstZero(CellId state) const {
  OpId entry = topology.getDefinitions(state).front();
  return graph.ops[entry].role == IdentityRole::Entry && isZero(graph.getOperands(entry)[0]) &&
         !reshards.uses[UseId(graph.ops[entry].firstUse)].isValid() &&
         !reshards.getDefinition(graph, entry, 0).isValid();
}

Given SuffixCheck::find(CellId cell) const {
  if (auto found = given.find(cell); found != given.end())
    return found->second;
  if (isState(cell))
    return isFirstZero(cell) ? zero : Given{Given::Kind::State, cell, OpId()};
  return isZero(cell) ? zero : Given();
}

/// Whether it writes a slice to where it was read. Where all of a dim is read, the index does not matter.
bool SuffixCheck::writesBack(OpId write, OpId slice) const {
  llvm::ArrayRef<CellId> from = graph.getOperands(slice).drop_front(1), to = graph.getOperands(write).drop_front(2);
  llvm::ArrayRef<int64_t> whole = graph.getShape(graph.getOperands(write)[0]);
  llvm::ArrayRef<int64_t> part = graph.getShape(graph.getResults(slice)[0]);
  return from.size() == whole.size() && to.size() == whole.size() &&
         llvm::all_of(llvm::seq(whole.size()),
                      [&](size_t dim) { return whole[dim] == part[dim] || from[dim] == to[dim]; });
}

Given SuffixCheck::compute(OpId op) const {
  const Op &info = graph.ops[op];
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  auto isZeroOperand = [&](CellId operand) { return find(operand).kind == Given::Kind::Zero; };
  if (keepsZeros(info) && llvm::all_of(operands, isZeroOperand))
    return zero;
  if (info.kind == OpKind::Add && llvm::any_of(operands, isZeroOperand))
    return find(operands[isZeroOperand(operands[0]) ? 1 : 0]);
  if (info.kind != OpKind::DynamicSlice && info.kind != OpKind::DynamicUpdateSlice)
    return {};
  Given first = find(operands[0]);
  if (info.kind == OpKind::DynamicSlice)
    return first.kind == Given::Kind::State ? Given{Given::Kind::Slice, first.state, op} : first;
  Given second = find(operands[1]);
  bool keepsFirst = first.kind == Given::Kind::Zero
                        ? second == first
                        : first.kind == Given::Kind::State && second.kind == Given::Kind::Slice &&
                              second.state == first.state && writesBack(op, second.slice);
  return keepsFirst ? first : Given();
}

bool SuffixCheck::isYielded(CellId cell) const {
  return llvm::any_of(yields, [&](OpId yield) { return graph.getResults(yield)[0] == cell; });
}

/// Whether the loop carries the value for the suffix alone. What takes it behind the loop does not matter.
bool SuffixCheck::isOwn(CellId state) const {
  return llvm::all_of(topology.getUses(state), [&](UseId use) {
    OpId user = topology.getUser(use);
    if (ops.contains(user))
      return !reshards.uses[use].isValid();
    RegionId region = graph.ops[user].region;
    return !isInside(graph, region, body) && graph.regions[region].kind != RegionKind::LoopCondition;
  });
}

/// Adds the op that reads a slice of what the loop carries for the suffix; false if the cell is something else.
bool SuffixCheck::addSlice(CellId cell) {
  OpId op = topology.getDefinition(cell);
  if (!op.isValid() || graph.ops[op].kind != OpKind::DynamicSlice || graph.ops[op].region != body ||
      !isYielded(graph.getOperands(op)[0]) || reshards.getDefinition(graph, op, 0).isValid())
    return false;
  auto isOfSuffix = [&](UseId use) { return ops.contains(topology.getUser(use)) && !reshards.uses[use].isValid(); };
  if (!llvm::all_of(topology.getUses(cell), isOfSuffix))
    return false;
  auto isIndex = [&](uint32_t number) { return isTaken(UseId(graph.ops[op].firstUse + number)); };
  return isPlain(op) && llvm::all_of(llvm::seq<uint32_t>(1, graph.ops[op].numUses), isIndex) && ops.insert(op).second;
}

/// Whether what the loop carries stays as it is if what is reduced is zero, and all else that the suffix takes is
/// there an iteration later.
bool SuffixCheck::keepsStates() {
  given[reshards[id].cell] = zero;
  for (OpId op : std::vector<OpId>(ops.begin(), ops.end()))
    for (uint32_t number = 0; number < graph.ops[op].numUses; ++number) {
      UseId use(graph.ops[op].firstUse + number);
      CellId operand = graph.uses[use];
      bool isMade = operand == reshards[id].cell || ops.contains(topology.getDefinition(operand));
      if (!isMade && !isYielded(operand) && !addSlice(operand) && !isTaken(use))
        return false;
    }
  for (OpId op : ops)
    given[graph.getResults(op)[0]] = compute(op);
  return llvm::all_of(yields, [&](OpId yield) {
    CellId state = graph.getResults(yield)[0];
    Given first = find(state);
    return first == find(graph.getOperands(yield)[0]) && isOwn(state);
  });
}

bool SuffixCheck::run() { return addUsers(reshards[id].cell) && !yields.empty() && keepsStates(); }

//===----------------------------------------------------------------------===//
// The middle
//===----------------------------------------------------------------------===//

namespace {

/// Sums up the flops of products that an op of a loop's body waits for within an iteration, or that wait for it.
class WorkSums {
public:
  WorkSums(const Topology &topology, RegionId body)
      : topology(topology), graph(topology.getGraph()), body(body), seen(graph.ops.size(), 0) {}

  int64_t countBefore(OpId op) { return count(op, /*isBefore=*/true); }
  int64_t countBehind(OpId op) { return count(op, /*isBefore=*/false); }

private:
  int64_t count(OpId first, bool isBefore);
  int64_t getWork(OpId op) const;

  const Topology &topology;
  const Graph &graph;
  RegionId body;
  /// The number of the last sum that has the op.
  IdVector<OpId, uint32_t> seen;
  uint32_t number = 0;
};

} // namespace

/// Of a product, in one iteration of the body.
int64_t WorkSums::getWork(OpId op) const {
  int64_t work = graph.ops[op].opClass == OpClass::Contraction ? graph.ops[op].flops : 0;
  for (RegionId region = graph.ops[op].region; region != body; region = graph.regions[region].parent)
    work = multiplySaturated(work, std::max<int64_t>(1, graph.regions[region].trips));
  return work;
}

int64_t WorkSums::count(OpId first, bool isBefore) {
  std::vector<OpId> pending{first};
  int64_t sum = 0;
  seen[first] = ++number;
  auto visit = [&](OpId op) {
    if (!op.isValid() || seen[op] == number || !isInside(graph, graph.ops[op].region, body))
      return;
    seen[op] = number;
    pending.push_back(op);
  };
  while (!pending.empty()) {
    OpId op = pending.back();
    pending.pop_back();
    if (isBefore || op != first)
      sum = addSaturated(sum, getWork(op));
    for (CellId cell : isBefore ? graph.getOperands(op) : graph.getResults(op)) {
      // What the loop itself carries comes from the iteration before, or goes to the next.
      if (graph.cells[cell].kind == CellKind::Carried && graph.cells[cell].region == body)
        continue;
      if (isBefore) {
        visit(topology.getDefinition(cell));
        llvm::for_each(topology.getDefinitions(cell), visit);
      } else {
        for (UseId use : topology.getUses(cell))
          visit(topology.getUser(use));
      }
    }
  }
  return sum;
}

/// Each takes time linear in the body.
static constexpr size_t mostProducts = 64;

static std::vector<OpId> listProducts(const Graph &graph, RegionId body) {
  std::vector<OpId> products;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].region == body && graph.ops[op].opClass == OpClass::Contraction &&
        graph.ops[op].numDefinitions == 1)
      products.push_back(op);
  size_t step = products.size() / mostProducts + 1;
  std::vector<OpId> some;
  for (size_t number = 0; number < products.size(); number += step)
    some.push_back(products[number]);
  return some;
}

OpId LoopMiddles::find(RegionId body) {
  auto [place, isNew] = known.try_emplace(body);
  if (!isNew)
    return place->second;
  WorkSums sums(topology, body);
  int64_t most = 0;
  for (OpId op : listProducts(topology.getGraph(), body)) {
    int64_t least = std::min(sums.countBefore(op), sums.countBehind(op));
    if (least > most) {
      most = least;
      place->second = op;
    }
  }
  return place->second;
}

//===----------------------------------------------------------------------===//
// What can be carried
//===----------------------------------------------------------------------===//

bool mayCarry(const Assignment &assignment, const ReshardPlanner &planner, const Reshards &reshards, ReshardId id) {
  const Reshard &reshard = reshards[id];
  const ReshardPlan &plan = planner[reshard.plan];
  const Graph &graph = assignment.getGraph();
  if (reshard.position != ReshardPosition::AfterDefinition || !reshard.op.isValid() || reshard.source.isValid() ||
      graph.cells[reshard.cell].kind != CellKind::OpResult || !isReal(graph, reshard.cell) ||
      graph.regions[reshard.region].kind != RegionKind::LoopBody || graph.ops[reshard.op].region != reshard.region)
    return false;
  if (plan.from.partial.empty() || !plan.to.partial.empty() || plan.from.combiner != Combiner::Add ||
      plan.steps.empty() || !onlyReduces(plan))
    return false;
  auto startsHere = [&](const Reshard &other) { return other.source == id; };
  return llvm::none_of(reshards.list.raw(), startsHere) && SuffixCheck(assignment, reshards, id).run();
}

} // namespace partita::cost
