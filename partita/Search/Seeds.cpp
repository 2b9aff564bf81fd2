//===- Seeds.cpp - what experts would write, from structure ---------------===//

#include "partita/Search/Seeds.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita {

namespace {

/// What is known of one axis.
struct AxisParts {
  std::string axis;
  Moves batch, model, sequence, expert, state, stateAlone, parameters;
};

class SeedBuilder {
public:
  SeedBuilder(Oracle &oracle, const MoveTable &table) : oracle(oracle), table(table) {}

  std::vector<Seed> build();

private:
  std::vector<MoveId> list(const std::string &axis, MoveRole role, std::optional<GroupKind> kind) const;
  /// The one of `moves` that leads to the shortest step behind `prefix`, among those that change the state.
  Moves chooseBest(const Moves &prefix, llvm::ArrayRef<MoveId> moves);
  Moves chooseChain(Moves prefix, llvm::ArrayRef<MoveId> moves, uint32_t maxLength);
  AxisParts findParts(const std::string &axis);
  void addCombinations(llvm::ArrayRef<const AxisParts *> data, llvm::ArrayRef<const AxisParts *> model);
  void add(std::string name, Moves moves);
  void evaluate();

  Oracle &oracle;
  const MoveTable &table;
  std::vector<Seed> seeds;
};

} // namespace

std::vector<MoveId> SeedBuilder::list(const std::string &axis, MoveRole role, std::optional<GroupKind> kind) const {
  std::vector<MoveId> found;
  for (MoveId move : idRange<MoveId>(table.moves.size()))
    if (table.moves[move].axis == axis && table.moves[move].role == role && (!kind || table.moves[move].kind == *kind))
      found.push_back(move);
  return found;
}

Moves SeedBuilder::chooseBest(const Moves &prefix, llvm::ArrayRef<MoveId> moves) {
  std::vector<Moves> lists;
  for (MoveId move : moves) {
    lists.push_back(prefix);
    lists.back().push_back(move);
  }
  std::vector<Evaluated> answers = oracle.evaluate(lists);
  std::optional<size_t> best;
  auto getRank = [&](size_t i) {
    return std::pair(oracle.getSpace().getBlend(answers[i].rating, 0), answers[i].rating);
  };
  for (size_t i = 0; i < lists.size(); ++i)
    if (answers[i].rating != Rating::worst() && answers[i].isEffective(lists[i].size() - 1) &&
        (!best || getRank(i) < getRank(*best)))
      best = i;
  return best ? Moves{moves[*best]} : Moves();
}

/// The best of `moves` again and again, whether or not the step gets shorter: what comes next may make up for it.
Moves SeedBuilder::chooseChain(Moves prefix, llvm::ArrayRef<MoveId> moves, uint32_t maxLength) {
  Moves chain;
  while (chain.size() < maxLength && !oracle.isOver()) {
    Moves next = chooseBest(prefix, moves);
    if (next.empty())
      break;
    prefix.append(next);
    chain.append(next);
  }
  return chain;
}

