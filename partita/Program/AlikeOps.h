//===- AlikeOps.h - what ops that are alike have in common ----------------===//
//
// Ops are alike if they have the same name, attributes, types and, where they
// have regions, bodies; which values they take, and where they stand, does not
// matter. A program of 100,000 ops has some hundred kinds of them, so what can
// be said of a kind is found once. Bodies are compared if they are small, as
// that of a reduction; an op with other regions is only like itself.
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

/// Whether all regions of `op` are single blocks of a few ops, each on arguments of the block or results before it: the
/// body of a reduction, mostly. Of an op without regions this holds.
bool hasSmallBodies(mlir::Operation *op);

/// Kinds of ops, each known by the first of it that was seen. Ops with small bodies are alike if the bodies are.
class KindSet {
public:
  /// Whether `op`, with small bodies, is the first of its kind.
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
  /// Speaks of devices (DeviceDependence.h).
  bool isExistingCollective = false;
  /// On free operands it gives a free value: one that depends on no argument, and is cheap to compute again wherever
  /// it is used.
  bool mayBeFree = false;

  /// Set by whoever computes the rule.
  bool hasRule = false;
  bool isUnknown = false;
  RuleRange rule;
  NameId opName;
  int64_t flops = 0;

  /// Another kind whose ops have the same hash.
  OpFacts *next = nullptr;
};

class AlikeOps {
public:
  /// What `op` has in common with its like; stays where it is.
  OpFacts &find(mlir::Operation *op);

private:
  llvm::DenseMap<uint64_t, OpFacts *> byHash;
  std::deque<OpFacts> kinds;
};

} // namespace partita::program

#endif
