//===- Simulation.cpp - a list scheduler for compute and network ----------===//

#include "partita/Simulate/Simulation.h"

#include "partita/Machine/Machine.h"
#include "partita/Simulate/CollectiveBatches.h"
#include "partita/Simulate/TaskGraph.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace partita::simulate {

namespace {

/// Compute was idle for so long while this reshard ran.
struct Exposure {
  ReshardId reshard;
  int64_t timePs = 0;
};

/// What one run of a block does; times are relative to its start.
struct BlockTimeline {
  int64_t durationPs = 0;
  /// The time in which the network is busy.
  int64_t networkPs = 0;
  std::vector<int64_t> busyPs;
  std::vector<Exposure> exposures;
  std::vector<TimelineEvent> events;

  /// Puts `count` runs of another one here, of which only the first has events.
  void add(const BlockTimeline &other, int64_t startPs, int64_t count);
};

class Simulator {
public:
  Simulator(const Topology &topology, const Reshards &reshards, const Durations &durations,
            const SimulationOptions &options)
      : graph(topology.getGraph()), tasks(buildTaskGraph(topology, reshards)), durations(durations), options(options) {
    countIssued();
    findTalking();
  }

  Timeline run();

  /// The host begins to issue the block's tasks at `issuePs`, which may be before the block starts.
  BlockTimeline runBlock(BlockId block, int64_t issuePs);
  BlockTimeline runCompound(const Task &task, int64_t issuePs) {
    return task.kind == TaskKind::Loop ? runLoop(task, issuePs) : runBranches(task, issuePs);
  }

  int64_t getDuration(const Task &task) const {
    if (task.kind == TaskKind::Op)
      return durations.ops[task.op];
    return task.kind == TaskKind::Reshard ? durations.reshards[task.reshard].timePs : 0;
  }
  /// The stream on which a task is shown.
  uint32_t getStream(const Task &task) const {
    if (task.kind == TaskKind::Reshard)
      return durations.reshards[task.reshard].stream;
    bool isPlaced = task.kind == TaskKind::Op && !durations.opStreams.empty();
    return isPlaced ? durations.opStreams[task.op] : computeStream;
  }
  /// Whether compute goes on beside it.
  bool isBeside(const Task &task) const {
    return task.kind == TaskKind::Reshard && durations.reshards[task.reshard].overlap != ReshardOverlap::None &&
           getStream(task) != computeStream;
  }
  /// Gathers of parameters.
  bool isPrefetched(const Task &task) const {
    return isBeside(task) && durations.reshards[task.reshard].overlap == ReshardOverlap::Prefetched;
  }
  bool isLate(const Task &task) const {
    return isBeside(task) && durations.reshards[task.reshard].overlap == ReshardOverlap::Late;
  }
  int64_t getBytes(const Task &task) const { return durations.reshards[task.reshard].bytes; }
  /// Whether compute stops for the network somewhere in it.
  bool isFence(const Task &task) const {
    if (!task.blocks.empty())
      return llvm::any_of(task.blocks, [&](BlockId block) { return talks[block] != 0; });
    return getDuration(task) > 0 && getStream(task) != computeStream && !isBeside(task);
  }
  /// The time in which the host issues `count` ops or reshards.
  int64_t getIssuePs(int64_t count) const { return multiplyBounded(options.issuePs, count); }
  static int64_t multiplyBounded(int64_t a, int64_t b) {
    return static_cast<int64_t>(std::min<__int128>(static_cast<__int128>(a) * b, maxTimePs));
  }
  int64_t countIssued(const Task &task) const;

  const Graph &graph;
  TaskGraph tasks;
  const Durations &durations;
  const SimulationOptions &options;

private:
  BlockTimeline runLoop(const Task &loop, int64_t issuePs);
  BlockTimeline runBranches(const Task &task, int64_t issuePs);
  BlockTimeline makeEmpty() const {
    BlockTimeline timeline;
    timeline.busyPs.assign(durations.numStreams, 0);
    return timeline;
  }
  int64_t getTrips(const Task &loop) const {
    int64_t trips = graph.regions[tasks.blocks[loop.blocks.back()].region].trips;
    return trips >= 0 ? trips : options.assumedTrips;
  }
  void countIssued();
  void findTalking();

