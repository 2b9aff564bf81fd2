//===- LoopMicrobatches.cpp - runs single loops microbatch by microbatch --===//

#include "partita/Temporal/LoopMicrobatches.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Temporal/MicroLoops.h"
#include "partita/Temporal/Refusals.h"

using namespace mlir;

namespace partita::temporal {

/// The unit of each loop, in program order.
static SmallVector<uint32_t> findLoopUnits(const Units &units, ArrayRef<stablehlo::WhileOp> loops) {
  SmallVector<uint32_t> found;
  for (auto [number, unit] : llvm::enumerate(units.list))
    if (unit.isBundle && llvm::is_contained(loops, dyn_cast<stablehlo::WhileOp>(unit.origin)))
      found.push_back(number);
  return found;
}

/// Unit by unit: what comes behind the n-th of the loops runs in stage n. Values that a loop gives to others leave it.
static MicroPlacement placeLoops(const MicroProgram &program, const Units &units, ArrayRef<uint32_t> loopUnits) {
  MicroPlacement placement;
  placement.places.resize(units.list.size());
  for (uint32_t unit = 0; unit < units.list.size(); ++unit) {
    if (llvm::is_contained(loopUnits, unit))
      placement.places[unit].loops = 1U << ++placement.numLoops;
    else
      placement.places[unit].stage = placement.numLoops;
  }
  for (CellId cell : idRange<CellId>(program.graph.cells.size())) {
    uint32_t unit = units.ofCell[cell];
    const auto *found = llvm::find(loopUnits, unit);
    if (found == loopUnits.end())
      continue;
    bool isUsedOutside = llvm::any_of(program.topology.getUses(cell),
                                      [&](UseId use) { return units.ofOp[program.topology.getUser(use)] != unit; });
    if (isUsedOutside)
      placement.outputs.push_back({cell, static_cast<int>(found - loopUnits.begin()) + 1});
  }
  return placement;
}

/// Whether the axis of microbatches splits something in the loop.
static bool isReached(const MicroUnit &unit, const Forms &forms) {
  bool isAnySplit = false;
  for (OpId op : IdRange<OpId>(unit.first.get(), unit.end.get()))
    isAnySplit |= forms.isSplit(op);
  return isAnySplit;
}

/// Loops are bits of a word, and loop 0 is none.
static constexpr size_t mostLayerLoops = 31;

Result<SmallVector<stablehlo::WhileOp>> runLoopsInMicrobatches(func::FuncOp main, const Flattened &flattened,
                                                               int64_t count, ArrayRef<Root> roots,
                                                               ArrayRef<stablehlo::WhileOp> loops) {
  MicroProgram program(flattened, count);
  Units units = findUnits(program);
  Reached reached = computeReach(program, roots);
  IdVector<OpId, uint8_t> forbidden(program.graph.ops.size(), 0);
  Forms forms = computeForms(program, choosePassing(program, units, reached, forbidden), reached);
  SmallVector<uint32_t> loopUnits = findLoopUnits(units, loops);
  if (loopUnits.size() > mostLayerLoops)
    return Error::unsupported(locationOf(units.list[loopUnits.back()].origin),
                              "no microbatches: there are more than " + std::to_string(mostLayerLoops) + " loops")
        .withRemedy("name the weights of fewer of them");
  for (uint32_t unit : loopUnits) {
    if (!isReached(units.list[unit], forms))
      return Error::unsupported(locationOf(units.list[unit].origin),
                                "no microbatches: the batch does not reach this loop")
          .withRemedy("name only weights of layers through which rows of the batch go, or choose a number of "
                      "microbatches that divides the rows of the loop");
    if (Status wrong = checkBundle(program, units, reached, forms, units.list[unit]))
      return std::move(*wrong);
  }
  MicroPlacement placement = placeLoops(program, units, loopUnits);
  SmallVector<stablehlo::WhileOp> made;
  writeLoops(main, {program, units, forms, placement}, /*inSingle=*/false, &made);
  return made;
}

} // namespace partita::temporal
