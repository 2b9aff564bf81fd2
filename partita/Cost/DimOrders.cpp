//===- DimOrders.cpp - in which order dims lie in memory ------------------===//

#include "partita/Cost/DimOrders.h"

#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"

namespace partita {

DimOrders::DimOrders(const Topology &topology, const FusionPlan &fusion)
    : topology(topology), fusion(fusion), graph(topology.getGraph()) {
  orders.resize(graph.cells.size());
  copied.resize(graph.uses.size(), 0);
  copying.resize(graph.ops.size(), 0);
  relaid.resize(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    findOrder(op);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getRepresentative(cell) == cell && !fusion.isLight(cell))
      markCopies(cell);
}

/// Those of more than one element.
DimOrders::Order DimOrders::listDims(CellId cell) const {
  Order dims;
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
    if (size != 1)
      dims.push_back(static_cast<uint8_t>(dim));
  return dims;
}

void DimOrders::setOrder(CellId cell, Order order) {
  if (llvm::is_sorted(order))
    order.clear();
  orders[cell] = std::move(order);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

void DimOrders::findOrder(OpId op) {
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
    relaid[cell] = !orders[operand].empty();
}

DimOrders::Order DimOrders::findResultOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0];
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  llvm::StringRef kind = graph.getName(graph.ops[op].kind);
  auto take = [&](CellId from) {
    // The k-th dim of more than one element is the k-th one there.
    Order order, here = listDims(cell), there = listDims(from);
    if (orders[from].empty() || here.size() != there.size())
      return order;
    for (uint8_t dim : orders[from])
      order.push_back(here[llvm::find(there, dim) - there.begin()]);
    return order;
  };
  switch (fusion.getRole(op)) {
  case FusionRole::Elementwise:
    for (CellId operand : operands)
      if (!fusion.isLight(operand) && !orders[operand].empty() && graph.getShape(operand) == graph.getShape(cell))
        return orders[operand];
    return {};
  case FusionRole::Movement: {
    if (kind == "stablehlo.transpose")
      return findTransposedOrder(op);
    Order here = listDims(cell), there = listDims(operands[0]);
    bool isRenamed = (kind == "stablehlo.reshape" || kind == "stablehlo.broadcast_in_dim") &&
                     here.size() == there.size() && llvm::all_of_zip(here, there, [&](uint8_t a, uint8_t b) {
                       return graph.getShape(cell)[a] == graph.getShape(operands[0])[b];
                     });
    return isRenamed ? take(operands[0]) : Order();
  }
  case FusionRole::Slice: {
    Order order;
    if (kind != "stablehlo.gather")
      llvm::copy_if(orders[operands[0]], std::back_inserter(order),
                    [&](uint8_t dim) { return graph.getShape(cell)[dim] != 1; });
    return order;
  }
  case FusionRole::Update: {
    if (orders[operands[1]].empty())
      return {};
    Order order;
    for (uint8_t dim : listDims(cell))
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

DimOrders::Order DimOrders::findTransposedOrder(OpId op) const {
  CellId cell = graph.getResults(op)[0], operand = graph.getOperands(op)[0];
  llvm::SmallVector<uint8_t, 8> factors(graph.cells[operand].rank, noFactor);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0)
      factors[entry.dim] = entry.factor;
  Order order;
  for (uint8_t dim : fusion.isLight(operand) ? Order() : getOrder(operand))
    for (const DimFactor &entry : graph.getDimFactors(op))
      if (entry.value == 1 && entry.factor == factors[dim])
        order.push_back(static_cast<uint8_t>(entry.dim));
  return order.size() == listDims(cell).size() ? order : Order();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool DimOrders::isProduct(OpId op) const {
  return graph.getName(graph.ops[op].kind) == "stablehlo.dot_general" && graph.ops[op].numUses == 2;
}

/// The factors of a product are batching ones, free ones of lhs and of rhs, and contracted ones, each in its order.
DimOrders::Groups DimOrders::findGroups(UseId use) const {
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
    Order &group = !isThere ? groups.free : (where[factor] & 4) != 0 ? groups.batching : groups.contracted;
    group.push_back(dims[factor]);
  }
  return groups;
}

static llvm::SmallVector<uint8_t, 8> join(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b,
                                          llvm::ArrayRef<uint8_t> c) {
  llvm::SmallVector<uint8_t, 8> all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

void DimOrders::markCopies(CellId cell) {
  Order order = getOrder(cell);
  FusionRole role = graph.cells[cell].kind == CellKind::OpResult && topology.getDefinition(cell).isValid()
                        ? fusion.getRole(topology.getDefinition(cell))
                        : FusionRole::Alone;
  bool isNeededSo = role != FusionRole::Elementwise && role != FusionRole::Movement && role != FusionRole::Slice &&
                    role != FusionRole::Reduction;
  llvm::SmallVector<std::pair<UseId, Order>, 2> asked;
  for (UseId use : topology.getUses(cell)) {
    OpId op = topology.getUser(use);
    if (!isProduct(op)) {
      isNeededSo = true;
      continue;
    }
    Groups groups = findGroups(use);
    Order ofLhs = join(groups.batching, groups.free, groups.contracted);
    Order ofRhs = join(groups.batching, groups.contracted, groups.free);
    if (order == ofLhs || order == ofRhs || ofLhs.size() != order.size())
      isNeededSo = true;
    else
      asked.push_back({use, use.get() == graph.ops[op].firstUse ? ofLhs : ofRhs});
  }
  llvm::sort(asked, llvm::less_first());
  for (auto &[use, wanted] : asked)
    if (isNeededSo || wanted != asked.front().second) {
      copied[use] = 1;
      copying[topology.getUser(use)] = 1;
    }
}

} // namespace partita
