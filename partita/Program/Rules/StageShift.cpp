//===- StageShift.cpp - hands values from one stage to the next -----------===//

#include "partita/Program/Rules/StageShift.h"

#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program {

static constexpr llvm::StringLiteral shiftName = "part.shift";

Value emitStageShift(OpBuilder &builder, Location loc, Value value, int64_t by) {
  auto type = cast<RankedTensorType>(value.getType());
  Value fill = rules::LocalArithmetic{builder, loc}.zero(type);
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0), interior(type.getRank(), 0);
  low.front() = by;
  high.front() = -by;
  auto made = stablehlo::PadOp::create(builder, loc, type, value, fill, low, high, interior);
  if (std::abs(by) == 1)
    made->setDiscardableAttr(shiftName, builder.getUnitAttr());
  return made;
}

bool isStageShift(Operation *op) {
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  return pad && pad->hasAttr(shiftName) && std::abs(pad.getEdgePaddingLow().front()) == 1 &&
         pad.getEdgePaddingLow().front() == -pad.getEdgePaddingHigh().front();
}

int64_t getShift(stablehlo::PadOp op) { return op.getEdgePaddingLow().front(); }

} // namespace partita::program
