//===- Simulation.cpp - a list scheduler over streams ---------------------===//

#include "partita/Simulate/Simulation.h"

#include "partita/Machine/Machine.h"
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

/// When each stream is free, how long it has been busy, and the events so far.
struct Clock {
  std::vector<int64_t> freePs, busyPs;
  std::vector<TimelineEvent> events;
  /// Until when it is known what compute waited for, the events of other streams that may reach beyond that, and what
  /// was found.
  int64_t accountedPs = 0;
  std::vector<TimelineEvent> running;
  std::vector<Exposure> exposures;

  /// Compute is idle from `accountedPs` to `untilPs`.
  void accountIdle(int64_t untilPs);
};

/// When the last prefetched values of the previous iteration were used: from then on there is room for the next ones.
struct Prefetch {
  std::vector<int64_t> roomPs;
  bool operator==(const Prefetch &) const = default;
};

class Simulator {
public:
  Simulator(const Topology &topology, const Reshards &reshards, const Durations &durations,
            const SimulationOptions &options)
      : graph(topology.getGraph()), tasks(buildTaskGraph(topology, reshards)), durations(durations), options(options) {
    countIssued();
  }

  Timeline run();

  /// The host begins to issue the block's tasks at `issuePs`.
  int64_t runBlock(BlockId block, int64_t startPs, int64_t issuePs, Prefetch &prefetch, Clock &clock);
  /// Runs the loop from `startPs` on and returns when it ends.
  int64_t runLoop(const Task &loop, int64_t startPs, int64_t issuePs, Clock &clock);
  int64_t runBranches(const Task &task, int64_t startPs, int64_t issuePs, Clock &clock);

  int64_t getTrips(const Task &loop) const {
    int64_t trips = graph.regions[tasks.blocks[loop.blocks.back()].region].trips;
    return trips >= 0 ? trips : options.assumedTrips;
  }
  int64_t getDuration(const Task &task) const {
    if (task.kind == TaskKind::Op)
      return durations.ops[task.op];
    return task.kind == TaskKind::Reshard ? durations.reshards[task.reshard].timePs : 0;
  }
  /// The time in which the host issues `count` ops or reshards.
  int64_t getIssuePs(int64_t count) const { return multiplyBounded(options.issuePs, count); }
  static int64_t multiplyBounded(int64_t a, int64_t b) {
    return static_cast<int64_t>(std::min<__int128>(static_cast<__int128>(a) * b, maxTimePs));
  }
  void countIssued();
  int64_t countIssued(const Task &task) const;

  const Graph &graph;
  TaskGraph tasks;
  const Durations &durations;
  const SimulationOptions &options;
  /// How many ops and reshards the host issues for one run of a block.
  IdVector<BlockId, int64_t> issued;
};

/// The list scheduler for one run of a block: ready tasks wait in their stream's queue.
class BlockRun {
public:
  BlockRun(Simulator &simulator, const Block &block, int64_t startPs, int64_t issuePs, Prefetch &prefetch, Clock &clock)
      : simulator(simulator), block(block), startPs(startPs), issuePs(issuePs), prefetch(prefetch), clock(clock),
        readyPs(block.tasks.size(), startPs), pending(block.tasks.size()), waiting(clock.freePs.size()),
        ready(clock.freePs.size()), prefetchNumbers(block.tasks.size(), -1) {}

  int64_t run();

private:
  struct Waiting {
    int64_t readyPs;
    uint32_t task;
    bool operator>(const Waiting &other) const {
      return std::pair(readyPs, task) > std::pair(other.readyPs, other.task);
    }
  };
  using WaitingQueue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;
  using ReadyQueue = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;

  uint32_t getStream(const Task &task) const {
    if (task.kind == TaskKind::Reshard)
      return simulator.durations.reshards[task.reshard].stream;
    bool isPlaced = task.kind == TaskKind::Op && !simulator.durations.opStreams.empty();
    return isPlaced ? simulator.durations.opStreams[task.op] : computeStream;
  }
  bool isPrefetched(const Task &task) const {
    return task.kind == TaskKind::Reshard && simulator.durations.reshards[task.reshard].isPrefetched;
  }
  int64_t getDuration(const Task &task) const { return simulator.getDuration(task); }

  void issueTasks();
  void collectPrefetches();
  void findTakers();
  bool releaseBlockedPrefetch();
  /// Queues a task for which no predecessor is left.
  void release(uint32_t task);
  void finish(uint32_t task, int64_t endPs);
  /// Call when a task takes its operands: prefetched ones among them make room for later ones.
  void takePrefetched(uint32_t task, int64_t atPs);
  int64_t getNextStart(uint32_t stream);
  void startNext(uint32_t stream);
  void startReadyReshards(int64_t untilPs);