AxisParts SeedBuilder::findParts(const std::string &axis) {
  AxisParts parts;
  parts.axis = axis;
  parts.batch = chooseBest({}, list(axis, MoveRole::Tile, GroupKind::Input));
  parts.model = chooseChain({}, list(axis, MoveRole::Tile, GroupKind::Parameter), 3);
  std::vector<MoveId> cuts = list(axis, MoveRole::Cut, GroupKind::Parameter);
  llvm::append_range(cuts, list(axis, MoveRole::Cut, GroupKind::State));
  parts.expert = chooseBest({}, cuts);
  auto takeFirst = [&](MoveRole role) {
    std::vector<MoveId> found = list(axis, role, std::nullopt);
    return found.empty() ? Moves() : Moves{found.front()};
  };
  parts.state = takeFirst(MoveRole::AllOptimizerState);
  parts.stateAlone = takeFirst(MoveRole::OptimizerStateAlone);
  parts.parameters = takeFirst(MoveRole::AllParameters);
  return parts;
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

void SeedBuilder::add(std::string name, Moves moves) {
  if (!moves.empty() && moves.size() <= maxMoves)
    seeds.push_back({std::move(name), std::move(moves), {}});
}

static void append(std::string &name, Moves &moves, llvm::StringRef word, const std::string &axis, const Moves &more) {
  if (more.empty())
    return;
  name += (name.empty() ? "" : "+") + word.str() + "(" + axis + ")";
  moves.append(more);
}

void SeedBuilder::addCombinations(llvm::ArrayRef<const AxisParts *> data, llvm::ArrayRef<const AxisParts *> model) {
  bool hasExperts = llvm::any_of(data, [](const AxisParts *parts) { return !parts->expert.empty(); }) ||
                    llvm::any_of(model, [](const AxisParts *parts) { return !parts->expert.empty(); });
  for (bool withExperts : {false, true}) {
    if (withExperts && !hasExperts)
      continue;
    std::string name;
    Moves moves;
    if (withExperts)
      for (const AxisParts *parts : data.empty() ? model : data)
        append(name, moves, "EP", parts->axis, parts->expert);
    for (const AxisParts *parts : data)
      append(name, moves, "BP", parts->axis, parts->batch);
    for (const AxisParts *parts : model)
      append(name, moves, "MP", parts->axis, parts->model);
    for (bool withSequence : {false, true}) {
      if (withSequence && model.empty())
        continue;
      std::string base = name;
      Moves baseMoves = moves;
      if (withSequence)
        for (const AxisParts *parts : model)
          append(base, baseMoves, "SEQ", parts->axis, parts->sequence);
      add(base, baseMoves);
      for (auto [word, part] : {std::pair("Z1", &AxisParts::state), std::pair("Z2", &AxisParts::stateAlone),
                                std::pair("Z3", &AxisParts::parameters)}) {
        std::string full = base;
        Moves fullMoves = baseMoves;
        for (const AxisParts *parts : data)
          append(full, fullMoves, word, parts->axis, parts->*part);
        add(full, fullMoves);
      }
    }
  }
}

void SeedBuilder::evaluate() {
  std::vector<Moves> lists;
  for (const Seed &seed : seeds)
    lists.push_back(seed.moves);
  std::vector<Evaluated> answers = oracle.evaluate(lists);
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
  std::vector<std::string> names;
  for (const Move &move : table.moves.raw())
    // Parts of axes are for the search to find.
    if (!llvm::StringRef(move.axis).contains(':') && !llvm::is_contained(names, move.axis))
      names.push_back(move.axis);
  if (names.size() > 4)
    names.resize(4);
  std::vector<AxisParts> axes;
  for (const std::string &name : names)
    axes.push_back(findParts(name));
  // Behind the batch over another axis: what is left for this one is the sequence.
  for (AxisParts &parts : axes) {
    Moves prefix;
    for (const AxisParts &other : axes)
      if (prefix.empty() && other.axis != parts.axis)
        prefix = other.batch;
    prefix.append(parts.model);
    parts.sequence = chooseChain(prefix, list(parts.axis, MoveRole::Tile, GroupKind::Inner), 2);
  }
  // Bit i: axis i is for data.
  for (uint32_t split = 0; split < (uint32_t(1) << axes.size()); ++split) {
    std::vector<const AxisParts *> data, model;
    for (size_t i = 0; i < axes.size(); ++i)
      (split >> i & 1 ? data : model).push_back(&axes[i]);
    addCombinations(data, model);
    if (data.size() == axes.size() || model.size() == axes.size())
      continue;
    addCombinations(data, {});
    addCombinations({}, model);
  }
  evaluate();
  return std::move(seeds);
}

std::vector<Seed> evaluateSeeds(Oracle &oracle, const MoveTable &table) { return SeedBuilder(oracle, table).build(); }

} // namespace partita
