//===- DimOrders.cpp - in which order a tensor's dims lie in memory -------===//

#include "partita/Cost/DimOrders.h"

#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

DimOrder listLongDims(const Graph &graph, CellId cell) {
  DimOrder dims;
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
    if (size != 1)
      dims.push_back(static_cast<uint8_t>(dim));
  return dims;
}

bool isScattering(const Graph &graph, CellId cell, DimOrder from, DimOrder to) {
  // XLA makes tiles if so many elements lie innermost in them.
  constexpr int64_t leastTile = 16;
  for (DimOrder *order : {&from, &to})
    if (order->empty())
      *order = listLongDims(graph, cell);
  llvm::ArrayRef<int64_t> shape = graph.getShape(cell);
  if (to.empty() || shape[to.back()] >= leastTile)
    return false;
  int64_t size = 1;
  for (uint8_t dim : llvm::reverse(to)) {
    if (dim == from.back())
      return false;
    size *= shape[dim];
    if (size >= leastTile)
      break;
  }
  return true;
}

/// The order of a whole of which a part lies in `order`: dims along which the part has one element come first.
static DimOrder addOuterDims(const Graph &graph, CellId whole, CellId part, const DimOrder &order) {
  DimOrder all;
  for (uint8_t dim : listLongDims(graph, whole))
    if (graph.getShape(part)[dim] == 1)
      all.push_back(dim);
  all.append(order);
  return all;
}

/// Computes the orders, and which uses and loops copy.
class OrderFinder {
public:
  OrderFinder(DimOrders &found, const Topology &topology, const IdVector<OpId, FusionRole> &roles,
              const IdVector<CellId, uint8_t> &isLight)
      : found(found), orders(found.orders), topology(topology), graph(topology.getGraph()), roles(roles),
        isLight(isLight) {}

  void run();

private:
  /// The dims of a contraction's operand, by their role.
  struct Groups {
    DimOrder batching, free, contracted;
  };

  void findAsked(OpId op);
  bool isRenaming(OpId op) const;
  bool isChanged(CellId cell) const {
    return graph.cells[cell].kind == CellKind::Carried && topology.getDefinitions(cell).size() > 1;
  }
  bool isFilled(CellId cell) const;
  void findOrder(OpId op);
  DimOrder findResultOrder(OpId op) const;
  DimOrder findUpdatedOrder(OpId op) const;
  DimOrder findTransposedOrder(OpId op) const;
  DimOrder findRenamedOrder(OpId op) const;
  DimOrder findWrittenOrder(CellId cell) const;
  DimOrder rename(const DimOrder &order, CellId from, CellId to) const;
  void markCopies(CellId cell);
  void markCopied(UseId use, const DimOrder &order, const DimOrder &wanted);
  Groups findGroups(UseId use) const;
  std::pair<DimOrder, DimOrder> findTaken(UseId use) const;
  bool isProduct(OpId op) const;
  DimOrder getOrder(CellId cell) const { return orders[cell].empty() ? listLongDims(graph, cell) : orders[cell]; }
  void setOrder(CellId cell, DimOrder order);

  DimOrders &found;
  IdVector<CellId, DimOrder> &orders;
  const Topology &topology;
  const Graph &graph;
  const IdVector<OpId, FusionRole> &roles;
  const IdVector<CellId, uint8_t> &isLight;
  /// The order that the first product which reads the cell, or a slice of it, asks for if the cell lies as its dims;
  /// empty if no product reads it, or if that one takes it so.
  IdVector<CellId, DimOrder> asked;
};

DimOrders::DimOrders(const Topology &topology, const IdVector<OpId, FusionRole> &roles,
                     const IdVector<CellId, uint8_t> &isLight) {
  const Graph &graph = topology.getGraph();
  orders.resize(graph.cells.size());
  copied.resize(graph.uses.size(), 0);
  scattered.resize(graph.uses.size(), 0);
  copying.resize(graph.ops.size(), 0);
  relaid.resize(graph.cells.size(), 0);
  OrderFinder(*this, topology, roles, isLight).run();
}

void OrderFinder::run() {
  asked.resize(graph.cells.size());
  for (uint32_t number = graph.ops.size(); number-- > 0;)
    findAsked(OpId(number));
  for (OpId op : idRange<OpId>(graph.ops.size()))
    findOrder(op);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getRepresentative(cell) == cell && !isLight[cell])
      markCopies(cell);
}

void OrderFinder::setOrder(CellId cell, DimOrder order) {
  if (llvm::is_sorted(order))
    order.clear();
  orders[cell] = std::move(order);
}

