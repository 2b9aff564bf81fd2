//===- PipelineTactics.h - applies the tactic that makes a pipeline -------===//
//
//   {"name": "PP", "axis": "pipe", "pipeline": ["state/params/layers/.*"], "microbatches": 8}
//
// makes a pipeline (GPipe) of the loops over layers, in two rewrites:
//
//   for layer                                 the program
//   for microbatch: for layer                 Temporal/LoopMicrobatches.h
//   for tick: for layer, for all stages       Ticks.h
//
// A temporal tactic comes before them: then these are the loops in the turns of the
// one that it makes (LayerPiper.h).
//
// The rewritten program is an ordinary one, in which a dim counts stages. The
// tactic then tiles the stacks along their layers, and the axis reaches that dim
// in all that the stages compute. Other axes may split all the rest.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_PIPELINETACTICS_H
#define PARTITA_PIPELINE_PIPELINETACTICS_H

#include "partita/Pipeline/Rooms.h"
#include "partita/Temporal/TemporalTactics.h"

namespace partita::pipeline {

/// The pipeline tactic of a schedule or of a plan that is replayed; null if there is none.
const Tactic *findPipelineTactic(const PlanSource &source);

/// Sets the number of stages of the pipeline tactic, if there is one: the size of its axis on the mesh that `text` or
/// the source gives.
Status bindStages(PlanSource &source, llvm::StringRef text);

/// As temporal::prepareProgram, for any tactics that rewrite the program. The number of stages must be known. The
/// pipeline tactic gets the tiles of its stacks, and a schedule one more that splits the batch over the same axis: what
/// is outside of the pipeline has no other use for it.
Result<PreparedProgram> prepareProgram(mlir::ModuleOp module, PlanSource &source, const FlattenOptions &options);

} // namespace partita::pipeline

#endif
