//===- AlikeOps.h - what ops that are alike have in common ----------------===//
//
// Ops without regions are alike if they have the same name, attributes and
// types; which values they take, and where they stand, does not matter. A
// program of 100,000 ops has some hundred kinds of them, so what can be said of
// a kind is found once. Which of its arguments a region combines does matter,
// so an op with regions is only like itself.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_ALIKEOPS_H
#define PARTITA_PROGRAM_ALIKEOPS_H

#include "partita/Graph/RulePool.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>

namespace partita {

struct OpFacts {
  /// The first op of its kind.
  mlir::Operation *first = nullptr;
  OpClass opClass = OpClass::Opaque;
  /// None if it depends on what defines the operands.
  std::optional<Linearity> linearity;
  /// On free operands it gives a free value: one that depends on no argument, and is cheap to compute again wherever
  /// it is used.
  bool mayBeFree = false;

  /// Set by whoever computes the rule.
  bool hasRule = false;
  bool isUnknown = false;
  RuleRange rule;
  NameId kind;
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

} // namespace partita

#endif
