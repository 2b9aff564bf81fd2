//===- ElementwiseRules.cpp - one parallel factor for each dim ------------===//
//
// An element of the result depends on the operands' elements at the same index,
// so any dim may be split and a device runs the op on its pieces:
//
//   add:                ([a,b],[a,b])->([a,b])
//   select:             ([],[a,b],[a,b])->([a,b])              a scalar has no dims
//   chlo.broadcast_add: ([a,_],[a,b])->([a,b])                 a repeated dim has no factor in the operand
//   barrier:            ([a],[b,c])->([a],[b,c])               each value has its own factors
//
// Ops of sdy that say how a value is sharded are identities; their local form
// is empty.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// Equal shapes
//===----------------------------------------------------------------------===//

/// Scalars beside tensors (select's predicate, clamp's bounds) have no dims and take part in no factor.
static OpRule makeRuleOfEqualShapes(Operation *op) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    SmallVector<DimRef> dims;
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (getShape(operand) == shape)
        dims.push_back(ofOperand(index, dim));
    dims.push_back(ofResult(0, dim));
    rule.addParallel(size, dims);
  }
  return rule.finish("");
}

template <typename OpT> static OpRule ruleOfElementwise(OpT op, RuleContext &) { return makeRuleOfEqualShapes(op); }

/// Elements of another width: the result, or the operand, has a dim more, whose elements make up one of the other's.
static OpRule ruleOfBitcast(stablehlo::BitcastConvertOp op, RuleContext &) {
  RuleBuilder rule(op);
  auto shapes = llvm::zip(getShape(op.getOperand()), getShape(op.getResult()));
  for (auto [dim, sizes] : llvm::enumerate(shapes))
    rule.addParallel(std::get<0>(sizes), {ofOperand(0, dim), ofResult(0, dim)});
  return rule.finish("the dim whose elements are the parts of one wider element stays whole");
}

//===----------------------------------------------------------------------===//
// Implicit broadcasts
//===----------------------------------------------------------------------===//

/// The result dim of each operand dim; nothing if they are not in order.
static std::optional<SmallVector<int64_t>> alignDims(int64_t operandRank, int64_t resultRank,
                                                     std::optional<ArrayRef<int64_t>> dims) {
  if (operandRank == resultRank || !dims)
    return llvm::to_vector(llvm::seq(resultRank - operandRank, resultRank));
  bool isOrdered = int64_t(dims->size()) == operandRank &&
                   llvm::adjacent_find(*dims, std::greater_equal<int64_t>()) == dims->end() &&
                   llvm::all_of(*dims, [&](int64_t dim) { return dim >= 0 && dim < resultRank; });
  if (!isOrdered)
    return std::nullopt;
  return SmallVector<int64_t>(*dims);
}

/// Along a dim that broadcasts, the operand has size one and no factor.
static bool collectDims(Operation *op, std::optional<ArrayRef<int64_t>> dims,
                        SmallVectorImpl<SmallVector<DimRef>> &dimsOfFactor) {
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    ArrayRef<int64_t> operandShape = getShape(operand);
    if (operandShape.size() > shape.size())
      return false;
    std::optional<SmallVector<int64_t>> aligned = alignDims(operandShape.size(), shape.size(), dims);
    if (!aligned)
      return false;
    for (auto [dim, resultDim] : llvm::enumerate(*aligned)) {
      if (operandShape[dim] == shape[resultDim])
        dimsOfFactor[resultDim].push_back(ofOperand(index, dim));
      else if (operandShape[dim] != 1)
        return false;
    }
  }
  return true;
}

static OpRule makeBroadcastingRule(Operation *op, std::optional<ArrayRef<int64_t>> dims) {
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  SmallVector<SmallVector<DimRef>> dimsOfFactor(shape.size());
  RuleBuilder rule(op);
  bool isIdentity = !dims || llvm::equal(*dims, llvm::seq<int64_t>(0, dims->size()));
  bool haveEqualRanks = llvm::all_of(op->getOperands(), [&](Value v) { return getShape(v).size() == shape.size(); });
  if (!hasStaticShapes(op) || (haveEqualRanks && !isIdentity) || !collectDims(op, dims, dimsOfFactor))
    return rule.finish("operands whose dims stand in another order are not split");
  for (auto [dim, size] : llvm::enumerate(shape)) {
    dimsOfFactor[dim].push_back(ofResult(0, dim));
    rule.addParallel(size, dimsOfFactor[dim]);
  }
  return rule.finish("");
}

