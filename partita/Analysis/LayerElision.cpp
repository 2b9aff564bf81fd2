//===- LayerElision.cpp - which layers can be elided ----------------------===//

#include "partita/Analysis/LayerElision.h"

#include <map>
#include <set>

namespace partita::analysis {

/// Larger distances are not between neighboring layers.
static constexpr int32_t maxDistance = 3;
/// Trying a window takes time linear in the program.
static constexpr size_t maxWindows = 8;

LayerElision::LayerElision(const Topology &topology, const Repetition &repetition, int32_t margin)
    : topology(topology), graph(topology.getGraph()), margin(margin), chains(topology, repetition),
      windows(repetition.numMaps), isRemovable(chains.size(), 0), dependents(chains.size()) {
  bool isKnown = false;
  for (RepetitionMapId map : idRange<RepetitionMapId>(repetition.numMaps))
    isKnown = chooseWindow(map);
  if (!isKnown)
    findRemovable();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

int32_t LayerElision::computeDistance(RepetitionMapId map) const {
  int32_t distance = 1;
  for (ChainId id : idRange<ChainId>(chains.size())) {
    // An item in the middle of the chain is like all others.
    const LayerChain &chain = chains[id];
    int32_t position = chain.first + static_cast<int32_t>(chain.size / 2);
    ItemId item = chains.getMember(id, position);
    if (chain.map != map || !chains.isOp(item))
      continue;
    for (CellId cell : graph.getOperands(OpId(item.get()))) {
      ItemId source = chains.getItem(cell);
      ChainId other = chains.getChain(source);
      if (!other.isValid() || chains[other].map != map)
        continue;
      int32_t found = std::abs(chains.getPosition(source) - position);
      if (found <= maxDistance)
        distance = std::max(distance, found);
    }
  }
  return distance;
}

/// The windows between positions at which chains begin or end, each with the number of ops that it elides if all chains
/// that cover it can be elided; most first.
std::vector<LayerElision::Candidate> LayerElision::collectWindows(RepetitionMapId map) const {
  std::map<Range, size_t> histogram;
  ElisionWindow window;
  for (ChainId id : idRange<ChainId>(chains.size())) {
    const LayerChain &chain = chains[id];
    if (chain.map != map || !chains.isOp(chains.getMember(id, chain.first)))
      continue;
    ++histogram[{chain.first, chain.getEnd()}];
    window.numRepeated += chain.size;
  }
  std::set<int32_t> firsts, ends;
  for (const auto &[range, count] : histogram) {
    firsts.insert(range.first);
    ends.insert(range.end);
  }
  window.distance = computeDistance(map);
  window.numKept = window.distance - 1 + margin;
  std::vector<Candidate> candidates{{window, 0}};
  for (int32_t first : firsts)
    for (int32_t end : ends) {
      size_t covering = 0;
      for (const auto &[range, count] : histogram)
        if (range.first <= first && end <= range.end)
          covering += count;
      if (end - first <= 2 * window.numKept || covering == 0)
        continue;
      window.first = first + window.numKept;
      window.count = end - first - 2 * window.numKept;
      candidates.push_back({window, covering * static_cast<size_t>(window.count)});
    }
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tuple(b.mostRemoved, a.window.first, a.window.count) <
           std::tuple(a.mostRemoved, b.window.first, b.window.count);
  });
  return candidates;
}

/// How often an op that stays uses an elided item: for example, a sum over layers of which only a part can be elided.
/// All these uses get the same substitute, so that costs would not be exact.
size_t LayerElision::countLoose(RepetitionMapId map) const {
  size_t numLoose = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    ChainId own = chains.getChain(chains.getItem(op));
    if (own.isValid() && isRemovable[own])
      continue;
    for (CellId cell : graph.getOperands(op)) {
      ItemId item = chains.getItem(cell);
      numLoose += item.isValid() && isRemoved(item) && chains[chains.getChain(item)].map == map;
    }
  }
  return numLoose;
}