//===----------------------------------------------------------------------===//
// Orders that products ask for
//===----------------------------------------------------------------------===//

/// Ops are visited from the last to the first: what the first product asks for stays.
void OrderFinder::findAsked(OpId op) {
  const Op &info = graph.ops[op];
  if (isProduct(op)) {
    for (uint32_t operand = 0; operand < info.numUses; ++operand) {
      UseId use(info.firstUse + operand);
      auto [first, second] = findTaken(use);
      CellId cell = graph.uses[use];
      DimOrder dims = listLongDims(graph, cell);
      bool isTaken = dims == first || dims == second || dims.size() != first.size();
      asked[cell] = isTaken ? DimOrder() : operand == 0 ? first : second;
    }
    return;
  }
  if (info.numUses == 0 || info.numDefinitions != 1 || asked[graph.getResults(op)[0]].empty())
    return;
  CellId operand = graph.getOperands(op)[0], result = graph.getResults(op)[0];
  if (isRenaming(op))
    asked[operand] = rename(asked[result], result, operand);
  else if (roles[op] == FusionRole::Slice && info.kind != OpKind::Gather)
    asked[operand] = addOuterDims(graph, operand, result, asked[result]);
}

/// A reshape or broadcast that only adds or drops dims of one element: the k-th of the other dims stays the k-th.
bool OrderFinder::isRenaming(OpId op) const {
  if (!keepsDimOrder(graph.ops[op].kind) || roles[op] != FusionRole::Movement)
    return false;
  CellId result = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  DimOrder here = listLongDims(graph, result), there = listLongDims(graph, operand);
  return here.size() == there.size() && llvm::all_of_zip(here, there, [&](uint8_t a, uint8_t b) {
           return graph.getShape(result)[a] == graph.getShape(operand)[b];
         });
}

DimOrder OrderFinder::rename(const DimOrder &order, CellId from, CellId to) const {
  DimOrder here = listLongDims(graph, from), there = listLongDims(graph, to), renamed;
  for (uint8_t dim : order)
    renamed.push_back(there[llvm::find(here, dim) - here.begin()]);
  return renamed;
}

/// What products ask of the value that an update writes, under whatever names it comes to it.
DimOrder OrderFinder::findWrittenOrder(CellId cell) const {
  OpId op = graph.cells[cell].kind == CellKind::OpResult ? topology.getDefinition(cell) : OpId();
  if (!asked[cell].empty() || !op.isValid() || !isRenaming(op))
    return asked[cell];
  CellId operand = graph.getOperands(op)[0];
  return rename(findWrittenOrder(operand), operand, cell);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

void OrderFinder::findOrder(OpId op) {
  if (graph.ops[op].numDefinitions != 1 || graph.ops[op].numUses == 0)
    return;
  CellId cell = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  if (graph.cells[cell].kind == CellKind::OpResult)
    return setOrder(cell, findResultOrder(op));
  if (graph.cells[cell].kind != CellKind::Carried)
    return;
  if (graph.ops[op].role == IdentityRole::Yield)
    orders[cell] = orders[operand];
  else if (isChanged(operand) && topology.getDefinitions(cell).size() == 1)
    found.relaid[cell] = orders[operand] != asked[cell];
}

DimOrder OrderFinder::findResultOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0];
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  OpKind kind = graph.ops[op].kind;
  switch (roles[op]) {
  case FusionRole::Elementwise:
    for (CellId operand : operands)
      if (!isLight[operand] && !orders[operand].empty() && graph.getShape(operand) == graph.getShape(cell))
        return orders[operand];
    return {};
  case FusionRole::Movement:
    return kind == OpKind::Transpose ? findTransposedOrder(op) : findRenamedOrder(op);
  case FusionRole::Slice: {
    DimOrder order;
    if (kind != OpKind::Gather)
      llvm::copy_if(orders[operands[0]], std::back_inserter(order),
                    [&](uint8_t dim) { return graph.getShape(cell)[dim] != 1; });
    return order;
  }
  case FusionRole::Update:
    return findUpdatedOrder(op);
  case FusionRole::Identity:
    return orders[operands[0]];
  case FusionRole::Alone:
  case FusionRole::Reduction:
  case FusionRole::Constant:
    break;
  }
  return {};
}

DimOrder OrderFinder::findRenamedOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  return isRenaming(op) ? rename(orders[operand], operand, cell) : DimOrder();
}

