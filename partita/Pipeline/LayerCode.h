//===- LayerCode.h - layers in straight code ------------------------------===//
//
// A program of unrolled layers has each op of a layer once for each layer, in its
// forward pass and again in its backward pass. *Layer code* are ops of the forward
// pass, or of the backward pass, that can become the body of a loop:
//
//   x1 = layer(x0, w0)               for k in 0..3:
//   x2 = layer(x1, w1)       is        x = layer(x, w[k])
//   x3 = layer(x2, w2)
//
// Which ops of different layers belong together is what folding finds
// (Analysis/Repetition.h); ops that a layer reads and that are in no flat program
// (barriers, constants, loops) are added where they are equal in all layers. What
// cannot be in the loop is left out: an op that reads what depends on the loop, and
// is no part of it, say. The ops of layer k+1 read
//
//   results of ops of the same layer,
//   results of ops of layer k, of layer k+2 in a backward pass,
//   values that are the same for all layers,
//   values of their own: weights.
//
// All ops of one number are equal but for what they read, attributes included.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_LAYERCODE_H
#define PARTITA_PIPELINE_LAYERCODE_H

#include "partita/Pipeline/Rooms.h"
#include "partita/Program/Flatten.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::pipeline {

/// Where an operand of a layer's op comes from.
struct LayerSource {
  enum class Kind : uint8_t {
    /// Result `result` of op number `op` of the same layer.
    SameLayer,
    /// That of the layer that runs before; the first one reads `values.front()`.
    LayerBefore,
    /// `values.front()` in all layers.
    Shared,
    /// `values`, one for each layer.
    Own
  };
  Kind kind = Kind::Shared;
  unsigned op = 0, result = 0;
  llvm::SmallVector<mlir::Value> values = {};
};

/// An op that each layer has.
struct LayerOp {
  /// In the order of the layers of the forward pass.
  llvm::SmallVector<mlir::Operation *> ofLayer;
  /// Of its operands, and then of what ops inside of it read from outside (listOperands).
  llvm::SmallVector<LayerSource> sources = {};
  /// It depends on the layer before, or computes so much that it must run once: the loop replaces it. Others are copied
  /// into the loop.
  bool isReplaced = false;
};

struct LayerCode {
  int64_t numLayers = 0;
  /// The last layer runs first.
  bool isReversed = false;
  /// In program order.
  std::vector<LayerOp> ops = {};
  /// Numbers of ops and layers.
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, int64_t>> places =
      llvm::DenseMap<mlir::Operation *, std::pair<unsigned, int64_t>>();

  /// The layer that runs first.
  int64_t getFirst() const { return isReversed ? numLayers - 1 : 0; }
  /// The layer that runs before; not of the first.
  int64_t getBefore(int64_t layer) const { return isReversed ? layer + 1 : layer - 1; }
};

/// The operands of `op`, and of those inside of it that are defined outside of it.
llvm::SmallVector<mlir::OpOperand *> listOperands(mlir::Operation *op);

/// The code of all stacks of unrolled layers in the body of `main`, of which `flattened` is the flat program: at least
/// two layers, with contractions. A backward pass comes behind its forward pass.
std::vector<LayerCode> findLayerCode(mlir::func::FuncOp main, const Flattened &flattened);

} // namespace partita::pipeline

#endif