/// Chooses the window that elides most ops; prefers one with fewer loose uses if it elides nearly as many.
bool LayerElision::chooseWindow(RepetitionMapId map) {
  ElisionWindow best;
  size_t numTried = 0, numTriedOfBest = 0, leastLoose = 0;
  for (const Candidate &candidate : collectWindows(map)) {
    bool mayBeBetter = candidate.mostRemoved > best.countRemoved() ||
                       (leastLoose > 0 && candidate.mostRemoved * 4 > best.countRemoved() * 3);
    if (numTried > 0 && (!mayBeBetter || numTried >= maxWindows))
      break;
    windows[map] = candidate.window;
    findRemovable();
    size_t numLoose = countLoose(map), numRemoved = windows[map].countRemoved();
    bool isTighter = numLoose < leastLoose && numRemoved * 4 > best.countRemoved() * 3;
    if (numTried++ == 0 || isTighter || (numLoose <= leastLoose && numRemoved > best.countRemoved())) {
      best = windows[map];
      leastLoose = numLoose;
      numTriedOfBest = numTried;
    }
  }
  windows[map] = best;
  return numTriedOfBest == numTried;
}

//===----------------------------------------------------------------------===//
// Chains that can be elided
//===----------------------------------------------------------------------===//

bool LayerElision::isCovered(ChainId chain) const {
  const ElisionWindow &window = windows[chains[chain].map];
  return window.count > 0 && chains[chain].covers(window.first - 1, window.first + window.count + 1);
}

void LayerElision::reject(ChainId chain) {
  if (!isRemovable[chain])
    return;
  isRemovable[chain] = 0;
  rejected.push_back(chain);
}

bool LayerElision::checkOperand(ChainId id, uint32_t operand) {
  const ElisionWindow &window = windows[chains[id].map];
  // The first and the last layer may differ.
  int32_t position = margin > 1 ? window.first - 1 : window.first;
  int32_t last = margin > 1 ? window.first + window.count : window.first + window.count - 1;
  llvm::ArrayRef<ItemId> ops = chains.getMembers(id, position, last + 1);
  CellId cell = getOperand(ops.front(), operand);
  CellId next = getOperand(chains.getMember(id, std::min(position + 1, window.first + window.count)), operand);
  ItemId item = chains.getItem(cell);
  ChainId chain = chains.getChain(item);
  bool isShared = cell == next;
  if (isShared) {
    // A cell that all layers share stays.
    if (chain.isValid() && isRemovable[chain] && windows[chains[chain].map].contains(chains.getPosition(item)))
      reject(chain);
  } else {
    if (!chain.isValid() || chains[chain].map != chains[id].map ||
        std::abs(chains.getPosition(item) - position) > window.distance)
      return false;
    dependents[chain].push_back(id);
    if (!isRemovable[chain])
      return false;
  }
  if (isShared)
    return llvm::all_of(ops, [&](ItemId op) { return getOperand(op, operand) == cell; });
  return isMoving(ops, operand, chain);
}

bool LayerElision::isMoving(llvm::ArrayRef<ItemId> ops, uint32_t operand, ChainId chain) const {
  CellId first = getOperand(ops.front(), operand);
  uint32_t resultNumber = topology.getResultNumber(first);
  int32_t begin = chains.getPosition(chains.getItem(first)), end = begin + static_cast<int32_t>(ops.size());
  if (!chains[chain].covers(begin, end))
    return false;
  for (auto [op, source] : llvm::zip_equal(ops, chains.getMembers(chain, begin, end))) {
    CellId cell = getOperand(op, operand);
    if (chains.getItem(cell) != source || topology.getResultNumber(cell) != resultNumber)
      return false;
  }
  return true;
}

void LayerElision::checkLinks() {
  for (const RigidLink &link : chains.getLinks()) {
    ChainId a = chains.getChain(link.a), b = chains.getChain(link.b);
    bool isAligned = a.isValid() && b.isValid() && chains[a].map == chains[b].map &&
                     chains.getPosition(link.a) == chains.getPosition(link.b);
    for (auto [item, chain] : {std::pair(link.a, a), std::pair(link.b, b)})
      if (chain.isValid() && !isAligned && windows[chains[chain].map].contains(chains.getPosition(item)))
        reject(chain);
    if (!isAligned)
      continue;
    dependents[a].push_back(b);
    dependents[b].push_back(a);
    if (!isRemovable[a] || !isRemovable[b]) {
      reject(a);
      reject(b);
    }
  }
}