  Simulator &simulator;
  const Block &block;
  int64_t startPs, issuePs;
  Prefetch &prefetch;
  Clock &clock;
  std::vector<int64_t> readyPs;
  /// When the host begins to issue each task; empty if it takes no time.
  std::vector<int64_t> issueStartPs;
  std::vector<uint32_t> pending;
  /// For each stream, the waiting tasks: by ready time, then by program order.
  std::vector<WaitingQueue> waiting;
  std::vector<ReadyQueue> ready;
  /// Prefetched tasks in program order, the number of each, and the tasks that use them.
  std::vector<uint32_t> prefetches;
  std::vector<int32_t> prefetchNumbers;
  std::vector<llvm::SmallVector<uint32_t, 2>> taken;
  std::vector<int64_t> takenPs;
  int64_t endPs = 0;
  size_t numDone = 0;
};

} // namespace

/// Everything that starts before `untilPs` on another stream is known when compute starts something at that time.
void Clock::accountIdle(int64_t untilPs) {
  if (untilPs <= accountedPs)
    return;
  llvm::sort(running, [](const TimelineEvent &a, const TimelineEvent &b) {
    return std::tuple(a.startPs, a.stream) < std::tuple(b.startPs, b.stream);
  });
  for (const TimelineEvent &event : running) {
    int64_t from = std::max(accountedPs, event.startPs), to = std::min(untilPs, event.endPs);
    if (to <= from)
      continue;
    if (event.reshard.isValid())
      exposures.push_back({event.reshard, to - from});
    accountedPs = to;
  }
  accountedPs = untilPs;
  llvm::erase_if(running, [&](const TimelineEvent &event) { return event.endPs <= accountedPs; });
}

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

/// The first `depth` prefetches have room since the previous iteration. Each other one waits for the use of the one
/// `depth` before it.
void BlockRun::collectPrefetches() {
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (isPrefetched(block.tasks[task])) {
      prefetchNumbers[task] = static_cast<int32_t>(prefetches.size());
      prefetches.push_back(task);
    }
  takenPs.assign(prefetches.size(), -1);
  size_t depth = std::max<uint32_t>(1, simulator.options.prefetchDepth);
  for (size_t number = 0; number < prefetches.size(); ++number) {
    uint32_t task = prefetches[number];
    pending[task] = number < depth ? 0 : 1;
    // The host may be ahead of the block's start.
    int64_t issued = issueStartPs.empty() ? 0 : issueStartPs[task] + simulator.options.issuePs;
    readyPs[task] = std::max(startPs, issued);
    if (number < depth && number < prefetch.roomPs.size())
      readyPs[task] = std::max(prefetch.roomPs[number], issued);
  }
}