  /// Whether a block has collectives.
  IdVector<BlockId, uint8_t> talks;
  /// How many ops and reshards the host issues for one run of a block.
  IdVector<BlockId, int64_t> issued;
};

/// The list scheduler for one run of a block.
class BlockRun {
public:
  BlockRun(Simulator &simulator, const Block &block, int64_t issuePs, BlockTimeline timeline)
      : simulator(simulator), block(block), issuePs(issuePs), result(std::move(timeline)),
        readyPs(block.tasks.size(), 0), pending(block.tasks.size()), remainingPs(block.tasks.size(), 0),
        prefetchNumbers(block.tasks.size(), -1), reductionNumbers(block.tasks.size(), -1) {}

  BlockTimeline run();

private:
  struct Waiting {
    int64_t readyPs;
    uint32_t task;
    bool operator>(const Waiting &other) const {
      return std::pair(readyPs, task) > std::pair(other.readyPs, other.task);
    }
  };
  using WaitingQueue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;
  template <typename Key> using ReadyQueue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;
  /// Gathers of parameters come before late reductions; then program order counts.
  using NetworkKey = std::pair<bool, uint32_t>;

  int64_t getDuration(uint32_t task) const { return simulator.getDuration(block.tasks[task]); }
  bool isTimeless(uint32_t task) const { return getDuration(task) == 0 && block.tasks[task].blocks.empty(); }

  // Order.
  void issueTasks();
  void collectPrefetches();
  void collectReductions();
  void findTakers();
  void addFences();
  bool releaseBlockedPrefetch();
  bool releaseBlockedReductions();
  /// One thing less that a prefetched task waits for.
  void unblock(uint32_t task, int64_t atPs);
  void queueReduction(uint32_t task);
  /// Queues a task for which no predecessor is left.
  void release(uint32_t task);
  void finish(uint32_t task, int64_t endPs);
  /// Call when a task takes its operands: prefetched ones among them make room for later ones.
  void takePrefetched(uint32_t task, int64_t atPs);

  // Compute.
  int64_t getNextComputePs() const;
  void startCompute(int64_t startPs);
  void accountIdle(int64_t untilPs);

  // Network.
  int64_t findNextNetworkPs();
  void advanceNetwork(int64_t atPs);
  void serve(int64_t untilPs);
  void occupyNetwork(int64_t startPs, int64_t timePs);

  Simulator &simulator;
  const Block &block;
  int64_t issuePs;
  BlockTimeline result;
  std::vector<int64_t> readyPs;
  /// When the host begins to issue each task; empty if it takes no time.
  std::vector<int64_t> issueStartPs;
  std::vector<uint32_t> pending;
  std::vector<int64_t> remainingPs;

  /// Tasks that wait for compute, or stop it: by ready time, and by program order once they are ready.
  WaitingQueue computeWaiting;
  ReadyQueue<uint32_t> computeReady;
  int64_t computeFreePs = 0;
  /// Tasks that run beside compute. The network has done all that it did before `networkPs`.
  WaitingQueue networkWaiting;
  ReadyQueue<NetworkKey> networkReady;
  int64_t networkPs = 0;
  /// Runs of the network, of which those from `firstPiece` on may reach beyond the time until which compute's idle
  /// time is accounted for.
  std::vector<TimelineEvent> pieces;
  size_t firstPiece = 0;

  /// Prefetched tasks in batches, the batch of each, and for each task those that it uses.
  std::vector<Batch> prefetches;
  std::vector<int32_t> prefetchNumbers;
  std::vector<llvm::SmallVector<uint32_t, 2>> taken;
  /// For each batch, when one of them is used first, and how many are not there yet.
  std::vector<int64_t> takenPs;
  std::vector<size_t> missing;
  /// For each task, the batches that wait for its end.
  std::vector<llvm::SmallVector<uint32_t, 1>> fenced;
  /// Late reductions in batches, the batch of each, and for each batch how many cannot begin yet.
  std::vector<Batch> reductions;
  std::vector<int32_t> reductionNumbers;
  std::vector<size_t> unready;
  int64_t endPs = 0;
  size_t numDone = 0;
};

} // namespace

