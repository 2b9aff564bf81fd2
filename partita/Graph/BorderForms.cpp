//===- BorderForms.cpp - other forms of arguments and results -------------===//

#include "partita/Graph/BorderForms.h"

#include <optional>

namespace partita::graph {

/// Whether it takes a tensor and a scalar, and gives a tensor of that rank.
static bool takesTensorAndScalar(const Graph &graph, OpId op) {
  const Op &info = graph.ops[op];
  if (info.kind != OpKind::Other || info.numUses != 2 || info.numDefinitions != 1)
    return false;
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  return graph.cells[operands[1]].rank == 0 &&
         graph.cells[operands[0]].rank == graph.cells[graph.getResults(op)[0]].rank;
}

bool isPad(const Graph &graph, OpId op) {
  if (!takesTensorAndScalar(graph, op))
    return false;
  llvm::ArrayRef<int64_t> before = graph.getShape(graph.getOperands(op)[0]),
                          after = graph.getShape(graph.getResults(op)[0]);
  return before != after && llvm::all_of(llvm::zip_equal(before, after),
                                         [](auto sizes) { return std::get<0>(sizes) <= std::get<1>(sizes); });
}

bool isShift(const Graph &graph, OpId op) {
  return graph.ops[op].opClass == OpClass::Movement && takesTensorAndScalar(graph, op) &&
         graph.getShape(graph.getOperands(op)[0]) == graph.getShape(graph.getResults(op)[0]);
}

/// Whether the op has the form of a concatenation: along one dim the operands are together as long as the result.
static bool isConcatenation(const Graph &graph, OpId op) {
  const Op &info = graph.ops[op];
  if (info.kind != OpKind::Other || info.opClass != OpClass::Movement || info.numUses < 2 || info.numDefinitions != 1)
    return false;
  llvm::ArrayRef<int64_t> whole = graph.getShape(graph.getResults(op)[0]);
  llvm::SmallVector<int64_t> total(whole.size(), 0);
  for (CellId operand : graph.getOperands(op)) {
    llvm::ArrayRef<int64_t> shape = graph.getShape(operand);
    if (shape.size() != whole.size())
      return false;
    for (auto [dim, size] : llvm::enumerate(shape))
      total[dim] += size;
  }
  size_t numJoined = 0;
  for (auto [size, sum] : llvm::zip_equal(whole, total)) {
    if (size != sum && size * int64_t(info.numUses) != sum)
      return false;
    numJoined += size == sum;
  }
  return numJoined == 1;
}

namespace {

/// Finds concatenations of slices of one value that have its type again.
class OrderFinder {
public:
  explicit OrderFinder(const Graph &graph) : graph(graph), definitions(graph.cells.size()) {
    for (OpId op : idRange<OpId>(graph.ops.size()))
      for (CellId cell : graph.getResults(op))
        if (graph.cells[cell].kind == CellKind::OpResult)
          definitions[cell] = op;
  }

  struct Order {
    CellId source;
    std::vector<OpId> ops;
  };

  /// The value of which `op`, a concatenation or a reshape of one, gives the rows in another order; with all ops
  /// between them and `op`.
  std::optional<Order> find(OpId op) const;

private:
  bool haveSameType(CellId a, CellId b) const {
    return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
  }
  CellId walkBack(CellId from, CellId type, std::vector<OpId> &ops) const;

  const Graph &graph;
  IdVector<CellId, OpId> definitions;
};

} // namespace

/// Through slices and reshapes to a value of that type; invalid if there is none.
CellId OrderFinder::walkBack(CellId from, CellId type, std::vector<OpId> &ops) const {
  constexpr unsigned mostSteps = 4;
  bool isSliced = false;
  for (unsigned step = 0; step < mostSteps; ++step) {
    OpId op = definitions[from];
    if (!op.isValid() || (graph.ops[op].kind != OpKind::Slice && graph.ops[op].kind != OpKind::Reshape))
      return CellId();
    ops.push_back(op);
    isSliced |= graph.ops[op].kind == OpKind::Slice;
    from = graph.getOperands(op)[0];
    if (isSliced && haveSameType(from, type))
      return from;
  }
  return CellId();
}

std::optional<OrderFinder::Order> OrderFinder::find(OpId last) const {
  OpId concatenation = graph.ops[last].kind == OpKind::Reshape ? definitions[graph.getOperands(last)[0]] : last;
  if (!concatenation.isValid() || !isConcatenation(graph, concatenation))
    return std::nullopt;
  CellId result = graph.getResults(last)[0];
  Order order;
  for (CellId operand : graph.getOperands(concatenation)) {
    CellId source = walkBack(operand, result, order.ops);
    if (!source.isValid() || (order.source.isValid() && order.source != source))
      return std::nullopt;
    order.source = source;
  }
  order.ops.push_back(concatenation);
  order.ops.push_back(last);
  return order;
}

BorderForms::BorderForms(const Graph &graph) : sources(graph.ops.size()), parts(graph.ops.size(), 0) {
  OrderFinder finder(graph);
  IdVector<CellId, uint8_t> isReturned(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].role == IdentityRole::Result)
      for (CellId cell : graph.getOperands(op))
        isReturned[cell] = 1;
  auto isArgument = [&](CellId cell) { return graph.cells[cell].kind == CellKind::Argument; };
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    if (info.numDefinitions != 1 || info.numUses == 0)
      continue;
    bool returns = isReturned[graph.getResults(op)[0]];
    CellId operand = graph.getOperands(op)[0];
    if ((isPad(graph, op) && isArgument(operand)) || (info.kind == OpKind::Slice && returns)) {
      add(op, operand);
    } else if (std::optional<OrderFinder::Order> order = finder.find(op)) {
      if (!returns && !isArgument(order->source))
        continue;
      add(op, order->source);
      orders[order->source].push_back(op);
      for (OpId part : order->ops)
        parts[part] = 1;
    }
  }
}

llvm::ArrayRef<OpId> BorderForms::getOrders(CellId cell) const {
  auto found = orders.find(cell);
  return found == orders.end() ? llvm::ArrayRef<OpId>() : llvm::ArrayRef<OpId>(found->second);
}

} // namespace partita::graph
