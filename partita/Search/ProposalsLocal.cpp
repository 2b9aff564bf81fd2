//===- ProposalsLocal.cpp - moves on single ops and uses ------------------===//

#include "partita/Cost/Exchanges.h"
#include "partita/Search/MoveBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

/// Adds each factor of the contractions with most work, for all layers together.
void MoveBuilder::addFactors() {
  std::vector<std::pair<double, OpId>> ops;
  std::map<uint32_t, std::vector<CellId>> results;
  auto getKind = [&](OpId id) { return options.opKinds.empty() ? id.get() : options.opKinds[id]; };
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    if (op.opClass != OpClass::Contraction || op.numDefinitions != 1)
      continue;
    std::vector<CellId> &ofKind = results[getKind(id)];
    if (ofKind.empty())
      ops.emplace_back(-double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region))), id);
    ofKind.push_back(graph.getResults(id).front());
  }
  llvm::sort(ops);
  ops.resize(std::min<size_t>(ops.size(), options.maxOps));
  for (const auto &[work, id] : ops)
    addFactors(id, addTarget(results[getKind(id)]));
}

/// Moves for each factor of `op`, on `target`, its result and those of ops like it.
void MoveBuilder::addFactors(OpId op, TargetId target) {
  NodeId node = topology.getNode(op);
  for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor)
    for (const NamedAxis &axis : axes) {
      int64_t rest = base.getPartSize(topology.getOpFactor(node, static_cast<uint8_t>(factor)));
      for (AxisId part : axis.parts)
        rest = rest > 0 && rest % base.getAxes()[part].size == 0 ? rest / base.getAxes()[part].size : -1;
      if (rest > 0)
        add(MoveRole::Factor, GroupKind::Inner, axis, MoveEntry{ActionKind::Assign, target, factor});
    }
}

/// Devices that have the same of what one stage sends to the next may each send a part of it. Those of all passes are
/// one move.
void MoveBuilder::addSends() {
  std::map<std::vector<int64_t>, std::vector<OpId>> sends;
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    if (!isShift(graph, id))
      continue;
    llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getResults(id).front());
    sends[std::vector<int64_t>(shape.begin(), shape.end())].push_back(id);
  }
  for (const auto &[shape, ops] : sends) {
    std::vector<CellId> results;
    for (OpId op : ops)
      results.push_back(graph.getResults(op).front());
    addFactors(ops.front(), addTarget(results));
  }
}

/// For parameters with several uses: one reshard for all uses, and one for each.
void MoveBuilder::addReshards() {
  std::vector<std::pair<int64_t, GroupId>> order;
  for (GroupId id : idRange<GroupId>(groups.list.size()))
    if (groups.list[id].kind == GroupKind::Parameter && topology.getUses(groups.list[id].members.front()).size() > 1)
      order.emplace_back(-groups.list[id].bytes, id);
  llvm::sort(order);
  order.resize(std::min<size_t>(order.size(), options.maxReshards));
  for (const auto &[bytes, id] : order) {
    std::vector<CellId> all;
    std::vector<std::vector<CellId>> single;
    for (CellId member : groups.list[id].members) {
      size_t number = 0;
      for (UseId use : topology.getUses(member)) {
        llvm::ArrayRef<CellId> results = graph.getResults(topology.getUser(use));
        if (results.size() != 1 || graph.cells[results.front()].kind != CellKind::OpResult)
          continue;
        all.push_back(results.front());
        single.resize(std::max(single.size(), number + 1));
        single[number++].push_back(results.front());
      }
    }
    if (single.size() < 2 || single.size() > 4)
      continue;
    llvm::SmallVector<MoveEntry> merged{{ActionKind::Group, TargetId(id.get()), std::nullopt, addTarget(all)}}, split;
    for (std::vector<CellId> &users : single)
      split.push_back({ActionKind::Group, TargetId(id.get()), std::nullopt, addTarget(std::move(users))});
    for (const NamedAxis &axis : axes) {
      add(MoveRole::Reshards, GroupKind::Parameter, axis, merged);
      add(MoveRole::Reshards, GroupKind::Parameter, axis, split);
    }
  }
}

} // namespace partita::search
