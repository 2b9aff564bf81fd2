//===- PipelineChoice.h - which pipelines a search tries ------------------===//
//
// A pipeline may run over any axis of the mesh that has at least as many layers
// behind it, in P, 2P, 4P ... microbatches. A device that waits does nothing: with
// M microbatches in P stages, a step takes at least (M + P - 1) / M of the time
// that its compute takes without a pipeline. So pipelines are tried where other
// plans spend more than that on communication: first one over each axis, with four
// microbatches for each stage. The number of the best one is then doubled and
// halved, as long as the step gets faster. If it divides by the stages, circular
// pipelines of so many microbatches are tried as well: with v repeats, a step takes
// at least (vM + P - 1) / vM of that time.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_PIPELINECHOICE_H
#define PARTITA_VARIANTS_PIPELINECHOICE_H

#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Variants/Variant.h"

namespace partita::variants {

/// The pipelines over one axis.
struct PipelineAxis {
  std::string axis;
  int64_t stages = 1;
  /// Numbers of microbatches, in ascending order.
  std::vector<int64_t> counts;
  /// Numbers of blocks of layers for each stage, in ascending order, from 1 on.
  std::vector<int64_t> repeats = {1};
};

/// The most iterations of a loop that steps through an argument; 0 if there is none.
int64_t countSteppedLayers(const Graph &graph);

/// Of a program with so many layers. `rows`: of the batch.
std::vector<PipelineAxis> listPipelines(int64_t layers, const Mesh &mesh, int64_t rows);

/// A pipeline that was tried; nothing of `timePs` if it does not fit.
struct PipelineTrial {
  PipelineVariant pipeline;
  std::optional<int64_t> timePs;
};

/// The next one to try, of those that could take less than `bestPs`; nothing if there is none. `computePs` is the time
/// of the compute of a plan without a pipeline.
std::optional<PipelineVariant> chooseNextPipeline(llvm::ArrayRef<PipelineAxis> axes,
                                                  llvm::ArrayRef<PipelineTrial> tried, int64_t computePs,
                                                  int64_t bestPs);

} // namespace partita::variants

#endif
