//===- Seeds.cpp - strategies of experts, found by structure --------------===//

#include "partita/Search/Seeds.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace partita::search {

namespace {

/// One use of an axis: its word in the seed's name, and the moves.
struct Part {
  llvm::StringRef word;
  Moves moves;
};

/// The use of an axis: its parts in order. Roles with less weight are more usual.
struct Role {
  std::vector<Part> parts;
  bool isData = false;
  uint32_t weight = 0;
};

struct AxisRoles {
  std::string axis;
  std::vector<Role> roles;
  /// Z1, Z2 and Z3: parts on optimizer state and parameters.
  std::vector<Part> zeros;
  /// Moves on gradients that loops keep; empty if there are none.
  Moves gradients;
};

class SeedBuilder {
public:
  SeedBuilder(StateEvaluator &evaluator, const MoveTable &table, size_t maxSeeds)
      : evaluator(evaluator), table(table), maxSeeds(maxSeeds) {}

  std::vector<Seed> build();

private:
  /// The moves of the axis with these roles, those that split most work first.
  std::vector<MoveId> list(const std::string &axis, llvm::ArrayRef<MoveRole> roles,
                           llvm::ArrayRef<GroupKind> kinds) const;
  /// Takes from `moves`, in order, those that split contractions and none that an earlier one splits; at most
  /// `maxLength`.
  Moves cover(llvm::ArrayRef<MoveId> moves, size_t maxLength) const;
  Moves findSequence(const std::string &axis, llvm::ArrayRef<MoveId> batch) const;
  Moves findContext(const std::string &axis, llvm::ArrayRef<MoveId> batch) const;
  Moves findExperts(const std::string &axis);
  AxisRoles findRoles(const std::string &axis);
  void combine(llvm::ArrayRef<AxisRoles> axes);
  void add(llvm::ArrayRef<AxisRoles> axes, llvm::ArrayRef<const Role *> chosen);
  void addZeros(llvm::ArrayRef<AxisRoles> axes, llvm::ArrayRef<const Role *> chosen,
                llvm::ArrayRef<llvm::StringRef> order, llvm::StringRef zeroWord, bool overAll);
  void addOneLiners(llvm::ArrayRef<std::string> axes);
  void evaluate();