/// What a loop fills from constants lies as its pieces do, or as a product in that loop asks for them.
DimOrder OrderFinder::findUpdatedOrder(OpId op) const {
  CellId buffer = graph.getOperands(op)[0], piece = graph.getOperands(op)[1];
  DimOrder order = orders[piece];
  if (order.empty() && isFilled(buffer))
    order = findWrittenOrder(piece);
  return order.empty() ? order : addOuterDims(graph, graph.getResults(op)[0], piece, order);
}

/// Whether a loop carries and changes the cell, and begins with what is computed from constants alone.
bool OrderFinder::isFilled(CellId cell) const {
  OpId entry = isChanged(cell) ? topology.getDefinitions(cell)[0] : OpId();
  return entry.isValid() && graph.ops[entry].numUses == 1 && isLight[graph.getOperands(entry)[0]];
}

DimOrder OrderFinder::findTransposedOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  llvm::SmallVector<uint8_t, 8> factors(graph.cells[operand].rank, noFactor);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0)
      factors[entry.dim] = entry.factor;
  DimOrder order;
  for (uint8_t dim : isLight[operand] ? DimOrder() : getOrder(operand))
    for (const DimFactor &entry : graph.getDimFactors(op))
      if (entry.value == 1 && entry.factor == factors[dim])
        order.push_back(static_cast<uint8_t>(entry.dim));
  return order.size() == listLongDims(graph, cell).size() ? order : DimOrder();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool OrderFinder::isProduct(OpId op) const {
  return graph.ops[op].kind == OpKind::DotGeneral && graph.ops[op].numUses == 2;
}

/// The factors of a contraction are batching, free in lhs, free in rhs, and contracted, each group in its order.
OrderFinder::Groups OrderFinder::findGroups(UseId use) const {
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  llvm::SmallVector<uint8_t, 16> where(graph.ops[op].numFactors, 0);
  llvm::SmallVector<uint8_t, 16> dims(graph.ops[op].numFactors, 0);
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    where[entry.factor] |= 1 << entry.value;
    if (entry.value == operand)
      dims[entry.factor] = static_cast<uint8_t>(entry.dim);
  }
  Groups groups;
  for (uint32_t factor = 0; factor < where.size(); ++factor) {
    bool isHere = where[factor] & 1 << operand, isThere = where[factor] & 1 << (1 - operand);
    if (!isHere || graph.getShape(graph.uses[use])[dims[factor]] == 1)
      continue;
    DimOrder &group = !isThere ? groups.free : (where[factor] & 4) != 0 ? groups.batching : groups.contracted;
    group.push_back(dims[factor]);
  }
  return groups;
}

static DimOrder join(const DimOrder &a, const DimOrder &b, const DimOrder &c) {
  DimOrder all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

/// The orders in which a contraction takes an operand: batching, free and contracted dims; batching, contracted, free.
std::pair<DimOrder, DimOrder> OrderFinder::findTaken(UseId use) const {
  Groups groups = findGroups(use);
  return {join(groups.batching, groups.free, groups.contracted), join(groups.batching, groups.contracted, groups.free)};
}

void OrderFinder::markCopied(UseId use, const DimOrder &order, const DimOrder &wanted) {
  found.copied[use] = 1;
  found.copying[topology.getUser(use)] = 1;
  found.scattered[use] = isScattering(graph, graph.uses[use], order, wanted);
}

/// Only for results of kernels and contractions: arguments and values updated in place can be kept in the wanted order.
void OrderFinder::markCopies(CellId cell) {
  OpId definition = topology.getDefinition(cell);
  if (graph.cells[cell].kind != CellKind::OpResult || !definition.isValid())
    return;
  bool isNeededSo = isProduct(definition);
  if (!isNeededSo && roles[definition] != FusionRole::Elementwise && roles[definition] != FusionRole::Movement &&
      roles[definition] != FusionRole::Slice && roles[definition] != FusionRole::Reduction)
    return;
  DimOrder order = getOrder(cell);
  llvm::SmallVector<std::pair<UseId, DimOrder>, 2> asked;
  for (UseId use : topology.getUses(cell)) {
    OpId op = topology.getUser(use);
    if (!isProduct(op)) {
      isNeededSo = true;
      continue;
    }
    auto [ofLhs, ofRhs] = findTaken(use);
    if (order == ofLhs || order == ofRhs || ofLhs.size() != order.size())
      isNeededSo = true;
    else
      asked.push_back({use, use.get() == graph.ops[op].firstUse ? ofLhs : ofRhs});
  }
  llvm::sort(asked, llvm::less_first());
  for (auto &[use, wanted] : asked)
    if (isNeededSo || wanted != asked.front().second)
      markCopied(use, order, wanted);
}

} // namespace partita::cost
