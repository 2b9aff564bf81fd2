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

  void findOrder(OpId op);
  DimOrder findResultOrder(OpId op) const;
  DimOrder findTransposedOrder(OpId op) const;
  DimOrder findRenamedOrder(OpId op) const;
  void markCopies(CellId cell);
  Groups findGroups(UseId use) const;
  bool isProduct(OpId op) const;
  DimOrder getOrder(CellId cell) const { return orders[cell].empty() ? listLongDims(graph, cell) : orders[cell]; }
  void setOrder(CellId cell, DimOrder order);

  DimOrders &found;
  IdVector<CellId, DimOrder> &orders;
  const Topology &topology;
  const Graph &graph;
  const IdVector<OpId, FusionRole> &roles;
  const IdVector<CellId, uint8_t> &isLight;
};

DimOrders::DimOrders(const Topology &topology, const IdVector<OpId, FusionRole> &roles,
                     const IdVector<CellId, uint8_t> &isLight) {
  const Graph &graph = topology.getGraph();
  orders.resize(graph.cells.size());
  copied.resize(graph.uses.size(), 0);
  copying.resize(graph.ops.size(), 0);
  relaid.resize(graph.cells.size(), 0);
  OrderFinder(*this, topology, roles, isLight).run();
}

void OrderFinder::run() {
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
  else if (graph.cells[operand].kind == CellKind::Carried && topology.getDefinitions(cell).size() == 1)
    found.relaid[cell] = !orders[operand].empty();
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
  case FusionRole::Update: {
    if (orders[operands[1]].empty())
      return {};
    DimOrder order;
    for (uint8_t dim : listLongDims(graph, cell))
      if (graph.getShape(operands[1])[dim] == 1)
        order.push_back(dim);
    order.append(orders[operands[1]]);
    return order;
  }
  case FusionRole::Identity:
    return orders[operands[0]];
  case FusionRole::Alone:
  case FusionRole::Reduction:
  case FusionRole::Constant:
    break;
  }
  return {};
}

/// For a reshape or broadcast that only adds or drops dims of one element: the k-th of the other dims stays the k-th.
DimOrder OrderFinder::findRenamedOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  DimOrder here = listLongDims(graph, cell), there = listLongDims(graph, operand), order;
  bool isRenamed = keepsDimOrder(graph.ops[op].kind) && here.size() == there.size() &&
                   llvm::all_of_zip(here, there, [&](uint8_t a, uint8_t b) {
                     return graph.getShape(cell)[a] == graph.getShape(operand)[b];
                   });
  if (isRenamed)
    for (uint8_t dim : orders[operand])
      order.push_back(here[llvm::find(there, dim) - there.begin()]);
  return order;
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
    Groups groups = findGroups(use);
    DimOrder ofLhs = join(groups.batching, groups.free, groups.contracted);
    DimOrder ofRhs = join(groups.batching, groups.contracted, groups.free);
    if (order == ofLhs || order == ofRhs || ofLhs.size() != order.size())
      isNeededSo = true;
    else
      asked.push_back({use, use.get() == graph.ops[op].firstUse ? ofLhs : ofRhs});
  }
  llvm::sort(asked, llvm::less_first());
  for (auto &[use, wanted] : asked)
    if (isNeededSo || wanted != asked.front().second) {
      found.copied[use] = 1;
      found.copying[topology.getUser(use)] = 1;
    }
}

} // namespace partita::cost