void BlockTimeline::add(const BlockTimeline &other, int64_t startPs, int64_t count) {
  auto multiply = [&](int64_t timePs) { return Simulator::multiplyBounded(timePs, count); };
  networkPs = std::min(maxTimePs, networkPs + multiply(other.networkPs));
  for (size_t stream = 0; stream < busyPs.size(); ++stream)
    busyPs[stream] = std::min(maxTimePs, busyPs[stream] + multiply(other.busyPs[stream]));
  for (const Exposure &exposure : other.exposures)
    exposures.push_back({exposure.reshard, multiply(exposure.timePs)});
  for (TimelineEvent event : other.events) {
    event.startPs += startPs;
    event.endPs += startPs;
    events.push_back(event);
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Computes when each task is issued: nothing starts earlier.
void BlockRun::issueTasks() {
  if (simulator.options.issuePs == 0)
    return;
  int64_t count = 0;
  for (uint32_t task = 0; task < block.tasks.size(); ++task) {
    issueStartPs.push_back(std::min(maxTimePs, issuePs + simulator.getIssuePs(count)));
    count += simulator.countIssued(block.tasks[task]);
    if (block.tasks[task].blocks.empty())
      readyPs[task] = std::max(readyPs[task], std::min(maxTimePs, issuePs + simulator.getIssuePs(count)));
  }
}

/// The first `depth` batches have room at once. Each other one waits for the use of the one `depth` before it.
void BlockRun::collectPrefetches() {
  std::vector<CollectiveTask> gathers;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (simulator.isPrefetched(block.tasks[task]) && getDuration(task) > 0)
      gathers.push_back({task, simulator.getBytes(block.tasks[task])});
  prefetches = joinCollectives(gathers, simulator.options.order.combineBytes, BatchOrder::FirstIsFull);
  takenPs.assign(prefetches.size(), -1);
  size_t depth = std::max<uint32_t>(1, simulator.options.prefetchDepth);
  for (size_t number = 0; number < prefetches.size(); ++number) {
    missing.push_back(prefetches[number].size());
    for (uint32_t task : prefetches[number]) {
      prefetchNumbers[task] = static_cast<int32_t>(number);
      pending[task] = number < depth ? 0 : 1;
    }
  }
}

/// The reductions of straight code; in loops each begins when it can.
void BlockRun::collectReductions() {
  if (block.region.get() != 0 || simulator.options.order.combineBytes == 0)
    return;
  std::vector<CollectiveTask> late;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (simulator.isLate(block.tasks[task]) && getDuration(task) > 0)
      late.push_back({task, simulator.getBytes(block.tasks[task])});
  reductions = joinCollectives(late, simulator.options.order.combineBytes, BatchOrder::LastIsFull);
  for (size_t number = 0; number < reductions.size(); ++number) {
    unready.push_back(reductions[number].size());
    for (uint32_t task : reductions[number])
      reductionNumbers[task] = static_cast<int32_t>(number);
  }
}

/// A batch of gathers does not pass the last fence before the first op that needs one of them.
void BlockRun::addFences() {
  if (!simulator.options.order.isOneAtATime || prefetches.empty())
    return;
  fenced.resize(block.tasks.size());
  std::vector<uint8_t> isSeen(prefetches.size(), 0);
  std::optional<uint32_t> fence;
  for (uint32_t task = 0; task < block.tasks.size(); ++task) {
    for (uint32_t value : taken[task]) {
      auto number = static_cast<uint32_t>(prefetchNumbers[value]);
      if (std::exchange(isSeen[number], 1) || !fence)
        continue;
      fenced[*fence].push_back(number);
      for (uint32_t member : prefetches[number])
        ++pending[member];
    }
    if (simulator.isFence(block.tasks[task]))
      fence = task;
  }
}

/// Finds the user of each prefetched value: the first op that takes time, after ops that take none.
void BlockRun::findTakers() {
  if (prefetches.empty())
    return;
  taken.resize(block.tasks.size());
  std::vector<uint32_t> seenBy(block.tasks.size(), UINT32_MAX);
  for (uint32_t value = 0; value < block.tasks.size(); ++value) {
    if (prefetchNumbers[value] < 0)
      continue;
    llvm::SmallVector<uint32_t, 8> open{value};
    bool isTaken = false;
    while (!open.empty())
      for (uint32_t next : block.tasks[open.pop_back_val()].successors) {
        if (std::exchange(seenBy[next], value) == value)
          continue;
        if (isTimeless(next)) {
          open.push_back(next);
          continue;
        }
        taken[next].push_back(value);
        isTaken = true;
      }
    if (!isTaken)
      taken[value].push_back(value);
  }
}

void BlockRun::unblock(uint32_t task, int64_t atPs) {
  if (pending[task] == 0)
    return;
  readyPs[task] = std::max(readyPs[task], atPs);
  if (--pending[task] == 0)
    release(task);
}

/// An op may need more prefetched values at once than there is room for. Then lets the first blocked ones run.
bool BlockRun::releaseBlockedPrefetch() {
  for (const Batch &batch : prefetches) {
    bool isBlocked = false;
    for (uint32_t task : batch)
      if (pending[task] != 0) {
        pending[task] = 1;
        unblock(task, endPs);
        isBlocked = true;
      }
    if (isBlocked)
      return true;
  }
  return false;
}

/// One of a batch may need another one of it. Then lets those run that can; the others run by themselves.
bool BlockRun::releaseBlockedReductions() {
  auto isReady = [&](uint32_t task) { return pending[task] == 0; };
  for (size_t number = 0; number < reductions.size(); ++number) {
    Batch &batch = reductions[number];
    if (unready[number] == 0 || llvm::none_of(batch, isReady))
      continue;
    for (uint32_t task : batch)
      if (!isReady(task))
        reductionNumbers[task] = -1;
    llvm::erase_if(batch, [&](uint32_t task) { return !isReady(task); });
    unready[number] = 1;
    queueReduction(batch.front());
    return true;
  }
  return false;
}

/// Waits until all reductions of the batch can begin. Compute waits for the last batch.
void BlockRun::queueReduction(uint32_t task) {
  size_t number = static_cast<size_t>(reductionNumbers[task]);
  if (--unready[number] != 0)
    return;
  int64_t beginPs = 0;
  for (uint32_t member : reductions[number])
    beginPs = std::max(beginPs, readyPs[member]);
  for (uint32_t member : reductions[number])
    (number + 1 == reductions.size() ? computeWaiting : networkWaiting).push({beginPs, member});
}

void BlockRun::release(uint32_t task) {
  if (isTimeless(task))
    return finish(task, readyPs[task]);
  if (!simulator.isBeside(block.tasks[task]))
    return computeWaiting.push({readyPs[task], task});
  remainingPs[task] = getDuration(task);
  if (reductionNumbers[task] >= 0)
    return queueReduction(task);
  networkWaiting.push({readyPs[task], task});
}

void BlockRun::takePrefetched(uint32_t task, int64_t atPs) {
  size_t depth = std::max<uint32_t>(1, simulator.options.prefetchDepth);
  size_t number = static_cast<size_t>(prefetchNumbers[task]);
  if (takenPs[number] >= 0)
    return;
  takenPs[number] = atPs;
  if (number + depth < prefetches.size())
    for (uint32_t next : prefetches[number + depth])
      unblock(next, atPs);
}

void BlockRun::finish(uint32_t task, int64_t at) {
  // Tasks that take no time release others at once. Uses a stack, not recursion, since such sequences are long.
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 16> done{{task, at}};
  while (!done.empty()) {
    auto [current, end] = done.pop_back_val();
    ++numDone;
    endPs = std::max(endPs, end);
    if (!fenced.empty())
      for (uint32_t number : fenced[current])
        for (uint32_t member : prefetches[number])
          unblock(member, end);
    for (uint32_t next : block.tasks[current].successors) {
      if (prefetchNumbers[next] >= 0)
        continue;
      readyPs[next] = std::max(readyPs[next], end);
      if (--pending[next] != 0)
        continue;
      if (isTimeless(next))
        done.push_back({next, readyPs[next]});
      else
        release(next);
    }
  }
}

//===----------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------===//

/// When the network ends what it does, or has something else to choose from; INT64_MAX if there is nothing.
int64_t BlockRun::findNextNetworkPs() {
  auto moveReady = [&] {
    while (!networkWaiting.empty() && networkWaiting.top().readyPs <= networkPs) {
      uint32_t task = networkWaiting.top().task;
      networkReady.push({!simulator.isPrefetched(block.tasks[task]), task});
      networkWaiting.pop();
    }
  };
  moveReady();
  int64_t arrivalPs = networkWaiting.empty() ? INT64_MAX : networkWaiting.top().readyPs;
  if (networkReady.empty())
    return arrivalPs;
  return std::min(arrivalPs, networkPs + remainingPs[networkReady.top().second]);
}

/// Lets the network do what it does until `untilPs`, at which nothing else may have begun or ended.
void BlockRun::serve(int64_t untilPs) {
  if (untilPs <= networkPs)
    return;
  if (!networkReady.empty()) {
    uint32_t index = networkReady.top().second;
    const Task &task = block.tasks[index];
    remainingPs[index] -= untilPs - networkPs;
    if (!pieces.empty() && pieces.back().reshard == task.reshard && pieces.back().endPs == networkPs)
      pieces.back().endPs = untilPs;
    else
      pieces.push_back(
          {simulator.getStream(task), networkPs, untilPs, OpId(), task.reshard, RegionId(), 0, getDuration(index)});
    result.busyPs[simulator.getStream(task)] += untilPs - networkPs;
    result.networkPs += untilPs - networkPs;
  }
  networkPs = untilPs;
}

void BlockRun::advanceNetwork(int64_t atPs) {
  serve(atPs);
  if (networkReady.empty())
    return;
  uint32_t task = networkReady.top().second;
  if (remainingPs[task] > 0)
    return;
  networkReady.pop();
  if (prefetchNumbers[task] < 0)
    return finish(task, atPs);
  size_t number = static_cast<size_t>(prefetchNumbers[task]);
  if (--missing[number] == 0)
    for (uint32_t member : prefetches[number])
      finish(member, atPs);
}

/// Something else takes the network for so long.
void BlockRun::occupyNetwork(int64_t startPs, int64_t timePs) {
  serve(startPs);
  networkPs = std::max(networkPs, startPs) + timePs;
  result.networkPs += timePs;
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

/// Compute is idle until `untilPs`; the network has been served until then.
void BlockRun::accountIdle(int64_t untilPs) {
  for (size_t number = firstPiece; number < pieces.size(); ++number) {
    int64_t from = std::max(computeFreePs, pieces[number].startPs), to = std::min(untilPs, pieces[number].endPs);
    if (from < to)
      result.exposures.push_back({pieces[number].reshard, to - from});
  }
  // The last one may still grow.
  firstPiece = pieces.empty() ? 0 : pieces.size() - 1;
}

int64_t BlockRun::getNextComputePs() const {
  if (!computeReady.empty())
    return computeFreePs;
  return computeWaiting.empty() ? INT64_MAX : std::max(computeFreePs, computeWaiting.top().readyPs);
}

void BlockRun::startCompute(int64_t startPs) {
  while (!computeWaiting.empty() && computeWaiting.top().readyPs <= startPs) {
    computeReady.push(computeWaiting.top().task);
    computeWaiting.pop();
  }
  uint32_t index = computeReady.top();
  computeReady.pop();
  const Task &task = block.tasks[index];
  if (startPs > computeFreePs) {
    serve(startPs);
    accountIdle(startPs);
  }
  if (!taken.empty())
    for (uint32_t value : taken[index])
      takePrefetched(value, startPs);
  int64_t duration = getDuration(index);
  if (!task.blocks.empty()) {
    int64_t issue = issueStartPs.empty() ? 0 : issueStartPs[index] - startPs;
    BlockTimeline inner = simulator.runCompound(task, issue);
    duration = inner.durationPs;
    int64_t before = result.networkPs;
    occupyNetwork(startPs, std::min(inner.networkPs, duration));
    result.networkPs = before;
    result.add(inner, startPs, 1);
  } else {
    uint32_t stream = simulator.getStream(task);
    result.events.push_back({stream, startPs, startPs + duration, task.op, task.reshard, RegionId(), 0});
    result.busyPs[stream] += duration;
    if (stream != computeStream) {
      occupyNetwork(startPs, duration);
      if (task.reshard.isValid())
        result.exposures.push_back({task.reshard, duration});
    }
  }
  computeFreePs = startPs + duration;
  finish(index, computeFreePs);
}

BlockTimeline BlockRun::run() {
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    pending[task] = block.tasks[task].numPredecessors;
  issueTasks();
  collectPrefetches();
  collectReductions();
  findTakers();
  addFences();
  // A task is released when its last predecessor ends, so only those without predecessors are released here.
  std::vector<uint32_t> first;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (pending[task] == 0)
      first.push_back(task);
  for (uint32_t task : first)
    release(task);
  while (true) {
    int64_t computePs = getNextComputePs(), nextPs = findNextNetworkPs();
    if (std::min(computePs, nextPs) == INT64_MAX) {
      if (!releaseBlockedPrefetch() && !releaseBlockedReductions())
        break;
    } else if (nextPs <= computePs) {
      advanceNetwork(nextPs);
    } else {
      startCompute(computePs);
    }
  }
  assert(numDone == block.tasks.size() && "tasks wait for each other");
  result.durationPs = std::max(endPs, computeFreePs);
  accountIdle(result.durationPs);
  llvm::append_range(result.events, pieces);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Inner blocks come after outer ones, so visit them in reverse.
void Simulator::findTalking() {
  talks.resize(tasks.blocks.size(), 0);
  for (uint32_t block = tasks.blocks.size(); block-- > 0;)
    talks[BlockId(block)] = llvm::any_of(tasks.blocks[BlockId(block)].tasks, [&](const Task &task) {
      return isFence(task) || (getDuration(task) > 0 && getStream(task) != computeStream);
    });
}

/// As above.
void Simulator::countIssued() {
  issued.resize(tasks.blocks.size(), 0);
  for (uint32_t block = tasks.blocks.size(); block-- > 0;)
    for (const Task &task : tasks.blocks[BlockId(block)].tasks)
      issued[BlockId(block)] = std::min(maxTimePs, issued[BlockId(block)] + countIssued(task));
}

int64_t Simulator::countIssued(const Task &task) const {
  int64_t sum = 0, most = 0;
  for (BlockId block : task.blocks) {
    sum = std::min(maxTimePs, sum + issued[block]);
    most = std::max(most, issued[block]);
  }
  if (task.kind == TaskKind::Loop)
    return multiplyBounded(sum, getTrips(task));
  return task.kind == TaskKind::Branches ? most : getDuration(task) > 0;
}

BlockTimeline Simulator::runBlock(BlockId block, int64_t issuePs) {
  return BlockRun(*this, tasks.blocks[block], issuePs, makeEmpty()).run();
}

BlockTimeline Simulator::runLoop(const Task &loop, int64_t issuePs) {
  RegionId region = tasks.blocks[loop.blocks.back()].region;
  int64_t trips = getTrips(loop), issueEndPs = std::min(maxTimePs, issuePs + getIssuePs(countIssued(loop)));
  BlockTimeline all = makeEmpty();
  int64_t lastPs = -1;
  for (int64_t trip = 0; trip < trips; ++trip) {
    BlockTimeline once = makeEmpty();
    for (BlockId block : loop.blocks) {
      BlockTimeline part = runBlock(block, issuePs - all.durationPs - once.durationPs);
      once.add(part, once.durationPs, 1);
      once.durationPs += part.durationPs;
      issuePs = std::min(maxTimePs, issuePs + getIssuePs(issued[block]));
    }
    all.add(once, all.durationPs, 1);
    all.durationPs = std::min(maxTimePs, all.durationPs + once.durationPs);
    bool isSteady = options.issuePs == 0 || once.durationPs == std::exchange(lastPs, once.durationPs);
    int64_t rest = trips - trip - 1;
    if (rest == 0 || (!isSteady && trip + 1 < options.maxIterations))
      continue;
    // The skipped iterations may use up the host's lead.
    int64_t skipped = std::max(multiplyBounded(rest, once.durationPs), issueEndPs - all.durationPs);
    once.events.clear();
    all.add(once, 0, rest);
    all.events.push_back({computeStream, all.durationPs, all.durationPs + skipped, OpId(), ReshardId(), region, rest});
    all.durationPs += skipped;
    break;
  }
  return all;
}

BlockTimeline Simulator::runBranches(const Task &task, int64_t issuePs) {
  BlockTimeline longest = makeEmpty();
  for (BlockId block : task.blocks)
    if (BlockTimeline own = runBlock(block, issuePs); own.durationPs > longest.durationPs)
      longest = std::move(own);
  return longest;
}

Timeline Simulator::run() {
  BlockTimeline all = runBlock(BlockId(0), 0);
  llvm::sort(all.events, [](const TimelineEvent &a, const TimelineEvent &b) {
    return std::tuple(a.startPs, a.stream, a.endPs, a.op, a.reshard) <
           std::tuple(b.startPs, b.stream, b.endPs, b.op, b.reshard);
  });
  Timeline timeline;
  timeline.totalPs = all.durationPs;
  timeline.events = std::move(all.events);
  timeline.busyPs = std::move(all.busyPs);
  timeline.exposedPs.resize(durations.reshards.size(), 0);
  for (const Exposure &exposure : all.exposures)
    timeline.exposedPs[exposure.reshard] += exposure.timePs;
  return timeline;
}

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options) {
  return Simulator(topology, reshards, durations, options).run();
}

} // namespace partita::simulate
