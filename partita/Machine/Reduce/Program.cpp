//===- Program.cpp - a collective as steps on parts of its group ----------===//

#include "partita/Machine/Reduce/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace partita::machine {

/// In the order of StepKind; a slice is none of them.
static constexpr std::optional<Collective> stepCollectives[] = {
    Collective::AllReduce, Collective::ReduceScatter, Collective::AllGather, Collective::AllToAll, std::nullopt};

std::optional<Collective> findCollective(StepKind kind) { return stepCollectives[static_cast<size_t>(kind)]; }

std::optional<StepKind> findStepKind(Collective kind) {
  const auto *found = llvm::find(stepCollectives, std::optional(kind));
  return found == std::end(stepCollectives) ? std::nullopt
                                            : std::optional(static_cast<StepKind>(found - std::begin(stepCollectives)));
}

llvm::StringRef getName(StepKind kind) {
  std::optional<Collective> collective = findCollective(kind);
  return collective ? getName(*collective) : "slice";
}

std::optional<StepKind> findStepKind(llvm::StringRef name) {
  if (name == getName(StepKind::Slice))
    return StepKind::Slice;
  std::optional<Collective> collective = findCollective(name);
  return collective ? findStepKind(*collective) : std::nullopt;
}

static size_t countDevices(llvm::ArrayRef<int64_t> sizes) {
  return static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>()));
}

/// Position of a device along some factors, the first of them major.
static size_t getPosition(size_t device, llvm::ArrayRef<uint32_t> factors, llvm::ArrayRef<int64_t> sizes) {
  size_t position = 0;
  for (uint32_t factor : factors) {
    size_t stride = countDevices(sizes.drop_front(factor + 1));
    position = position * sizes[factor] + device / stride % sizes[factor];
  }
  return position;
}

