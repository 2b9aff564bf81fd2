//===- SortRules.cpp - sort, top_k, scan ----------------------------------===//
//
// Each line along the sorted dim is sorted alone, so the other dims are
// parallel.
//
//   top_k   ([a,b])->([a,c],[a,d]) replicate={c,d} fold={b}
//
// b: each device takes the largest of its piece, all gather them, and take the
// largest of these. Among equals the first win in both steps, since pieces are
// gathered in order.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/LeadingDims.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program::rules {

static OpRule ruleOfSort(stablehlo::SortOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op.getInputs().front());
  int64_t rank = shape.size(), sorted = static_cast<int64_t>(op.getDimension());
  if (sorted < 0)
    sorted += rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (shape[dim] <= 1)
      continue;
    uint8_t factor = rule.addFactor(dim == sorted ? FactorKind::Replicate : FactorKind::Parallel, shape[dim]);
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      rule.operands[i][dim].push_back(factor);
      rule.results[i][dim].push_back(factor);
    }
  }
  result.whole = "the sorted dim";
  return result;
}

static OpRule ruleOfTopK(chlo::TopKOp op, RuleContext &) {
  OpRule result = makeRule(op);
  ArrayRef<int64_t> shape = getShape(op.getOperand());
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  // Of no lines nothing can be taken.
  if (int64_t size = shape[last]; size > 1 && op.getK() > 0 && !llvm::is_contained(shape, 0))
    result.rule.operands[0][last].push_back(result.rule.addFactor(FactorKind::Fold, size));
  addLeadingDims(op, result, last);
  result.whole = "the dims of the largest elements";
  return result;
}

/// Along the last dim, the elements of `values` at `places`.
static Value emitTaken(OpBuilder &builder, Location loc, Value values, Value places) {
  auto type = cast<RankedTensorType>(places.getType());
  int64_t last = type.getRank() - 1;
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, last));
  SmallVector<int64_t> sliceSizes(type.getRank(), 1);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(builder.getContext(), /*offsetDims=*/{},
                                                            /*collapsedSliceDims=*/{last}, batch, batch,
                                                            /*startIndexMap=*/{last}, /*indexVectorDim=*/last + 1);
  return stablehlo::GatherOp::create(builder, loc, type, values, places, numbers, sliceSizes,
                                     /*indices_are_sorted=*/false);
}

static chlo::TopKOp emitTopK(OpBuilder &builder, Location loc, Value operand, int64_t k, Type indexType) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  return chlo::TopKOp::create(builder, loc, TypeRange{type.clone(shape), RankedTensorType::get(shape, indexType)},
                              operand, k);
}

static Pieces localTopK(chlo::TopKOp op, const LocalContext &local) {
  Value piece = local.operands[0];
  int64_t last = static_cast<int64_t>(getShape(piece).size()) - 1, size = getShape(piece)[last];
  const Split *split = local.findOperandDim(0, last);
  if (!split)
    return emitSame(op, local);
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  LocalArithmetic emit{builder, loc};
  Type indexType = getElementTypeOrSelf(op->getResult(1));
  auto k = static_cast<int64_t>(op.getK());
  auto own = emitTopK(builder, loc, piece, std::min(k, size), indexType);
  Value ownIndices = own->getResult(1);
  Value offset = local.emitOffset(loc, *split, size, indexType);
  Value indices = stablehlo::AddOp::create(builder, loc, ownIndices.getType(), ownIndices,
                                           emit.broadcast(offset, getShape(ownIndices), {}));
  Value allValues = emitGathered(builder, loc, own->getResult(0), last, *split);
  Value allIndices = emitGathered(builder, loc, indices, last, *split);
  auto best = emitTopK(builder, loc, allValues, k, indexType);
  return {best->getResult(0), emitTaken(builder, loc, allIndices, best->getResult(1))};
}

static OpRule ruleOfScan(chlo::ScanOp op, RuleContext &) {
  return makeWholeRule(op, "everything: its body is written for slices of these sizes");
}

void registerSortRules(RuleTable &table) {
  table.add<stablehlo::SortOp, ruleOfSort>();
  table.add<chlo::TopKOp, ruleOfTopK, localTopK>();
  table.add<chlo::ScanOp, ruleOfScan>();
}

} // namespace partita::program::rules
