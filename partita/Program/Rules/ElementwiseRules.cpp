//===- ElementwiseRules.cpp - one parallel factor for each dim ------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleTable.h"

using namespace mlir;

namespace partita::rules {

/// Scalars beside tensors (select's predicate, clamp's bounds) have no dims and take part in no factor.
template <typename OpT> static OpRule ruleOfElementwise(OpT op, RuleContext &) { return makeElementwiseRule(op); }

template <typename... Ops> static void addElementwise(RuleTable &table) {
  (table.add<Ops, ruleOfElementwise<Ops>>(), ...);
}

void registerElementwiseRules(RuleTable &table) {
  using namespace stablehlo;
  addElementwise<AbsOp, AddOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp, ClzOp, CompareOp, ComplexOp, ConvertOp,
                 CosineOp, DivOp, ExpOp, Expm1Op, FloorOp, ImagOp, IsFiniteOp, Log1pOp, LogOp, LogisticOp, MaxOp, MinOp,
                 MulOp, NegOp, NotOp, OrOp, PopulationCountOp, PowOp, RealOp, ReducePrecisionOp, RemOp,
                 RoundNearestEvenOp, RoundOp, RsqrtOp, SelectOp, ShiftLeftOp, ShiftRightArithmeticOp,
                 ShiftRightLogicalOp, SignOp, SineOp, SqrtOp, SubtractOp, TanOp, TanhOp, XorOp>(table);
}

} // namespace partita::rules
