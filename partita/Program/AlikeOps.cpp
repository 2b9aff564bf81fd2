//===- AlikeOps.cpp - what ops that are alike have in common --------------===//

#include "partita/Program/AlikeOps.h"

#include "partita/Support/Hash.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/DeviceDependence.h"
#include "partita/Program/OpTraits.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::program {

/// Equal for ops that are alike. It depends on addresses, so nothing may be ordered by it.
static uint64_t hashKind(Operation *op) {
  uint64_t hash = op->hashProperties();
  auto mix = [&](const void *part) { hash = mixFastHash(hash, reinterpret_cast<uintptr_t>(part)); };
  mix(op->getName().getAsOpaquePointer());
  mix(op->getRawDictionaryAttrs().getAsOpaquePointer());
  for (OpOperand &operand : op->getOpOperands())
    mix(operand.get().getType().getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    mix(type.getAsOpaquePointer());
  if (isa<stablehlo::CustomCallOp>(op))
    for (OpResult result : op->getResults())
      hash = mixFastHash(hash, result.use_empty());
  // The largest numbers have a meaning of their own in a DenseMap.
  return finishFastHash(hash) >> 1;
}

static bool isAlike(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getRawDictionaryAttrs() != b->getRawDictionaryAttrs() ||
      a->getNumOperands() != b->getNumOperands() || a->getNumResults() != b->getNumResults() ||
      a->getNumRegions() != b->getNumRegions())
    return false;
  for (auto [operandOfA, operandOfB] : llvm::zip_equal(a->getOpOperands(), b->getOpOperands()))
    if (operandOfA.get().getType() != operandOfB.get().getType())
      return false;
  // A kernel may be split along a dim if the result that would then be a partial one is not used.
  auto useSame = [](auto pair) { return std::get<0>(pair).use_empty() == std::get<1>(pair).use_empty(); };
  if (isa<stablehlo::CustomCallOp>(a) && !llvm::all_of(llvm::zip_equal(a->getResults(), b->getResults()), useSame))
    return false;
  return a->getResultTypes() == b->getResultTypes() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage());
}

/// Bodies with more ops than this are not small.
constexpr unsigned maxBodyOps = 4;

/// Number of a value in a small body: arguments first, then results; past the end if it is none of these.
static unsigned numberInBody(Block &block, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &block)
    return argument.getArgNumber();
  unsigned number = block.getNumArguments();
  for (Operation &op : block)
    for (Value result : op.getResults()) {
      if (result == value)
        return number;
      ++number;
    }
  return number;
}

static bool isSmallBody(mlir::Region &region) {
  if (!llvm::hasSingleElement(region))
    return false;
  Block &block = region.front();
  unsigned numOps = 0, numValues = block.getNumArguments();
  for (Operation &op : block) {
    auto isBefore = [&](Value operand) { return numberInBody(block, operand) < numValues; };
    if (++numOps > maxBodyOps || op.getNumRegions() != 0 || !llvm::all_of(op.getOperands(), isBefore))
      return false;
    numValues += op.getNumResults();
  }
  return true;
}

bool hasSmallBodies(Operation *op) { return llvm::all_of(op->getRegions(), isSmallBody); }

static bool areAlikeBodies(mlir::Region &a, mlir::Region &b) {
  Block &blockA = a.front(), &blockB = b.front();
  if (blockA.getArgumentTypes() != blockB.getArgumentTypes())
    return false;
  auto itA = blockA.begin(), itB = blockB.begin();
  for (; itA != blockA.end() && itB != blockB.end(); ++itA, ++itB) {
    if (!isAlike(&*itA, &*itB))
      return false;
    for (auto [operandOfA, operandOfB] : llvm::zip_equal(itA->getOperands(), itB->getOperands()))
      if (numberInBody(blockA, operandOfA) != numberInBody(blockB, operandOfB))
        return false;
  }
  return itA == blockA.end() && itB == blockB.end();
}

/// Of ops with small bodies.
static bool isSameKind(Operation *a, Operation *b) {
  return isAlike(a, b) && llvm::all_of(llvm::zip_equal(a->getRegions(), b->getRegions()),
                                       [](auto pair) { return areAlikeBodies(std::get<0>(pair), std::get<1>(pair)); });
}

bool KindSet::insert(Operation *op) {
  SmallVector<Operation *, 1> &known = byHash[hashKind(op)];
  if (llvm::any_of(known, [&](Operation *other) { return isSameKind(other, op); }))
    return false;
  known.push_back(op);
  return true;
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
  facts.isExistingCollective = isExistingCollective(op);
  if (!isa<stablehlo::MulOp, stablehlo::ReduceOp>(op))
    facts.linearity = findLinearity(op);
  return facts;
}

OpFacts &AlikeOps::find(Operation *op) {
  if (!hasSmallBodies(op))
    return kinds.emplace_back(lookAt(op));
  OpFacts *&head = byHash[hashKind(op)];
  for (OpFacts *kind = head; kind; kind = kind->next)
    if (isSameKind(kind->first, op))
      return *kind;
  OpFacts &made = kinds.emplace_back(lookAt(op));
  made.next = head;
  head = &made;
  return made;
}

} // namespace partita::program
