//===- LayerLoopChoice.h - which loops become pipelines -------------------===//
//
// The loops of the program's straight code that step through the stacks that a
// tactic names: forward, backward, several of them where a model has several.
// Weights may be converted on their way to a loop. A loop that steps through what
// such a loop has stacked (a backward pass that needs no weights) belongs to
// them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_LAYERLOOPCHOICE_H
#define PARTITA_PIPELINE_LAYERLOOPCHOICE_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

namespace partita::pipeline {

struct LayerLoopChoice {
  /// In program order.
  llvm::SmallVector<stablehlo::WhileOp> loops;
  /// The arguments that loops step through, unchanged or converted, and the dims.
  std::map<unsigned, unsigned> stackedArguments;
  /// Those of which loops have only a part of the layers, or have more behind them (Peel.h).
  std::map<unsigned, unsigned> cutArguments;
  /// Those of single layers, which a loop steps through once they are put together (RollLayers.h).
  std::set<unsigned> layerArguments;
};

/// Loops whose iterations are a multiple of `numStages`. `stacks` are numbers of arguments, `batch` those that depend
/// on the batch: what is computed from these is no weight.
LayerLoopChoice chooseLayerLoops(mlir::func::FuncOp main, const llvm::DenseSet<unsigned> &stacks,
                                 const llvm::DenseSet<unsigned> &batch, int64_t numStages = 1);

/// Whether the value is computed from arguments in `stacks`, and from none in `batch`. Loops are not looked through.
bool isLayerWeight(mlir::Value value, const llvm::DenseSet<unsigned> &stacks, const llvm::DenseSet<unsigned> &batch);

/// Adds the arguments in `stacks` that `value`, which a loop steps through along `dim`, is or is made of. `isCut`: the
/// loop has only a part of the value's layers.
void addStackedArgument(mlir::Value value, unsigned dim, bool isCut, const llvm::DenseSet<unsigned> &stacks,
                        LayerLoopChoice &choice);

/// Uses of what loops give are replaced where no loop is needed for it: values that a loop does not change, and
/// counters.
void replaceKnownResults(mlir::func::FuncOp main);

} // namespace partita::pipeline

#endif
