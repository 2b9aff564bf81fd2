//===- LayerPiper.h - makes pipelines of the layers of a program ----------===//
//
// Layers stand in a loop over them, or one behind the other (RollLayers.h makes
// loops of these). The loops are in the program's straight code, or in that of the
// turns of a loop around all of the step (EnclosedTurn.h): a step that accumulates
// gradients over microbatches of its own, or that a temporal tactic made so.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_LAYERPIPER_H
#define PARTITA_PIPELINE_LAYERPIPER_H

#include "partita/Pipeline/EnclosedTurn.h"
#include "partita/Pipeline/LayerLoopChoice.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Pipeline/StageLayout.h"
#include "partita/Temporal/TemporalTactics.h"

namespace partita::pipeline {

/// Rows of an argument: row i belongs to microbatch (i / stride) % count.
struct BatchDim {
  unsigned argument = 0;
  uint32_t dim = 0;
  int64_t stride = 1;
};

/// What a pipeline is about, by the numbers of @main's arguments.
struct PipelineSubject {
  /// Those that may be weights of layers.
  llvm::DenseSet<unsigned> stacks;
  std::vector<BatchDim> batch;
};

enum class LayerKind : uint8_t { Looped, Unrolled };

class LayerPiper {
public:
  /// `done` gets what pipelines are made; its numbers of stages and microbatches are given.
  LayerPiper(const FlattenOptions &options, StageBlocks blocks, Pipelined &done)
      : options(options), blocks(blocks), done(done) {}

  /// Makes pipelines of the layers of this kind in @main's straight code; false if there are none. `choice` gets the
  /// stacks. An error says which op forbids it; the program is spoilt then.
  Result<bool> pipeStraightCode(mlir::ModuleOp module, const PipelineSubject &subject, LayerKind kind,
                                LayerLoopChoice &choice);

  /// The same for layers in the turns of loops.
  Result<bool> pipeTurns(mlir::ModuleOp module, const PipelineSubject &subject, LayerKind kind,
                         LayerLoopChoice &choice);

  struct Turn;

private:
  struct Request;

  Result<Request> findRequest(mlir::ModuleOp module, const PipelineSubject &subject, int64_t numStages);
  Status writeLoops(mlir::ModuleOp module, Request &request);
  Result<bool> pipeTurn(Turn &turn, const PipelineSubject &around, LayerKind kind, LayerLoopChoice &choice);

  const FlattenOptions &options;
  StageBlocks blocks;
  Pipelined &done;
};

} // namespace partita::pipeline

#endif
