//===- PipelineChoice.cpp - which pipelines a search tries ----------------===//

#include "partita/Variants/PipelineChoice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

/// Numbers of microbatches for each stage: the first that is tried, and the most.
static constexpr int64_t firstPerStage = 4, mostPerStage = 16;
/// A loop may have any number of trips; the bubble of so many repeats is small.
static constexpr int64_t mostRepeats = 16;

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
    // Layers that are filled or left over (Pipeline/Peel.h) are so with repeats as well.
    int64_t left = layers % axis.size, perStage = layers / axis.size + (left > axis.size - left ? 1 : 0);
    for (int64_t repeats = 2; repeats <= std::min(perStage, mostRepeats); ++repeats)
      if (perStage % repeats == 0)
        made.repeats.push_back(repeats);
    if (!made.counts.empty())
      axes.push_back(std::move(made));
  }
  return axes;
}

namespace {

/// Chooses along the numbers of one axis.
class AxisChooser {
public:
  AxisChooser(const PipelineAxis &axis, llvm::ArrayRef<PipelineTrial> tried, int64_t computePs)
      : axis(axis), tried(tried), computePs(computePs) {}

  bool isTried() const {
    return llvm::any_of(tried, [&](const PipelineTrial &trial) { return trial.pipeline.axis == axis.axis; });
  }
  /// The pipeline that is tried first.
  PipelineVariant chooseFirst() const;
  /// One next to `best` that was not tried; nothing if there is none.
  std::optional<PipelineVariant> chooseNeighbor(const PipelineVariant &best, int64_t bestPs) const;
  /// The least time that a step takes in a pipeline.
  double computeLeastPs(const PipelineVariant &pipeline) const;

private:
  bool isOpen(const PipelineVariant &pipeline) const {
    return llvm::none_of(tried, [&](const PipelineTrial &trial) { return trial.pipeline == pipeline; });
  }

  const PipelineAxis &axis;
  llvm::ArrayRef<PipelineTrial> tried;
  int64_t computePs;
};

} // namespace

double AxisChooser::computeLeastPs(const PipelineVariant &pipeline) const {
  double work = double(pipeline.microbatches) * double(pipeline.repeats);
  return double(computePs) * (work + double(axis.stages - 1)) / work;
}

PipelineVariant AxisChooser::chooseFirst() const {
  PipelineVariant first{axis.axis, axis.counts.front()};
  for (int64_t count : axis.counts)
    if (count <= firstPerStage * axis.stages)
      first.microbatches = count;
  return first;
}

/// The numbers before and behind `number`, the larger one first.
static llvm::SmallVector<int64_t, 2> listNext(llvm::ArrayRef<int64_t> numbers, int64_t number) {
  const auto *place = llvm::find(numbers, number);
  llvm::SmallVector<int64_t, 2> next;
  if (place != numbers.end() && std::next(place) != numbers.end())
    next.push_back(*std::next(place));
  if (place != numbers.end() && place != numbers.begin())
    next.push_back(*std::prev(place));
  return next;
}

std::optional<PipelineVariant> AxisChooser::chooseNeighbor(const PipelineVariant &best, int64_t bestPs) const {
  for (int64_t count : listNext(axis.counts, best.microbatches)) {
    PipelineVariant next{axis.axis, count, best.repeats};
    bool hasFullGroups = best.repeats == 1 || count % axis.stages == 0;
    if (hasFullGroups && isOpen(next))
      return next;
  }
  if (best.microbatches % axis.stages != 0)
    return std::nullopt;
  for (int64_t repeats : listNext(axis.repeats, best.repeats)) {
    PipelineVariant next{axis.axis, best.microbatches, repeats};
    // Weights have to move to their stages; what is gained at most should be worth a search.
    bool mayGain = repeats < best.repeats || computeLeastPs(best) - computeLeastPs(next) > double(bestPs) / 100;
    if (mayGain && isOpen(next))
      return next;
  }
  return std::nullopt;
}

std::optional<PipelineVariant> chooseNextPipeline(llvm::ArrayRef<PipelineAxis> axes,
                                                  llvm::ArrayRef<PipelineTrial> tried, int64_t computePs,
                                                  int64_t bestPs) {
  std::optional<PipelineVariant> first;
  double leastPs = double(bestPs);
  for (const PipelineAxis &axis : axes) {
    AxisChooser chooser(axis, tried, computePs);
    PipelineVariant pipeline = chooser.chooseFirst();
    if (chooser.isTried() || chooser.computeLeastPs(pipeline) >= leastPs)
      continue;
    leastPs = chooser.computeLeastPs(pipeline);
    first = pipeline;
  }
  if (first)
    return first;
  // Only the best axis is followed.
  const PipelineTrial *fastest = nullptr;
  for (const PipelineTrial &trial : tried)
    if (trial.timePs && (!fastest || *trial.timePs < *fastest->timePs))
      fastest = &trial;
  const auto *axis =
      fastest ? llvm::find_if(axes, [&](const PipelineAxis &each) { return each.axis == fastest->pipeline.axis; })
              : axes.end();
  if (axis == axes.end())
    return std::nullopt;
  AxisChooser chooser(*axis, tried, computePs);
  std::optional<PipelineVariant> next = chooser.chooseNeighbor(fastest->pipeline, *fastest->timePs);
  return next && chooser.computeLeastPs(*next) < double(bestPs) ? next : std::nullopt;
}

} // namespace partita::variants
