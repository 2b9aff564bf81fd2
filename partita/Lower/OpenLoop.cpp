//===- OpenLoop.cpp - a loop that is being lowered ------------------------===//

#include "partita/Lower/OpenLoop.h"

#include "partita/Lower/LoopRotation.h"

using namespace mlir;

namespace partita::lower {

/// The bits of a tensor; other types count as large.
static int64_t computeBits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isIntOrFloat() ? type.getNumElements() * type.getElementTypeBitWidth()
                                                      : INT64_MAX;
}

OpenLoop openLoop(stablehlo::WhileOp op, Block &block, ArrayRef<CellId> carried, RegionId region) {
  OpenLoop open;
  open.region = region;
  Block &body = op.getBody().front();
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Value piece = block.getArgument(number);
    if (value == body.getArgument(number))
      open.unchanged.insert(carried[number].get());
    else if (!open.changing || computeBits(piece) < computeBits(open.changing))
      open.changing = piece;
  }
  return open;
}

RotatedLoop rotateLoop(stablehlo::WhileOp loop, const OpenLoop &open) {
  RotatedLoop made;
  unsigned numResults = loop->getNumResults();
  std::optional<CarriedLoop> carried;
  if (!open.reduced.empty())
    carried = carryReductions(loop, llvm::to_vector(llvm::make_second_range(open.reduced)), open.middle, open.changing);
  if (carried)
    loop = carried->loop;
  else
    llvm::append_range(made.refused, llvm::make_first_range(open.reduced));
  SmallVector<Value> gathered;
  for (auto [id, value] : open.gathered)
    mayRotate(loop, value) ? gathered.push_back(value) : made.refused.push_back(id);
  if (!gathered.empty())
    loop = rotate(loop, gathered, carried ? carried->token : Value());
  made.results.assign(loop->result_begin(), std::next(loop->result_begin(), numResults));
  if (carried)
    for (auto [number, value] : carried->completed)
      made.results[number] = value;
  made.last = carried ? carried->last : loop;
  return made;
}

} // namespace partita::lower