void LayerElision::spread() {
  while (!rejected.empty()) {
    ChainId chain = rejected.back();
    rejected.pop_back();
    for (ChainId dependent : dependents[chain])
      reject(dependent);
  }
}

void LayerElision::findRemovable() {
  for (RepetitionMapId map : idRange<RepetitionMapId>(windows.size()))
    windows[map].opsPerLayer = 0;
  for (ChainId chain : idRange<ChainId>(chains.size()))
    dependents[chain].clear();
  for (ChainId chain : idRange<ChainId>(chains.size()))
    isRemovable[chain] = isCovered(chain);
  for (ChainId chain : idRange<ChainId>(chains.size())) {
    ItemId head = chains.getMember(chain, chains[chain].first);
    if (!isRemovable[chain] || !chains.isOp(head))
      continue;
    for (uint32_t operand = 0; operand < graph.ops[OpId(head.get())].numUses; ++operand)
      if (!checkOperand(chain, operand))
        reject(chain);
  }
  checkLinks();
  spread();
  for (ChainId chain : idRange<ChainId>(chains.size()))
    if (isRemovable[chain] && chains.isOp(chains.getMember(chain, chains[chain].first)))
      ++windows[chains[chain].map].opsPerLayer;
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

bool LayerElision::isRemoved(ItemId item) const {
  ChainId chain = chains.getChain(item);
  return chain.isValid() && isRemovable[chain] && windows[chains[chain].map].contains(chains.getPosition(item));
}

int32_t LayerElision::getRepresentative(ChainId chain) const {
  const ElisionWindow &window = windows[chains[chain].map];
  ItemId item = chains.getMember(chain, chains[chain].first);
  OpId op;
  if (chains.isOp(item))
    op = OpId(item.get());
  else if (item.get() < topology.getNumNodes())
    if (llvm::ArrayRef<OpId> given = topology.getDefinitions(topology.getBoundaryCell(NodeId(item.get())));
        !given.empty())
      op = given.front();
  bool isForward = !op.isValid() || graph.ops[op].phase == Phase::Forward;
  return isForward ? window.first - 1 : window.first + window.count;
}

bool LayerElision::isRepresentative(ItemId item) const {
  ChainId chain = chains.getChain(item);
  return chain.isValid() && isRemovable[chain] && chains.getPosition(item) == getRepresentative(chain);
}

ItemId LayerElision::findSubstitute(ItemId item, OpId user) const {
  if (!isRemoved(item))
    return item;
  ChainId chain = chains.getChain(item), userChain = chains.getChain(chains.getItem(user));
  const ElisionWindow &window = windows[chains[chain].map];
  int32_t position = chains.getPosition(item);
  bool movesAlong = userChain.isValid() && isRemovable[userChain] && chains[userChain].map == chains[chain].map;
  if (movesAlong) {
    int32_t userPosition = chains.getPosition(chains.getItem(user));
    bool isBefore = userPosition < window.first;
    ItemId substitute = chains.getMember(chain, isBefore ? position + window.count : position - window.count);
    if (substitute.isValid() && std::abs(userPosition - position) <= window.distance)
      return substitute;
  }
  // The substitute must come before the user in program order, even if the chain runs against it.
  auto isEarly = [&](ItemId other) { return other.isValid() && (!chains.isOp(other) || OpId(other.get()) < user); };
  ItemId own = chains.getMember(chain, getRepresentative(chain));
  if (isEarly(own))
    return own;
  for (int32_t other = window.first - 1; other >= chains[chain].first; --other)
    if (ItemId before = chains.getMember(chain, other); isEarly(before))
      return before;
  return chains.getMember(chain, window.first + window.count);
}

} // namespace partita::analysis