/// The devices that differ along `factors` only, each group in their order.
static std::vector<std::vector<size_t>> listGroups(llvm::ArrayRef<uint32_t> factors, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<uint32_t, 4> others;
  size_t groupSize = 1;
  for (uint32_t factor = 0; factor < sizes.size(); ++factor)
    if (llvm::is_contained(factors, factor))
      groupSize *= sizes[factor];
    else
      others.push_back(factor);
  size_t numDevices = countDevices(sizes);
  std::vector<std::vector<size_t>> groups(numDevices / groupSize, std::vector<size_t>(groupSize));
  for (size_t device = 0; device < numDevices; ++device)
    groups[getPosition(device, others, sizes)][getPosition(device, factors, sizes)] = device;
  return groups;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool haveSameChunks(const State &state, llvm::ArrayRef<size_t> group) {
  return llvm::all_of(group, [&](size_t device) {
    return llvm::equal(state[device], state[group.front()],
                       [](const ReductionPiece &a, const ReductionPiece &b) { return a.chunk == b.chunk; });
  });
}

/// The sums of a group; nothing if the devices hold different chunks, or if something would be added twice.
static std::optional<std::vector<ReductionPiece>> sum(const State &state, llvm::ArrayRef<size_t> group) {
  if (!haveSameChunks(state, group))
    return std::nullopt;
  std::vector<ReductionPiece> result = state[group.front()];
  for (size_t device : group.drop_front())
    for (auto [piece, other] : llvm::zip_equal(result, state[device])) {
      if (piece.from & other.from)
        return std::nullopt;
      piece.from |= other.from;
    }
  return result;
}

/// What all of a group hold together; nothing if two of them hold the same chunk.
static std::optional<std::vector<ReductionPiece>> concatenate(const State &state, llvm::ArrayRef<size_t> group) {
  std::vector<ReductionPiece> result;
  for (size_t device : group)
    llvm::append_range(result, state[device]);
  std::vector<uint32_t> chunks;
  for (const ReductionPiece &piece : result)
    chunks.push_back(piece.chunk);
  llvm::sort(chunks);
  return std::adjacent_find(chunks.begin(), chunks.end()) == chunks.end() ? std::optional(std::move(result))
                                                                          : std::nullopt;
}

/// Gives each device of the group its part of `pieces`. False if they do not divide.
static bool scatter(llvm::ArrayRef<ReductionPiece> pieces, llvm::ArrayRef<size_t> group, State &result) {
  if (pieces.size() % group.size() != 0)
    return false;
  size_t count = pieces.size() / group.size();
  for (auto [position, device] : llvm::enumerate(group))
    result[device] = pieces.slice(position * count, count).vec();
  return true;
}

/// A chunk of an exchange is its source times the number of devices, and its target. Each piece goes to the device of
/// the group that has the target's position. False if some device has more for one than for another.
static bool exchange(const ReductionStep &step, const State &state, llvm::ArrayRef<size_t> group,
                     llvm::ArrayRef<int64_t> sizes, State &result) {
  for (size_t device : group)
    result[device].clear();
  for (size_t device : group) {
    std::vector<size_t> counts(group.size());
    for (const ReductionPiece &piece : state[device]) {
      size_t position = getPosition(piece.chunk % state.size(), step.factors, sizes);
      result[group[position]].push_back(piece);
      ++counts[position];
    }
    if (!llvm::all_equal(counts))
      return false;
  }
  for (size_t device : group)
    llvm::sort(result[device]);
  return true;
}

/// Runs the step in one group. False if its condition does not hold.
static bool applyToGroup(const ReductionStep &step, const State &state, llvm::ArrayRef<size_t> group,
                         llvm::ArrayRef<int64_t> sizes, State &result) {
  std::optional<std::vector<ReductionPiece>> pieces;
  switch (step.kind) {
  case StepKind::AllToAll:
    return exchange(step, state, group, sizes, result);
  case StepKind::Slice:
    return llvm::all_of(group, [&](size_t device) { return state[device] == state[group.front()]; }) &&
           scatter(state[group.front()], group, result);
  case StepKind::ReduceScatter:
    pieces = sum(state, group);
    return pieces && scatter(*pieces, group, result);
  case StepKind::AllReduce:
    pieces = sum(state, group);
    break;
  case StepKind::AllGather:
    pieces = concatenate(state, group);
    break;
  }
  for (size_t device : group)
    if (pieces)
      result[device] = *pieces;
  return pieces.has_value();
}

std::optional<State> apply(const ReductionStep &step, const State &state, llvm::ArrayRef<int64_t> sizes) {
  State result = state;
  for (const std::vector<size_t> &group : listGroups(step.factors, sizes))
    if (!applyToGroup(step, state, group, sizes, result))
      return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

State makeStart(StepKind goal, llvm::ArrayRef<int64_t> sizes) {
  size_t numDevices = countDevices(sizes);
  State state(numDevices);
  for (uint32_t device = 0; device < numDevices; ++device)
    for (uint32_t chunk = 0; chunk < numDevices; ++chunk)
      if (goal == StepKind::AllToAll)
        state[device].push_back({static_cast<uint32_t>(device * numDevices + chunk), uint64_t(1) << device});
      else if (goal != StepKind::AllGather || chunk == device)
        state[device].push_back({chunk, uint64_t(1) << device});
  return state;
}

bool isGoal(StepKind goal, const State &state, llvm::ArrayRef<int64_t> sizes, bool &isReordered) {
  ReductionStep whole{goal, {}};
  for (uint32_t factor = 0; factor < sizes.size(); ++factor)
    whole.factors.push_back(factor);
  std::optional<State> wanted = apply(whole, makeStart(goal, sizes), sizes);
  isReordered = wanted != state;
  if (!isReordered)
    return true;
  if (goal == StepKind::AllGather) {
    // The same order everywhere, so that all can restore it alike.
    std::vector<ReductionPiece> sorted = state.front();
    llvm::sort(sorted);
    return llvm::all_equal(state) && sorted == wanted->front();
  }
  if (goal != StepKind::ReduceScatter)
    return false;
  // Some chunk each, another one on each device, and all of its sum.
  std::vector<ReductionPiece> pieces, wantedPieces;
  for (auto [held, target] : llvm::zip_equal(state, *wanted)) {
    if (held.size() != 1)
      return false;
    pieces.push_back(held.front());
    wantedPieces.push_back(target.front());
  }
  llvm::sort(pieces);
  return pieces == wantedPieces;
}

bool isProven(const ReductionProgram &program, StepKind goal, llvm::ArrayRef<int64_t> sizes) {
  static constexpr int64_t primes[] = {2, 3, 5};
  llvm::SmallVector<int64_t, 4> proven(sizes);
  if (countDevices(proven) > static_cast<size_t>(mostProvenDevices)) {
    if (sizes.size() > std::size(primes))
      return false;
    proven.assign(primes, primes + sizes.size());
  }
  std::optional<State> state = makeStart(goal, proven);
  for (const ReductionStep &step : program.steps)
    if (state = apply(step, *state, proven); !state)
      return false;
  bool isReordered = false;
  return isGoal(goal, *state, proven, isReordered) && (!isReordered || program.isReordered);
}

} // namespace partita::machine