  StateEvaluator &evaluator;
  const MoveTable &table;
  size_t maxSeeds;
  std::vector<Seed> seeds;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::vector<MoveId> SeedBuilder::list(const std::string &axis, llvm::ArrayRef<MoveRole> roles,
                                      llvm::ArrayRef<GroupKind> kinds) const {
  std::vector<MoveId> found;
  for (MoveId id : idRange<MoveId>(table.moves.size())) {
    const Move &move = table.moves[id];
    if (move.axis == axis && llvm::is_contained(roles, move.role) && llvm::is_contained(kinds, move.kind))
      found.push_back(id);
  }
  llvm::sort(found, [&](MoveId a, MoveId b) {
    return std::pair(-table.reaches[a].flops, a) < std::pair(-table.reaches[b].flops, b);
  });
  return found;
}

Moves SeedBuilder::cover(llvm::ArrayRef<MoveId> moves, size_t maxLength) const {
  Moves chosen;
  std::set<NodeId> covered;
  for (MoveId move : moves) {
    const std::vector<NodeId> &products = table.reaches[move].products;
    auto isCovered = [&](NodeId node) { return covered.count(node) != 0; };
    if (table.reaches[move].flops <= 0 || chosen.size() == maxLength || llvm::any_of(products, isCovered))
      continue;
    chosen.push_back(move);
    covered.insert(products.begin(), products.end());
  }
  return chosen;
}

/// Tiles of the residual sum along a dim that neither parameters nor the batch have.
Moves SeedBuilder::findSequence(const std::string &axis, llvm::ArrayRef<MoveId> batch) const {
  constexpr size_t maxLength = 6;
  Moves chosen;
  for (MoveId id : list(axis, MoveRole::Tile, GroupKind::Inner)) {
    const MoveReach &reach = table.reaches[id];
    bool isBatch = !batch.empty() && table.reaches[batch.front()].nodes == reach.nodes;
    if (reach.startsAtResidual && !reach.splitsParameters && !isBatch && chosen.size() < maxLength)
      chosen.push_back(id);
  }
  llvm::sort(chosen);
  return chosen;
}

/// Moves on another dim of the same input that split at least half as much work as the batch.
Moves SeedBuilder::findContext(const std::string &axis, llvm::ArrayRef<MoveId> batch) const {
  if (batch.empty())
    return {};
  const MoveEntry &first = table.moves[batch.front()].entries.back();
  for (MoveId id : list(axis, {MoveRole::Side, MoveRole::Tile}, GroupKind::Input)) {
    const MoveEntry &entry = table.moves[id].entries.back();
    bool isOther = entry.target == first.target && entry.dim != first.dim;
    if (isOther && table.reaches[id].flops * 2 >= table.reaches[batch.front()].flops)
      return {id};
  }
  return {};
}

/// Tries the few cuts that split most work alone and takes the best.
Moves SeedBuilder::findExperts(const std::string &axis) {
  constexpr size_t maxTried = 12;
  std::vector<MoveId> cuts = list(axis, MoveRole::Cut, {GroupKind::Parameter, GroupKind::State});
  cuts.resize(std::min(cuts.size(), maxTried));
  std::vector<Moves> lists;
  lists.reserve(cuts.size());
  for (MoveId move : cuts)
    lists.push_back({move});
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::optional<size_t> best;
  auto getRank = [&](size_t i) {
    return std::pair(evaluator.getSpace().getBlend(answers[i].rating, 0), answers[i].rating);
  };
  for (size_t i = 0; i < lists.size(); ++i)
    if (answers[i].rating != Rating::worst() && answers[i].isEffective(0) && (!best || getRank(i) < getRank(*best)))
      best = i;
  return best ? lists[*best] : Moves();
}

AxisRoles SeedBuilder::findRoles(const std::string &axis) {
  constexpr size_t maxChains = 12;
  std::vector<MoveId> inputs = list(axis, MoveRole::Tile, {GroupKind::Input, GroupKind::State});
  llvm::erase_if(inputs, [&](MoveId id) { return table.reaches[id].splitsParameters; });
  Moves all = cover(inputs, maxChains), batch;
  if (!all.empty())
    batch.push_back(all.front());
  std::vector<MoveId> chains, tables, open;
  for (MoveId id : list(axis, MoveRole::Tile, GroupKind::Parameter)) {
    const MoveReach &reach = table.reaches[id];
    (reach.splitsResidual ? open : reach.splitsTable ? tables : chains).push_back(id);
  }
  Moves model = cover(chains, maxChains), vocabulary = cover(tables, 2), embedding = cover(open, 2);
  Moves sequence = findSequence(axis, batch), experts = findExperts(axis);

  AxisRoles found;
  found.axis = axis;
  auto addRole = [&](bool isData, uint32_t weight, std::initializer_list<Part> parts) {
    Role role{{}, isData, weight};
    for (const Part &part : parts)
      if (!part.moves.empty())
        role.parts.push_back(part);
    // A role without its last part equals another role.
    if (parts.size() == 0 || !std::prev(parts.end())->moves.empty())
      found.roles.push_back(std::move(role));
  };
  addRole(true, 0, {{"BP", batch}});
  addRole(false, 1, {{"MP", model}});
  addRole(false, 1, {{"MP", model}, {"VOCAB", vocabulary}});
  addRole(false, 1, {{"MP", model}, {"VOCAB", vocabulary}, {"SEQ", sequence}});
  if (all.size() > 1)
    addRole(true, 1, {{"BP*", all}});
  addRole(true, 1, {{"EP", experts}, {"BP", batch}});
  addRole(false, 3, {{"EP", experts}, {"MP", model}});
  addRole(true, 2, {{"CP", findContext(axis, batch)}});
  addRole(false, 3, {{"EMB", embedding}});
  addRole(false, 3, {});
  auto addZero = [&](llvm::StringRef word, MoveRole role) {
    std::vector<MoveId> moves = list(axis, role, {GroupKind::Parameter, GroupKind::OptimizerState});
    if (!moves.empty())
      found.zeros.push_back({word, Moves{moves.front()}});
  };
  addZero("Z1", MoveRole::AllOptimizerState);
  addZero("Z2", MoveRole::OptimizerStateAlone);
  addZero("Z3", MoveRole::AllParameters);
  addZero("Z3*", MoveRole::EveryParameter);
  if (std::vector<MoveId> moves = list(axis, MoveRole::AllGradients, GroupKind::Parameter); !moves.empty())
    found.gradients.push_back(moves.front());
  return found;
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

static void append(std::string &name, Moves &moves, const Part &part, const std::string &axis) {
  name += (name.empty() ? "" : "+") + part.word.str() + "(" + axis + ")";
  moves.append(part.moves);
}

/// Adds the roles, part by part in the order of experts; then the same with each Z over the data axes, and over all
/// axes; and with GRAD of those axes, which comes before the batch and after the splits of parameters inside blocks.
void SeedBuilder::add(llvm::ArrayRef<AxisRoles> axes, llvm::ArrayRef<const Role *> chosen) {
  static constexpr llvm::StringRef order[] = {"EP", "BP", "BP*", "CP", "MP", "EMB", "VOCAB", "SEQ"};
  static constexpr llvm::StringRef withGradients[] = {"EP", "MP", "EMB", "VOCAB", "GRAD", "BP", "BP*", "CP", "SEQ"};
  bool isMixed = llvm::any_of(chosen, [](const Role *role) { return !role->isData; });
  addZeros(axes, chosen, order, "", false);
  for (llvm::StringRef word : {"Z3", "Z3*", "Z2", "Z1"})
    for (bool overAll : {false, true}) {
      if (overAll && !isMixed)
        continue;
      addZeros(axes, chosen, order, word, overAll);
      addZeros(axes, chosen, withGradients, word, overAll);
    }
}

/// Adds the parts in that order, followed by one Z part; nothing if a requested part does not exist.
void SeedBuilder::addZeros(llvm::ArrayRef<AxisRoles> axes, llvm::ArrayRef<const Role *> chosen,
                           llvm::ArrayRef<llvm::StringRef> order, llvm::StringRef zeroWord, bool overAll) {
  std::string name;
  Moves moves;
  auto mayZero = [&](size_t i) { return overAll || chosen[i]->isData; };
  bool hasGradients = !llvm::is_contained(order, "GRAD"), hasZeros = zeroWord.empty();
  for (llvm::StringRef word : order)
    for (size_t i = 0; i < axes.size(); ++i) {
      for (const Part &part : chosen[i]->parts)
        if (part.word == word)
          append(name, moves, part, axes[i].axis);
      if (word == "GRAD" && mayZero(i) && !axes[i].gradients.empty()) {
        append(name, moves, {word, axes[i].gradients}, axes[i].axis);
        hasGradients = true;
      }
    }
  for (size_t i = 0; i < axes.size(); ++i)
    for (const Part &zero : axes[i].zeros)
      if (mayZero(i) && zero.word == zeroWord) {
        append(name, moves, zero, axes[i].axis);
        hasZeros = true;
      }
  if (hasGradients && hasZeros && !moves.empty() && moves.size() <= maxMoves)
    seeds.push_back({name, moves, {}});
}

void SeedBuilder::combine(llvm::ArrayRef<AxisRoles> axes) {
  using Combination = std::vector<const Role *>;
  std::vector<Combination> combinations{{}};
  for (const AxisRoles &axis : axes) {
    std::vector<Combination> longer;
    for (const Combination &combination : combinations)
      for (const Role &role : axis.roles) {
        longer.push_back(combination);
        longer.back().push_back(&role);
      }
    combinations = std::move(longer);
  }
  // By weight, then in the order in which they were built.
  std::map<uint32_t, std::vector<Combination>> byWeight;
  for (Combination &combination : combinations) {
    uint32_t weight = 0;
    for (const Role *role : combination)
      weight += role->weight;
    byWeight[weight].push_back(std::move(combination));
  }
  for (const auto &[weight, list] : byWeight)
    for (const Combination &combination : list)
      if (seeds.size() < maxSeeds)
        add(axes, combination);
}

/// Adds what anybody writes in one line, by sizes alone: inputs over all axes; with these, all other arguments or all
/// state over all axes; one axis for the largest dims of the other arguments, or for the second dim of inputs. Names of
/// seeds that roles give come first, if both are one state.
void SeedBuilder::addOneLiners(llvm::ArrayRef<std::string> axes) {
  struct Line {
    llvm::StringRef word;
    MoveRole role;
    std::vector<std::string> over;
  };
  auto addLines = [&](llvm::ArrayRef<Line> lines) {
    Seed seed;
    for (const Line &line : lines)
      for (const std::string &axis : line.over)
        for (MoveId move : list(axis, line.role, {GroupKind::Input, GroupKind::Parameter, GroupKind::OptimizerState}))
          append(seed.name, seed.moves, {line.word, {move}}, axis);
    if (!seed.moves.empty() && seed.moves.size() <= maxMoves)
      seeds.push_back(std::move(seed));
  };
  std::vector<std::string> all = axes.vec();
  Line batch{"DP", MoveRole::SharedDim, all}, others{"FSDP", MoveRole::Others, all};
  addLines({batch});
  addLines({batch, others});
  addLines({batch, {"OS1", MoveRole::OtherState, all}});
  addLines({batch, {"OS2", MoveRole::OtherStateAlone, all}});
  for (const std::string &axis : axes) {
    std::vector<std::string> rest = all;
    llvm::erase(rest, axis);
    Line ofRest{"DP", MoveRole::SharedDim, rest};
    addLines({ofRest, {"TP", MoveRole::OthersLargestDim, {axis}}, {"FSDP", MoveRole::Others, rest}});
    addLines({ofRest, {"SP", MoveRole::NextDim, {axis}}, others});
  }
}

void SeedBuilder::evaluate() {
  std::vector<Moves> lists;
  lists.reserve(seeds.size());
  for (const Seed &seed : seeds)
    lists.push_back(seed.moves);
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::vector<Seed> kept;
  std::set<uint64_t> states;
  for (size_t i = 0; i < seeds.size(); ++i) {
    seeds[i].evaluated = answers[i];
    if (answers[i].rating != Rating::worst() && states.insert(answers[i].state).second)
      kept.push_back(std::move(seeds[i]));
  }
  seeds = std::move(kept);
}

std::vector<Seed> SeedBuilder::build() {
  constexpr size_t maxAxes = 4;
  std::vector<std::string> names;
  for (const Move &move : table.moves.raw())
    // Only whole axes: sub-axes are left to the search.
    if (!llvm::StringRef(move.axis).contains(':') && !llvm::is_contained(names, move.axis) && names.size() < maxAxes)
      names.push_back(move.axis);
  std::vector<AxisRoles> axes;
  axes.reserve(names.size());
  for (const std::string &name : names)
    axes.push_back(findRoles(name));
  combine(axes);
  seeds.resize(std::min(seeds.size(), maxSeeds));
  addOneLiners(names);
  evaluate();
  return std::move(seeds);
}

std::vector<Seed> evaluateSeeds(StateEvaluator &evaluator, const MoveTable &table, size_t maxSeeds) {
  return SeedBuilder(evaluator, table, maxSeeds).build();
}

std::vector<Seed> listBestSeeds(std::vector<Seed> seeds) {
  constexpr size_t maxSeeds = 16;
  llvm::sort(seeds, [](const Seed &a, const Seed &b) {
    return std::tie(a.evaluated.rating, a.name) < std::tie(b.evaluated.rating, b.name);
  });
  seeds.resize(std::min(seeds.size(), maxSeeds));
  return seeds;
}

} // namespace partita::search
