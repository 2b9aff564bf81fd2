//===- AlikeOps.h - facts that equivalent ops share -----------------------===//
//
// Two ops are of one kind if they have the same name, attributes, types and
// bodies. Their operands and their location do not matter; of custom calls it
// does which results are used. A program of 100,000 ops has a few hundred
// kinds, so each fact about a kind is computed once.
//
// Only small bodies are compared, such as those of reductions. An op with
// larger regions is the only one of its kind.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_ALIKEOPS_H
#define PARTITA_PROGRAM_ALIKEOPS_H

#include "partita/Graph/RulePool.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>

namespace partita::program {

/// Whether all regions of `op` are single blocks of a few ops that use only arguments of the block and earlier results:
/// mostly the body of a reduction. True for an op without regions.
bool hasSmallBodies(mlir::Operation *op);

/// A set of kinds. Each is represented by the first op that was inserted.
class KindSet {
public:
  /// Whether `op` is the first of its kind. It must have small bodies.
  bool insert(mlir::Operation *op);

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<mlir::Operation *, 1>> byHash;
};

struct OpFacts {
  /// The first op of its kind.
  mlir::Operation *first = nullptr;
  OpClass opClass = OpClass::Opaque;
  /// None if it depends on what defines the operands.
  std::optional<Linearity> linearity;
  /// See DeviceDependence.h.
  bool isExistingCollective = false;
  /// Whether it gives a free value if its operands are free: one that depends on no argument and is cheap to recompute
  /// at each use.
  bool mayBeFree = false;

  /// The caller that computes the rule sets these.
  bool hasRule = false;
  bool isUnknown = false, isUnpriced = false;
  RuleRange rule;
  NameId opName;
  int64_t flops = 0;
  Precision precision = Precision::Default;

  /// Another kind whose ops have the same hash.
  OpFacts *next = nullptr;
};

class AlikeOps {
public:
  /// The facts of the kind of `op`. The reference stays valid.
  OpFacts &find(mlir::Operation *op);

private:
  llvm::DenseMap<uint64_t, OpFacts *> byHash;
  std::deque<OpFacts> kinds;
};

} // namespace partita::program

#endif
