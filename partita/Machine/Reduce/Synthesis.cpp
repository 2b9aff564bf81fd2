//===- Synthesis.cpp - programs of a collective, and the fastest of them --===//

#include "partita/Machine/Reduce/Synthesis.h"

#include "partita/Machine/Reduce/StateGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <functional>

namespace partita::machine {

int64_t ReductionFactor::getSize() const {
  int64_t size = 1;
  for (const LevelPart &part : parts)
    size *= part.size;
  return size;
}

std::vector<ReductionFactor> listFactors(llvm::ArrayRef<LevelPart> parts) {
  std::map<uint32_t, ReductionFactor> byLevel;
  for (const LevelPart &part : parts)
    if (part.size > 1)
      byLevel[part.level].parts.push_back(part);
  std::vector<ReductionFactor> factors;
  for (auto &[level, factor] : byLevel)
    factors.push_back(std::move(factor));
  return factors;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

/// A kernel that reads and writes so many bytes.
static int64_t priceCopy(const Machine &machine, int64_t bytes) {
  const Device &device = machine.device;
  return device.launchPs.value +
         computeTransferPs(2 * bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
}

static uint32_t makeSet(const ReductionStep &step) {
  uint32_t set = 0;
  for (uint32_t factor : step.factors)
    set |= uint32_t(1) << factor;
  return set;
}

namespace {

/// Prices steps of one request, each once for every size of its operand.
class StepPricer {
public:
  StepPricer(const Machine &machine, const SynthesisRequest &request) : machine(machine), request(request) {}

  /// Of a step that leaves the factors `after` split, from where `before` are.
  int64_t price(const ReductionStep &step, uint32_t before, uint32_t after) {
    auto [entry, isNew] = known.try_emplace({step.kind, makeSet(step), before}, 0);
    if (isNew)
      entry->second = compute(step, before, after);
    return entry->second;
  }
  int64_t priceReorder() const { return priceCopy(machine, request.payloadBytes); }

private:
  int64_t compute(const ReductionStep &step, uint32_t before, uint32_t after) const {
    std::optional<Collective> kind = findCollective(step.kind);
    if (!kind)
      return priceCopy(machine, computeBytes(after));
    LevelParts parts;
    for (uint32_t factor : step.factors)
      parts.append(request.factors[factor].parts);
    CollectiveRequest collective;
    collective.kind = *kind;
    collective.parts = parts;
    collective.payloadBytes = computeBytes(step.kind == StepKind::AllGather ? after : before);
    return priceCollective(machine, collective).timePs;
  }
  int64_t computeBytes(uint32_t split) const {
    int64_t pieces = 1;
    for (auto [index, factor] : llvm::enumerate(request.factors))
      if (split >> index & 1)
        pieces *= factor.getSize();
    return (request.payloadBytes + pieces - 1) / pieces;
  }

  const Machine &machine;
  const SynthesisRequest &request;
  std::map<std::tuple<StepKind, uint32_t, uint32_t>, int64_t> known;
};

} // namespace

static uint32_t getStartSplit(const SynthesisRequest &request) {
  return request.goal == StepKind::AllGather ? (uint32_t(1) << request.factors.size()) - 1 : 0;
}

int64_t priceProgram(const Machine &machine, const SynthesisRequest &request, const ReductionProgram &program) {
  StepPricer pricer(machine, request);
  uint32_t split = getStartSplit(request);
  int64_t timePs = program.isReordered ? pricer.priceReorder() : 0;
  for (const ReductionStep &step : program.steps) {
    uint32_t after = split;
    if (step.kind == StepKind::AllGather)
      after &= ~makeSet(step);
    if (step.kind == StepKind::ReduceScatter || step.kind == StepKind::Slice)
      after |= makeSet(step);
    timePs = std::min(maxTimePs, timePs + pricer.price(step, split, after));
    split = after;
  }
  return timePs;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Synthesizer::Synthesizer() = default;
Synthesizer::~Synthesizer() = default;

const StateGraph &Synthesizer::getGraph(StepKind goal, size_t numFactors) {
  std::unique_ptr<StateGraph> &graph = graphs[{goal, numFactors}];
  if (!graph)
    graph = std::make_unique<StateGraph>(goal, numFactors, mostSteps);
  return *graph;
}

/// An exchange in several steps packs what goes to one device before each of them.
static bool isReordered(StepKind goal, const StateGraph::Node &node, size_t numSteps) {
  return goal == StepKind::AllToAll ? numSteps > 1 : node.isReordered;
}

std::vector<ReductionProgram> Synthesizer::list(StepKind goal, size_t numFactors, size_t most) {
  if (numFactors == 0 || numFactors > mostFactors)
    return {};
  const StateGraph &graph = getGraph(goal, numFactors);
  std::vector<ReductionProgram> programs;
  std::vector<ReductionStep> steps;
  std::vector<bool> isVisited(graph.nodes.size());
  std::function<void(size_t)> visit = [&](size_t index) {
    const StateGraph::Node &node = graph.nodes[index];
    if (node.isGoal) {
      programs.push_back({steps, isReordered(goal, node, steps.size())});
      return;
    }
    isVisited[index] = true;
    for (const StateGraph::Edge &edge : node.edges) {
      size_t distance = graph.nodes[edge.target].distance;
      if (distance >= mostSteps || steps.size() + 1 + distance > mostSteps || isVisited[edge.target] ||
          programs.size() >= most)
        continue;
      steps.push_back(edge.step);
      visit(edge.target);
      steps.pop_back();
    }
    isVisited[index] = false;
  };
  visit(0);
  return programs;
}

/// The collective as one step.
static ReductionProgram makeWhole(const SynthesisRequest &request) {
  ReductionStep step{request.goal, {}};
  for (uint32_t factor = 0; factor < request.factors.size(); ++factor)
    step.factors.push_back(factor);
  return {{step}, false};
}

namespace {

/// The cheapest way to a state in some number of steps.
struct Path {
  int64_t timePs = -1;
  std::vector<ReductionStep> steps;
};

} // namespace

/// The paths that are one step longer, and faster than `limitPs`.
static std::vector<Path> extend(llvm::ArrayRef<Path> paths, const StateGraph &graph, int64_t limitPs,
                                StepPricer &pricer) {
  std::vector<Path> next(graph.nodes.size());
  for (auto [path, node] : llvm::zip_equal(paths, graph.nodes)) {
    if (path.timePs < 0)
      continue;
    for (const StateGraph::Edge &edge : node.edges) {
      int64_t timePs = path.timePs + pricer.price(edge.step, node.split, graph.nodes[edge.target].split);
      Path &reached = next[edge.target];
      if (timePs >= limitPs || (reached.timePs >= 0 && reached.timePs <= timePs))
        continue;
      reached.timePs = timePs;
      reached.steps = path.steps;
      reached.steps.push_back(edge.step);
    }
  }
  return next;
}

/// The program over the factors whose runs are those of `program`; run i begins with factor `firsts[i]`.
static ReductionProgram unjoin(const ReductionProgram &program, llvm::ArrayRef<size_t> firsts) {
  ReductionProgram whole{{}, program.isReordered};
  for (const ReductionStep &step : program.steps) {
    ReductionStep &own = whole.steps.emplace_back(ReductionStep{step.kind, {}});
    for (uint32_t run : step.factors)
      for (size_t factor = firsts[run]; factor < firsts[run + 1]; ++factor)
        own.factors.push_back(static_cast<uint32_t>(factor));
  }
  return whole;
}

PricedProgram Synthesizer::findFastestOfRuns(const Machine &machine, const SynthesisRequest &request,
                                             PricedProgram best) {
  static_assert(mostFactors == 3, "three runs");
  size_t count = request.factors.size();
  for (size_t second = 1; second + 1 < count; ++second)
    for (size_t third = second + 1; third < count; ++third) {
      const std::array<size_t, mostFactors + 1> firsts = {0, second, third, count};
      std::array<ReductionFactor, mostFactors> runs;
      for (size_t run = 0; run < runs.size(); ++run)
        for (const ReductionFactor &factor : request.factors.slice(firsts[run], firsts[run + 1] - firsts[run]))
          runs[run].parts.append(factor.parts);
      SynthesisRequest joined = request;
      joined.factors = runs;
      PricedProgram found = findFastest(machine, joined);
      if (found.timePs < best.timePs)
        best = {unjoin(found.program, firsts), found.timePs};
    }
  return best;
}

PricedProgram Synthesizer::findFastest(const Machine &machine, const SynthesisRequest &request) {
  PricedProgram best{makeWhole(request), 0};
  best.timePs = priceProgram(machine, request, best.program);
  if (request.factors.size() < 2)
    return best;
  if (request.factors.size() > mostFactors)
    return findFastestOfRuns(machine, request, std::move(best));
  llvm::SmallVector<int64_t, 4> sizes;
  for (const ReductionFactor &factor : request.factors)
    sizes.push_back(factor.getSize());
  const StateGraph &graph = getGraph(request.goal, request.factors.size());
  StepPricer pricer(machine, request);
  std::vector<Path> paths(graph.nodes.size());
  paths[0].timePs = 0;
  for (size_t depth = 0; depth < mostSteps; ++depth) {
    paths = extend(paths, graph, best.timePs, pricer);
    for (auto [path, node] : llvm::zip_equal(paths, graph.nodes)) {
      if (!node.isGoal || path.timePs < 0)
        continue;
      PricedProgram found{{path.steps, isReordered(request.goal, node, path.steps.size())}, path.timePs};
      if (found.program.isReordered && !request.mayReorder)
        continue;
      found.timePs += found.program.isReordered ? pricer.priceReorder() : 0;
      if (found.timePs < best.timePs && isProven(found.program, request.goal, sizes))
        best = std::move(found);
    }
  }
  return best;
}

} // namespace partita::machine
