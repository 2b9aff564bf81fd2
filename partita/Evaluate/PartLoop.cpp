//===- PartLoop.cpp - runs part.loop, position by position ----------------===//
//
// A loop of the part dialect has a sequential meaning: each device that reaches
// it runs all positions by itself and puts the pieces together.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Part/Part.h"
#include "partita/Evaluate/Comparison.h"
#include "partita/Evaluate/Interpreter.h"
#include "partita/Evaluate/Pieces.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// The results of a loop on one device, while they are put together.
class LoopResults {
public:
  LoopResults(part::LoopOp loop, Mode mode) : loop(loop), mode(mode), results(loop.getNumResults()) {}

  /// Adds what the body gave at the next position; positions come in order.
  Status add(int64_t position, Values pieces);
  Values take() { return std::move(results); }

private:
  void addTile(unsigned result, int64_t dim, int64_t position, const Tensor &piece);
  /// An error if the piece differs from those of other positions.
  Status checkSame(unsigned result, int64_t position, const Tensor &piece) const;

  part::LoopOp loop;
  Mode mode;
  Values results;
};

} // namespace

static graph::Combiner toCombiner(part::Combiner combiner) {
  switch (combiner) {
  case part::Combiner::Add:
    return graph::Combiner::Add;
  case part::Combiner::Multiply:
    return graph::Combiner::Multiply;
  case part::Combiner::Maximum:
    return graph::Combiner::Maximum;
  case part::Combiner::Minimum:
    return graph::Combiner::Minimum;
  case part::Combiner::And:
    return graph::Combiner::And;
  case part::Combiner::Or:
    return graph::Combiner::Or;
  case part::Combiner::Xor:
    return graph::Combiner::Xor;
  }
  llvm_unreachable("unknown combiner");
}

void LoopResults::addTile(unsigned result, int64_t dim, int64_t position, const Tensor &piece) {
  auto type = cast<RankedTensorType>(loop->getResult(result).getType());
  if (position == 0)
    results[result] = Tensor(type, mode);
  SmallVector<int64_t> offsets(type.getRank());
  offsets[dim] = position * piece.getDim(dim);
  insertPiece(results[result], offsets, piece);
}

Status LoopResults::checkSame(unsigned result, int64_t position, const Tensor &piece) const {
  std::optional<ElementDifference> difference = findDifference(results[result], piece, Equality::Number);
  if (!difference)
    return std::nullopt;
  return Error::badInput(locationOf(loop), "result " + std::to_string(result) + " of the loop is 'any', but element " +
                                               difference->index + " is " + difference->expected +
                                               " at position 0 and " + difference->got + " at position " +
                                               std::to_string(position));
}

Status LoopResults::add(int64_t position, Values pieces) {
  for (auto [index, action, piece] : llvm::enumerate(loop.getActions(), pieces)) {
    if (auto tile = dyn_cast<part::TileAttr>(action)) {
      addTile(index, tile.getDim(), position, piece);
    } else if (position == 0) {
      results[index] = std::move(piece);
    } else if (auto sum = dyn_cast<part::SumAttr>(action)) {
      combine(toCombiner(sum.getCombiner()), results[index], piece);
    } else if (Status error = checkSame(index, position, piece)) {
      return error;
    }
  }
  return std::nullopt;
}

static Status evaluateLoop(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto loop = cast<part::LoopOp>(step.op);
  Block &body = loop.getBody().front();
  Tensor position(cast<RankedTensorType>(loop.getPosition().getType()), interpreter.getMode());
  SmallVector<LoopResults> results(active.size(), LoopResults(loop, interpreter.getMode()));
  for (int64_t index = 0, size = loop.getSize(); index < size; ++index) {
    // A loop without ops counts too.
    if (Status error = interpreter.spend(step, active.size()))
      return error;
    position.edit<int64_t>()[0] = index;
    for (int64_t device : active)
      interpreter.enter(body, device, position);
    if (Status error = interpreter.run(body, active))
      return error;
    for (auto [device, result] : llvm::zip_equal(active, results))
      if (Status error = result.add(index, interpreter.leave(body, device)))
        return error;
  }
  for (auto [device, result] : llvm::zip_equal(active, results))
    interpreter.writeResults(device, step, result.take());
  return std::nullopt;
}

static Status evaluateSlice(part::SliceOp op, Call &call) {
  int64_t position = call.operands[1].getInteger(0);
  call.results.push_back(extractPart(call.operands[0], op.getDim(), position, op.findLoop().getSize()));
  return std::nullopt;
}

void registerPartLoop(CrossDeviceOps &table) { table.add<part::LoopOp>(evaluateLoop); }

void registerPartSlice(OpTable &table) { table.add<part::SliceOp, evaluateSlice>(); }

} // namespace partita::evaluate
