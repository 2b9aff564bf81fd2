//===- PipelineChoice.cpp - which pipelines a search tries ----------------===//

#include "partita/Variants/PipelineChoice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

/// Numbers of microbatches for each stage: the first that is tried, and the most.
static constexpr int64_t firstPerStage = 4, mostPerStage = 16;

int64_t countSteppedLayers(const Graph &graph) {
  int64_t most = 0;
  for (const SteppedDim &step : graph.steppedDims)
    most = std::max(most, graph.regions[step.loop].trips);
  return most;
}

std::vector<PipelineAxis> listPipelines(int64_t layers, const Mesh &mesh, int64_t rows) {
  std::vector<PipelineAxis> axes;
  for (const MeshAxis &axis : mesh.axes) {
    if (axis.size < 2 || axis.size > layers)
      continue;
    PipelineAxis made{axis.name, axis.size, {}};
    for (int64_t count = 2; count <= std::min(rows, mostPerStage * axis.size); ++count)
      if (rows % count == 0 && (made.counts.empty() || count % made.counts.back() == 0))
        made.counts.push_back(count);
    if (!made.counts.empty())
      axes.push_back(std::move(made));
  }
  return axes;
}

/// The least time that a step takes in a pipeline.
static double computeLeastPs(int64_t computePs, int64_t stages, int64_t microbatches) {
  return double(computePs) * double(microbatches + stages - 1) / double(microbatches);
}

/// What is known of one axis: for each of its counts, nothing if it was not tried, else its time, if it fits.
using CountTimes = std::vector<std::optional<std::optional<int64_t>>>;

static CountTimes findTimes(const PipelineAxis &axis, llvm::ArrayRef<PipelineTrial> tried) {
  CountTimes times(axis.counts.size());
  for (const PipelineTrial &trial : tried)
    if (trial.pipeline.axis == axis.axis)
      times[llvm::find(axis.counts, trial.pipeline.microbatches) - axis.counts.begin()] = trial.timePs;
  return times;
}

/// The count that is tried first.
static size_t chooseFirst(const PipelineAxis &axis) {
  size_t first = 0;
  for (auto [number, count] : llvm::enumerate(axis.counts))
    if (count <= firstPerStage * axis.stages)
      first = number;
  return first;
}

/// A neighbour of `best` that was not tried; nothing if there is none.
static std::optional<size_t> chooseNeighbor(const CountTimes &times, size_t best) {
  if (best + 1 < times.size() && !times[best + 1])
    return best + 1;
  return best > 0 && !times[best - 1] ? std::optional(best - 1) : std::nullopt;
}

std::optional<PipelineVariant> chooseNextPipeline(llvm::ArrayRef<PipelineAxis> axes,
                                                  llvm::ArrayRef<PipelineTrial> tried, int64_t computePs,
                                                  int64_t bestPs) {
  std::optional<PipelineVariant> first, next;
  double leastPs = double(bestPs);
  std::optional<int64_t> fastestPs;
  for (const PipelineAxis &axis : axes) {
    auto getLeast = [&](size_t number) { return computeLeastPs(computePs, axis.stages, axis.counts[number]); };
    CountTimes times = findTimes(axis, tried);
    if (llvm::none_of(times, [](const auto &time) { return time.has_value(); })) {
      if (size_t number = chooseFirst(axis); getLeast(number) < leastPs) {
        leastPs = getLeast(number);
        first = PipelineVariant{axis.axis, axis.counts[number]};
      }
      continue;
    }
    // Only the best axis is followed.
    for (size_t number = 0; number < times.size(); ++number) {
      if (!times[number] || !*times[number] || (fastestPs && **times[number] >= *fastestPs))
        continue;
      fastestPs = *times[number];
      std::optional<size_t> neighbor = chooseNeighbor(times, number);
      next = neighbor && getLeast(*neighbor) < double(bestPs)
                 ? std::optional(PipelineVariant{axis.axis, axis.counts[*neighbor]})
                 : std::nullopt;
    }
  }
  return first ? first : next;
}

} // namespace partita::variants