template <typename OpT> static OpRule ruleOfBroadcasting(OpT op, RuleContext &) {
  return makeBroadcastingRule(op, op.getBroadcastDimensions());
}

static OpRule ruleOfBroadcastSelect(chlo::BroadcastSelectOp op, RuleContext &) {
  return makeBroadcastingRule(op, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

template <typename OpT> static Pieces localIdentity(OpT, const LocalContext &local) { return Pieces(local.operands); }

/// Each value with its own factors. Tokens have no dims.
static OpRule ruleOfBarrier(stablehlo::OptimizationBarrierOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [index, value] : llvm::enumerate(op->getResults()))
    for (auto [dim, size] : llvm::enumerate(getShape(value)))
      rule.addParallel(size, {ofOperand(index, dim), ofResult(index, dim)});
  return rule.finish("");
}

/// Has no result; it says which values must have the same sharding.
static OpRule ruleOfShardingGroup(sdy::ShardingGroupOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op.getInput())))
    rule.addParallel(size, ofOperand(0, dim));
  return rule.finish("");
}

static Pieces localShardingGroup(sdy::ShardingGroupOp, const LocalContext &) { return {}; }

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <typename... Ops> static void addElementwise(RuleTable &table) {
  (table.add<Ops, ruleOfElementwise<Ops>>(), ...);
}

template <typename... Ops> static void addBroadcasting(RuleTable &table) {
  (table.add<Ops, ruleOfBroadcasting<Ops>>(), ...);
}

template <typename... Ops> static void addIdentities(RuleTable &table) {
  (table.add<Ops, ruleOfElementwise<Ops>, localIdentity<Ops>>(), ...);
}

static void registerStableHlo(RuleTable &table) {
  using namespace stablehlo;
  addElementwise<AbsOp, AddOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp, ClzOp, CompareOp, ComplexOp, ConvertOp,
                 CosineOp, DivOp, ExpOp, Expm1Op, FloorOp, ImagOp, IsFiniteOp, Log1pOp, LogOp, LogisticOp, MaxOp, MinOp,
                 MulOp, NegOp, NotOp, OrOp, PopulationCountOp, PowOp, RealOp, ReducePrecisionOp, RemOp,
                 RoundNearestEvenOp, RoundOp, RsqrtOp, SelectOp, ShiftLeftOp, ShiftRightArithmeticOp,
                 ShiftRightLogicalOp, SignOp, SineOp, SqrtOp, SubtractOp, TanOp, TanhOp, UniformDequantizeOp,
                 UniformQuantizeOp, XorOp>(table);
  table.add<BitcastConvertOp, ruleOfBitcast>();
  table.add<OptimizationBarrierOp, ruleOfBarrier>();
}

static void registerChlo(RuleTable &table) {
  using namespace chlo;
  addElementwise<AcosOp, AcoshOp, AsinAcosKernelOp, AsinOp, AsinhOp, AtanOp, AtanhOp, BesselI1eOp, ConjOp,
                 ConstantLikeOp, CoshOp, DigammaOp, ErfInvOp, ErfOp, ErfcOp, IsInfOp, IsNegInfOp, IsPosInfOp, LgammaOp,
                 MulhiOp, NextAfterOp, PolygammaOp, SinhOp, SquareOp, chlo::TanOp, ZetaOp>(table);
  addBroadcasting<BroadcastAddOp, BroadcastAndOp, BroadcastAtan2Op, BroadcastCompareOp, BroadcastComplexOp,
                  BroadcastDivOp, BroadcastMaxOp, BroadcastMinOp, BroadcastMulOp, BroadcastNextAfterOp, BroadcastOrOp,
                  BroadcastPolygammaOp, BroadcastPowOp, BroadcastRemOp, BroadcastShiftLeftOp,
                  BroadcastShiftRightArithmeticOp, BroadcastShiftRightLogicalOp, BroadcastSubOp, BroadcastXorOp,
                  BroadcastZetaOp>(table);
  table.add<BroadcastSelectOp, ruleOfBroadcastSelect>();
}

static void registerSdy(RuleTable &table) {
  using namespace sdy;
  addIdentities<DataFlowEdgeOp, FuncDataFlowEdgeOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp>(table);
  table.add<ShardingGroupOp, ruleOfShardingGroup, localShardingGroup>();
}

void registerElementwiseRules(RuleTable &table) {
  registerStableHlo(table);
  registerChlo(table);
  registerSdy(table);
}

} // namespace partita::program::rules
