//===- LateProducts.cpp - how much later products may run -----------------===//

#include "partita/Cost/LateProducts.h"

#include "partita/Cost/IssueWindow.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace partita::cost {

namespace {

/// Walks from the last op to the first and knows where each value is needed first.
class LatestOps {
public:
  LatestOps(const Graph &graph, const IdVector<OpId, FusionRole> &roles)
      : graph(graph), roles(roles), barriers(graph.regions.size()), firstOps(graph.regions.size()),
        homes(graph.cells.size()), firstUses(graph.cells.size(), OpId(static_cast<uint32_t>(graph.ops.size()))) {
    for (uint32_t number = graph.ops.size(); number-- > 0;) {
      OpId op(number);
      for (RegionId region = graph.ops[op].region; region.isValid(); region = graph.regions[region].parent)
        firstOps[region] = op;
      for (CellId cell : graph.getResults(op))
        homes[cell] = graph.ops[op].region;
    }
  }

  /// The op before the first that needs what `op` makes; `op` itself if it does not wait for that. A product does not
  /// pass `limit`, unless it is for a barrier.
  OpId visit(OpId op, OpId limit) {
    OpId latest = mayWait(op) ? std::max(op, OpId(findFirstUse(op).get() - 1)) : op;
    if (graph.ops[op].opClass == OpClass::Contraction && !isForBarrier(op))
      latest = std::min(latest, limit);
    for (CellId cell : graph.getOperands(op))
      firstUses[cell] = std::min(firstUses[cell], findEntry(cell, op, latest));
    if (graph.ops[op].role == IdentityRole::Barrier)
      addBarrier(op);
    return latest;
  }

private:
  bool mayWait(OpId op) const {
    const Op &info = graph.ops[op];
    if (info.numDefinitions != 1 || graph.cells[graph.getResults(op)[0]].kind != CellKind::OpResult)
      return false;
    switch (roles[op]) {
    case FusionRole::Elementwise:
    case FusionRole::Movement:
    case FusionRole::Slice:
    case FusionRole::Reduction:
    case FusionRole::Constant:
      return true;
    case FusionRole::Alone:
      return info.opClass == OpClass::Contraction;
    case FusionRole::Update:
    case FusionRole::Identity:
      return false;
    }
    return false;
  }

  /// A barrier is one op for each value that passes it.
  void addBarrier(OpId op) {
    Barrier &next = barriers[graph.ops[op].region];
    next = {op, next.first.isValid() && next.first.get() == op.get() + 1 ? next.last : op};
  }

  /// Whether the next barrier is the first to need what the op makes.
  bool isForBarrier(OpId op) const {
    OpId first = mayWait(op) ? findFirstUse(op) : op;
    const Barrier &next = barriers[graph.ops[op].region];
    return next.first.isValid() && first >= next.first && first <= next.last;
  }

  /// Nothing needs a value without uses: it is made where it stands.
  OpId findFirstUse(OpId op) const {
    OpId first = firstUses[graph.getResults(op)[0]];
    return first.get() < graph.ops.size() ? first : op;
  }

  /// Where a use at `user` begins: the first op of the loop or branch around it that the cell is not made in.
  OpId findEntry(CellId cell, OpId user, OpId latest) const {
    RegionId region = graph.ops[user].region, home = homes[cell];
    if (region == home || !home.isValid())
      return latest;
    while (region.isValid() && graph.regions[region].parent != home)
      region = graph.regions[region].parent;
    return region.isValid() ? firstOps[region] : user;
  }

  struct Barrier {
    OpId first, last;
  };

  const Graph &graph;
  const IdVector<OpId, FusionRole> &roles;
  /// The next barrier of each region.
  IdVector<RegionId, Barrier> barriers;
  IdVector<RegionId, OpId> firstOps;
  /// The region in which a cell is made; invalid for arguments.
  IdVector<CellId, RegionId> homes;
  IdVector<CellId, OpId> firstUses;
};

} // namespace

/// What products of the same place in two layers have in common: region, kind, types and shapes.
static std::vector<int64_t> describe(const Graph &graph, OpId op) {
  std::vector<int64_t> words = {graph.ops[op].region.get(), static_cast<int64_t>(graph.ops[op].kind)};
  for (llvm::ArrayRef<CellId> cells : {graph.getOperands(op), graph.getResults(op)})
    for (CellId cell : cells) {
      words.push_back(graph.cells[cell].elementBits);
      words.push_back(graph.cells[cell].rank);
      llvm::append_range(words, graph.getShape(cell));
    }
  return words;
}

IdVector<OpId, OpId> computeLatestOps(const Graph &graph, const IdVector<OpId, FusionRole> &roles, uint32_t size) {
  IdVector<OpId, uint8_t> isAlone;
  for (FusionRole role : roles.raw())
    isAlone.push_back(role == FusionRole::Alone);
  std::vector<OpWindow> windows = computeWindows(graph, isAlone, size);
  IdVector<OpId, OpId> found(graph.ops.size());
  LatestOps walk(graph, roles);
  std::map<std::vector<int64_t>, OpId> alike;
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId op(number), limit = windows[number].done;
    bool isProduct = graph.ops[op].opClass == OpClass::Contraction;
    if (isProduct) {
      auto [next, isNew] = alike.try_emplace(describe(graph, op), op);
      if (!isNew)
        limit = std::min(limit, std::exchange(next->second, op));
    }
    OpId latest = walk.visit(op, limit);
    found[op] = isProduct ? latest : op;
  }
  return found;
}

} // namespace partita::cost