/// Finds the user of each prefetched value: the first op that takes time, after ops that take none.
void BlockRun::findTakers() {
  if (prefetches.empty())
    return;
  taken.resize(block.tasks.size());
  std::vector<uint32_t> seenBy(block.tasks.size(), UINT32_MAX);
  for (uint32_t value : prefetches) {
    llvm::SmallVector<uint32_t, 8> open{value};
    bool isTaken = false;
    while (!open.empty())
      for (uint32_t next : block.tasks[open.pop_back_val()].successors) {
        if (std::exchange(seenBy[next], value) == value)
          continue;
        if (getDuration(block.tasks[next]) == 0 && block.tasks[next].blocks.empty()) {
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

/// An op may need more prefetched values at once than there is room for. Then lets the first blocked one run.
bool BlockRun::releaseBlockedPrefetch() {
  for (uint32_t task : prefetches)
    if (pending[task] != 0) {
      pending[task] = 0;
      readyPs[task] = std::max(readyPs[task], endPs);
      release(task);
      return true;
    }
  return false;
}

void BlockRun::release(uint32_t task) {
  if (getDuration(block.tasks[task]) == 0 && block.tasks[task].blocks.empty())
    return finish(task, readyPs[task]);
  waiting[getStream(block.tasks[task])].push({readyPs[task], task});
}

void BlockRun::takePrefetched(uint32_t task, int64_t atPs) {
  size_t depth = std::max<uint32_t>(1, simulator.options.prefetchDepth);
  size_t number = static_cast<size_t>(prefetchNumbers[task]);
  if (takenPs[number] >= 0)
    return;
  takenPs[number] = atPs;
  if (number + depth >= prefetches.size())
    return;
  uint32_t next = prefetches[number + depth];
  if (pending[next] == 0)
    return;
  pending[next] = 0;
  readyPs[next] = issueStartPs.empty() ? atPs : std::max(atPs, issueStartPs[next] + simulator.options.issuePs);
  release(next);
}

void BlockRun::finish(uint32_t task, int64_t at) {
  // Tasks that take no time release others at once. Uses a stack, not recursion, since such sequences are long.
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 16> done{{task, at}};
  while (!done.empty()) {
    auto [current, end] = done.pop_back_val();
    ++numDone;
    endPs = std::max(endPs, end);
    for (uint32_t next : block.tasks[current].successors) {
      if (prefetchNumbers[next] >= 0)
        continue;
      readyPs[next] = std::max(readyPs[next], end);
      if (--pending[next] != 0)
        continue;
      if (getDuration(block.tasks[next]) == 0 && block.tasks[next].blocks.empty())
        done.push_back({next, readyPs[next]});
      else
        waiting[getStream(block.tasks[next])].push({readyPs[next], next});
    }
  }
}

int64_t BlockRun::getNextStart(uint32_t stream) {
  if (!ready[stream].empty())
    return clock.freePs[stream];
  if (waiting[stream].empty())
    return INT64_MAX;
  return std::max(clock.freePs[stream], waiting[stream].top().readyPs);
}

/// Reshards that could start before a loop get their stream before the loop's own reshards.
void BlockRun::startReadyReshards(int64_t untilPs) {
  for (uint32_t stream = 1; stream < clock.freePs.size(); ++stream)
    while (!ready[stream].empty() || (!waiting[stream].empty() && waiting[stream].top().readyPs <= untilPs))
      startNext(stream);
}

void BlockRun::startNext(uint32_t stream) {
  int64_t start = getNextStart(stream);
  while (!waiting[stream].empty() && waiting[stream].top().readyPs <= start) {
    ready[stream].push(waiting[stream].top().task);
    waiting[stream].pop();
  }
  uint32_t index = ready[stream].top();
  ready[stream].pop();
  const Task &task = block.tasks[index];
  if (!taken.empty())
    for (uint32_t value : taken[index])
      takePrefetched(value, start);
  if (!task.blocks.empty()) {
    startReadyReshards(start);
    int64_t issue = issueStartPs.empty() ? 0 : issueStartPs[index];
    int64_t end = task.kind == TaskKind::Loop ? simulator.runLoop(task, start, issue, clock)
                                              : simulator.runBranches(task, start, issue, clock);
    clock.freePs[computeStream] = end;
    return finish(index, end);
  }
  int64_t duration = getDuration(task);
  TimelineEvent event{stream, start, start + duration, task.op, task.reshard, RegionId(), 0};
  clock.events.push_back(event);
  if (stream == computeStream) {
    clock.accountIdle(start);
    clock.accountedPs = event.endPs;
  } else {
    clock.running.push_back(event);
  }
  clock.freePs[stream] = start + duration;
  clock.busyPs[stream] += duration;
  finish(index, start + duration);
}

int64_t BlockRun::run() {
  endPs = startPs;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    pending[task] = block.tasks[task].numPredecessors;
  issueTasks();
  collectPrefetches();
  findTakers();
  // A task is released when its last predecessor ends, so only those without predecessors are released here.
  std::vector<uint32_t> first;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (pending[task] == 0)
      first.push_back(task);
  for (uint32_t task : first)
    release(task);
  while (true) {
    uint32_t next = computeStream;
    for (uint32_t stream = 1; stream < clock.freePs.size(); ++stream)
      if (getNextStart(stream) < getNextStart(next))
        next = stream;
    if (getNextStart(next) != INT64_MAX)
      startNext(next);
    else if (!releaseBlockedPrefetch())
      break;
  }
  assert(numDone == block.tasks.size() && "tasks wait for each other");
  size_t depth = std::max<uint32_t>(1, simulator.options.prefetchDepth);
  prefetch.roomPs.clear();
  for (size_t number = prefetches.size() - std::min(prefetches.size(), depth); number < prefetches.size(); ++number)
    prefetch.roomPs.push_back(takenPs[number] < 0 ? endPs : takenPs[number]);
  return endPs;
}

/// Inner blocks come after outer ones, so visit them in reverse.
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

int64_t Simulator::runBlock(BlockId block, int64_t startPs, int64_t issuePs, Prefetch &prefetch, Clock &clock) {
  clock.freePs[computeStream] = std::max(clock.freePs[computeStream], startPs);
  int64_t end = BlockRun(*this, tasks.blocks[block], startPs, issuePs, prefetch, clock).run();
  end = std::max(end, clock.freePs[computeStream]);
  clock.accountIdle(end);
  return end;
}

namespace {

/// The state at the end of an iteration, relative to its end. After two equal states, all further iterations are equal.
struct IterationState {
  int64_t durationPs = 0;
  std::vector<int64_t> lagPs;
  std::vector<int64_t> roomPs;
  bool operator==(const IterationState &) const = default;
};

} // namespace

int64_t Simulator::runLoop(const Task &loop, int64_t startPs, int64_t issuePs, Clock &clock) {
  RegionId region = tasks.blocks[loop.blocks.back()].region;
  int64_t trips = getTrips(loop), issueEndPs = std::min(maxTimePs, issuePs + getIssuePs(countIssued(loop)));
  std::vector<Prefetch> prefetches(loop.blocks.size());
  IterationState last;
  std::vector<int64_t> busyBefore;
  // What compute waited for before the loop is not repeated with its iterations.
  clock.accountIdle(startPs);
  size_t exposuresBefore = 0;
  int64_t now = startPs;
  for (int64_t trip = 0; trip < trips; ++trip) {
    busyBefore = clock.busyPs;
    exposuresBefore = clock.exposures.size();
    int64_t begin = now;
    for (size_t part = 0; part < loop.blocks.size(); ++part) {
      now = runBlock(loop.blocks[part], now, issuePs, prefetches[part], clock);
      issuePs = std::min(maxTimePs, issuePs + getIssuePs(issued[loop.blocks[part]]));
    }
    IterationState state;
    state.durationPs = now - begin;
    for (int64_t free : clock.freePs)
      state.lagPs.push_back(std::max<int64_t>(free - now, -state.durationPs));
    for (const Prefetch &prefetch : prefetches)
      for (int64_t room : prefetch.roomPs)
        state.roomPs.push_back(room - now);
    bool isSteady = trip > 0 && state == last;
    int64_t rest = trips - trip - 1;
    last = std::move(state);
    if (rest == 0 || (!isSteady && trip + 1 < options.maxIterations))
      continue;
    // The skipped iterations may use up the host's lead.
    int64_t skipped = std::max(multiplyBounded(rest, last.durationPs), issueEndPs - now);
    clock.events.push_back({computeStream, now, now + skipped, OpId(), ReshardId(), region, rest});
    for (size_t stream = 0; stream < clock.busyPs.size(); ++stream) {
      clock.busyPs[stream] += rest * (clock.busyPs[stream] - busyBefore[stream]);
      clock.freePs[stream] += skipped;
    }
    for (size_t i = exposuresBefore, size = clock.exposures.size(); i < size; ++i)
      clock.exposures.push_back({clock.exposures[i].reshard, multiplyBounded(rest, clock.exposures[i].timePs)});
    clock.accountedPs = now + skipped;
    for (TimelineEvent &event : clock.running) {
      event.startPs += skipped;
      event.endPs += skipped;
    }
    return now + skipped;
  }
  return now;
}

int64_t Simulator::runBranches(const Task &task, int64_t startPs, int64_t issuePs, Clock &clock) {
  int64_t end = startPs;
  std::optional<Clock> longest;
  clock.accountIdle(startPs);
  llvm::erase_if(clock.running, [&](const TimelineEvent &event) { return event.endPs <= startPs; });
  for (BlockId block : task.blocks) {
    Clock own{clock.freePs, clock.busyPs, {}, clock.accountedPs, clock.running, {}};
    Prefetch prefetch;
    int64_t ownEnd = runBlock(block, startPs, issuePs, prefetch, own);
    if (longest && ownEnd <= end)
      continue;
    end = ownEnd;
    longest = std::move(own);
  }
  clock.freePs = std::move(longest->freePs);
  clock.busyPs = std::move(longest->busyPs);
  llvm::append_range(clock.events, longest->events);
  clock.accountedPs = longest->accountedPs;
  clock.running = std::move(longest->running);
  llvm::append_range(clock.exposures, longest->exposures);
  return end;
}

Timeline Simulator::run() {
  Clock clock;
  clock.freePs.assign(durations.numStreams, 0);
  clock.busyPs.assign(durations.numStreams, 0);
  Prefetch prefetch;
  Timeline timeline;
  timeline.totalPs = runBlock(BlockId(0), 0, 0, prefetch, clock);
  llvm::sort(clock.events, [](const TimelineEvent &a, const TimelineEvent &b) {
    return std::tuple(a.startPs, a.stream, a.endPs, a.op, a.reshard) <
           std::tuple(b.startPs, b.stream, b.endPs, b.op, b.reshard);
  });
  timeline.events = std::move(clock.events);
  timeline.busyPs = std::move(clock.busyPs);
  timeline.exposedPs.resize(durations.reshards.size(), 0);
  for (const Exposure &exposure : clock.exposures)
    timeline.exposedPs[exposure.reshard] += exposure.timePs;
  return timeline;
}

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options) {
  return Simulator(topology, reshards, durations, options).run();
}

} // namespace partita::simulate
