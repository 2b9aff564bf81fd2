//===- StageShift.cpp - hands values from one stage to the next -----------===//

#include "partita/Program/Rules/StageShift.h"

#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program {

static constexpr llvm::StringLiteral shiftName = "part.shift";
static constexpr llvm::StringLiteral neighborName = "part.neighbor";

Value emitStageShift(OpBuilder &builder, Location loc, Value value, int64_t by) {
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType scalar = type.clone(ArrayRef<int64_t>());
  auto zero = dyn_cast_or_null<DenseElementsAttr>(builder.getZeroAttr(scalar));
  // Complex numbers.
  if (!zero)
    zero = rules::getIdentity(scalar, Combiner::Add);
  Value fill = rules::LocalArithmetic{builder, loc}.constant(zero);
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0), interior(type.getRank(), 0);
  low.front() = by;
  high.front() = -by;
  auto made = stablehlo::PadOp::create(builder, loc, type, value, fill, low, high, interior);
  made->setDiscardableAttr(shiftName, builder.getUnitAttr());
  return made;
}

bool isStageShift(Operation *op) {
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  return pad && pad->hasAttr(shiftName) && std::abs(pad.getEdgePaddingLow().front()) == 1 &&
         pad.getEdgePaddingLow().front() == -pad.getEdgePaddingHigh().front();
}

int64_t getShift(stablehlo::PadOp op) { return op.getEdgePaddingLow().front(); }

Value emitNeighbor(OpBuilder &builder, Location loc, Value value, NeighborPermute neighbor) {
  auto none = DenseIntElementsAttr::get(RankedTensorType::get({0, 2}, builder.getI64Type()), ArrayRef<int64_t>());
  auto made = stablehlo::CollectivePermuteOp::create(builder, loc, value.getType(), value, none,
                                                     stablehlo::ChannelHandleAttr());
  made->setDiscardableAttr(neighborName, builder.getDenseI64ArrayAttr({neighbor.factor, neighbor.by}));
  return made->getResult(0);
}

std::optional<NeighborPermute> findNeighbor(Operation *op) {
  auto stated = op->getAttrOfType<DenseI64ArrayAttr>(neighborName);
  if (!isa<stablehlo::CollectivePermuteOp>(op) || !stated || stated.size() != 2)
    return std::nullopt;
  return NeighborPermute{static_cast<uint8_t>(stated[0]), stated[1]};
}

void setDevices(stablehlo::CollectivePermuteOp op, ArrayRef<std::vector<int64_t>> groups) {
  int64_t by = findNeighbor(op)->by;
  SmallVector<int64_t> ids;
  for (const std::vector<int64_t> &group : groups)
    for (int64_t index = 0; index < static_cast<int64_t>(group.size()); ++index)
      if (int64_t target = index + by; target >= 0 && target < static_cast<int64_t>(group.size()))
        ids.append({group[index], group[target]});
  auto type = RankedTensorType::get({static_cast<int64_t>(ids.size()) / 2, 2}, IntegerType::get(op.getContext(), 64));
  constexpr int64_t deviceToDevice = 1;
  op.setSourceTargetPairsAttr(DenseIntElementsAttr::get(type, ids));
  op.setChannelHandleAttr(stablehlo::ChannelHandleAttr::get(op.getContext(), 1, deviceToDevice));
  op->removeDiscardableAttr(neighborName);
}

} // namespace partita::program
