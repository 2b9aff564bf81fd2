//===- AlikeOps.cpp - what ops that are alike have in common --------------===//

#include "partita/Program/AlikeOps.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita {

/// Equal for ops that are alike. It depends on addresses, so nothing may be ordered by it.
static uint64_t hashKind(Operation *op) {
  uint64_t hash = op->hashProperties();
  auto mix = [&](const void *part) {
    hash = (hash ^ reinterpret_cast<uintptr_t>(part)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  mix(op->getName().getAsOpaquePointer());
  mix(op->getRawDictionaryAttrs().getAsOpaquePointer());
  for (OpOperand &operand : op->getOpOperands())
    mix(operand.get().getType().getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    mix(type.getAsOpaquePointer());
  // The largest numbers have a meaning of their own in a DenseMap.
  return hash >> 1;
}

static bool isAlike(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getRawDictionaryAttrs() != b->getRawDictionaryAttrs() ||
      a->getNumOperands() != b->getNumOperands() || a->getNumResults() != b->getNumResults())
    return false;
  for (auto [operandOfA, operandOfB] : llvm::zip_equal(a->getOpOperands(), b->getOpOperands()))
    if (operandOfA.get().getType() != operandOfB.get().getType())
      return false;
  return a->getResultTypes() == b->getResultTypes() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage());
}

static bool mayBeFree(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isPure(op))
    return false;
  return !isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp, stablehlo::RngOp,
              stablehlo::RngBitGeneratorOp, stablehlo::GatherOp, stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp,
              sdy::ShardingConstraintOp, sdy::ReshardOp>(op);
}

static OpFacts lookAt(Operation *op) {
  OpFacts facts;
  facts.first = op;
  facts.opClass = classify(op);
  facts.mayBeFree = mayBeFree(op);
  if (!isa<stablehlo::MulOp>(op))
    facts.linearity = findLinearity(op);
  return facts;
}

OpFacts &AlikeOps::find(Operation *op) {
  if (op->getNumRegions() != 0)
    return kinds.emplace_back(lookAt(op));
  OpFacts *&head = byHash[hashKind(op)];
  for (OpFacts *kind = head; kind; kind = kind->next)
    if (isAlike(kind->first, op))
      return *kind;
  OpFacts &made = kinds.emplace_back(lookAt(op));
  made.next = head;
  head = &made;
  return made;
}

} // namespace partita
