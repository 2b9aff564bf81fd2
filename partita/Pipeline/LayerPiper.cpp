//===- LayerPiper.cpp - makes pipelines of the layers of a program --------===//

#include "partita/Pipeline/LayerPiper.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/HoistCasts.h"
#include "partita/Pipeline/Peel.h"
#include "partita/Pipeline/RollLayers.h"
#include "partita/Pipeline/Ticks.h"
#include "partita/Program/InlineKernels.h"
#include "partita/Program/Loops.h"
#include "partita/Remat/ProgramIndex.h"
#include "partita/Temporal/Forms.h"
#include "partita/Temporal/LoopMicrobatches.h"

using namespace mlir;

namespace partita::pipeline {

/// What pipelines are made of.
struct LayerPiper::Request {
  Flattened flattened;
  std::vector<Root> batch;
  LayerLoopChoice choice;
};

/// An error of the microbatches of a loop as one of its pipeline.
static Error rename(Error error) {
  constexpr llvm::StringLiteral before = "no microbatches: ";
  if (llvm::StringRef(error.reason).starts_with(before))
    error.reason = "no pipeline: " + error.reason.substr(before.size());
  return error;
}

/// Removes ops that nothing uses, last to first.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (mlir::Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

static func::FuncOp getMain(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

static llvm::DenseSet<unsigned> getBatchArguments(const PipelineSubject &subject) {
  llvm::DenseSet<unsigned> batch;
  for (const BatchDim &dim : subject.batch)
    batch.insert(dim.argument);
  return batch;
}

static std::vector<Root> findRoots(const Graph &graph, const PipelineSubject &subject) {
  std::vector<Root> roots;
  for (const BatchDim &dim : subject.batch)
    roots.push_back({graph.arguments[dim.argument], dim.dim, dim.stride});
  return roots;
}

//===----------------------------------------------------------------------===//
// Straight code
//===----------------------------------------------------------------------===//

Result<LayerPiper::Request> LayerPiper::findRequest(ModuleOp module, const PipelineSubject &subject,
                                                    int64_t numStages) {
  Request request;
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  request.flattened = std::move(*flattened);
  request.batch = findRoots(request.flattened.graph, subject);
  request.choice = chooseLayerLoops(getMain(module), subject.stacks, getBatchArguments(subject), numStages);
  return request;
}

/// Writes the loops over ticks of those that were chosen, whose layers the blocks divide.
Status LayerPiper::writeLoops(ModuleOp module, Request &request) {
  func::FuncOp main = getMain(module);
  Result<SmallVector<stablehlo::WhileOp>> loops =
      runLoopsInMicrobatches(main, request.flattened, done.microbatches, request.batch, request.choice.loops);
  if (!loops)
    return rename(loops.error());
  JoinedStacks joined;
  for (stablehlo::WhileOp loop : *loops) {
    Result<LayerNest> nest = findLayerNest(loop, blocks);
    if (!nest)
      return nest.error();
    done.layers.push_back(nest->numLayers);
    if (Status wrong = writeTicks(*nest, blocks, joined))
      return wrong;
  }
  eraseDeadOps(main.getBody().front());
  return std::nullopt;
}

Result<bool> LayerPiper::pipeStraightCode(ModuleOp module, const PipelineSubject &subject, LayerKind kind,
                                          LayerLoopChoice &choice) {
  func::FuncOp main = getMain(module);
  replaceKnownResults(main);
  for (auto loop : llvm::to_vector(main.getBody().front().getOps<stablehlo::WhileOp>()))
    if (Status wrong = inlineKernels(loop))
      return std::move(*wrong);
  Result<Request> request = findRequest(module, subject, /*numStages=*/1);
  if (!request)
    return request.error();
  if (request->choice.loops.empty() && kind == LayerKind::Unrolled) {
    Result<int64_t> rolled = rollLayers(main, request->flattened);
    if (!rolled)
      return rolled.error();
    done.isRolled = *rolled > 0;
    eraseDeadOps(main.getBody().front());
    request = findRequest(module, subject, /*numStages=*/1);
    if (!request)
      return request.error();
  }
  if (request->choice.loops.empty())
    return false;
  bool isChanged = hoistCasts(request->choice.loops);
  Result<Evened> evened = evenLoops(request->choice.loops, blocks);
  if (!evened)
    return evened.error();
  done.peeled = std::max(done.peeled, evened->peeled);
  done.idle = std::max(done.idle, evened->idle);
  if (isChanged || evened->peeled > 0 || evened->idle > 0) {
    eraseDeadOps(main.getBody().front());
    request = findRequest(module, subject, blocks.count());
  }
  if (!request)
    return request.error();
  if (Status wrong = writeLoops(module, *request))
    return std::move(*wrong);
  choice = std::move(request->choice);
  return true;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

namespace {

/// The rows of microbatches in values of a program.
class RowFinder {
public:
  RowFinder(const Flattened &flattened, int64_t count, ArrayRef<Root> roots)
      : index(flattened), program(flattened, count), roots(roots), reached(computeReach(program, roots)),
        forms(computeForms(program, IdVector<OpId, uint8_t>(program.graph.ops.size(), 0), reached)) {}

  std::optional<RowDigit> find(Value value) const;
  std::optional<RowDigit> findCarried(stablehlo::WhileOp loop, unsigned number) const {
    return find(index.getCarried(loop, number));
  }

private:
  std::optional<RowDigit> find(CellId cell) const;

  ProgramIndex index;
  MicroProgram program;
  ArrayRef<Root> roots;
  Reached reached;
  Forms forms;
};

} // namespace

std::optional<RowDigit> RowFinder::find(CellId cell) const {
  if (!cell.isValid())
    return std::nullopt;
  for (const Root &root : roots)
    if (root.cell == cell)
      return RowDigit{root.dim, root.stride};
  const ValueForm &form = forms.cells[cell];
  return form.form == Form::Piece ? std::optional(form.digit) : std::nullopt;
}

std::optional<RowDigit> RowFinder::find(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return find(program.graph.arguments[argument.getArgNumber()]);
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(result.getOwner()))
    return findCarried(loop, result.getResultNumber());
  return find(index.getCell(value));
}

/// Whether turns only write to what they carry there: they collect rows.
static bool isCollected(stablehlo::WhileOp loop, unsigned number) {
  BlockArgument carried = loop.getBody().getArgument(number);
  Value next = loop.getBody().front().getTerminator()->getOperand(number);
  auto update = next.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  return carried.hasOneUse() && update && update.getOperand() == carried;
}

/// A loop around layers, and what a pipeline in its turns is about.
struct LayerPiper::Turn {
  EnclosedTurn code;
  PipelineSubject subject;
  /// It passes rows of the batch on from one turn to the next.
  bool isSequential = false;
};

/// The same weights, and rows of the turn's own microbatch.
static void findSubject(LayerPiper::Turn &turn, const RowFinder &rows, const PipelineSubject &around) {
  llvm::DenseSet<unsigned> batch = getBatchArguments(around);
  for (auto [number, value] : llvm::enumerate(turn.code.outer)) {
    std::optional<RowDigit> digit = value ? rows.find(value) : rows.findCarried(turn.code.loop, number);
    turn.isSequential |= !value && digit && !isCollected(turn.code.loop, number);
    if (digit)
      turn.subject.batch.push_back({unsigned(number), digit->dim, digit->stride});
    if (value && isLayerWeight(value, around.stacks, batch))
      turn.subject.stacks.insert(number);
  }
}

static Error refuseSequence(stablehlo::WhileOp loop) {
  return Error::unsupported(locationOf(loop),
                            "no pipeline: the loop around the layers passes rows of the batch on from one turn to the "
                            "next, as decoding does: in each of its steps all stages would wait for the last one")
      .withRemedy("split the batch, heads or hidden dims over this axis instead (data_parallel, megatron)");
}

/// What the turns' stacks are in the program around them.
static void addOuterStacks(const EnclosedTurn &turn, const LayerLoopChoice &inner, const PipelineSubject &subject,
                           LayerLoopChoice &choice) {
  for (auto [argument, dim] : inner.stackedArguments)
    addStackedArgument(turn.outer[argument], dim, /*isCut=*/false, subject.stacks, choice);
  for (auto [argument, dim] : inner.cutArguments)
    addStackedArgument(turn.outer[argument], dim, /*isCut=*/true, subject.stacks, choice);
  for (unsigned argument : inner.layerArguments)
    if (auto outer = dyn_cast<BlockArgument>(turn.outer[argument]))
      choice.layerArguments.insert(outer.getArgNumber());
}

Result<bool> LayerPiper::pipeTurn(Turn &turn, const PipelineSubject &around, LayerKind kind, LayerLoopChoice &choice) {
  if (turn.subject.stacks.empty())
    return false;
  if (turn.isSequential) {
    llvm::DenseSet<unsigned> batch = getBatchArguments(turn.subject);
    bool hasLayers = !chooseLayerLoops(getMain(*turn.code.module), turn.subject.stacks, batch).loops.empty();
    return hasLayers ? Result<bool>(refuseSequence(turn.code.loop)) : false;
  }
  LayerLoopChoice inner;
  // Results of a turn are not those of the program.
  FlattenOptions own = options;
  own.ties.clear();
  Result<bool> isPiped = LayerPiper(own, blocks, done).pipeStraightCode(*turn.code.module, turn.subject, kind, inner);
  if (!isPiped || !*isPiped)
    return isPiped;
  putBack(turn.code);
  addOuterStacks(turn.code, inner, around, choice);
  return true;
}

/// A loop that may have layers of this kind in its turns.
static bool mayEnclose(stablehlo::WhileOp loop, LayerKind kind) {
  std::optional<CountedLoop> counted = analyzeLoop(loop);
  bool hasLoops = !loop.getBody().front().getOps<stablehlo::WhileOp>().empty();
  return counted && counted->tripCount > 1 && hasLoops == (kind == LayerKind::Looped);
}

Result<bool> LayerPiper::pipeTurns(ModuleOp module, const PipelineSubject &subject, LayerKind kind,
                                   LayerLoopChoice &choice) {
  func::FuncOp main = getMain(module);
  SmallVector<stablehlo::WhileOp> loops;
  llvm::copy_if(main.getBody().front().getOps<stablehlo::WhileOp>(), std::back_inserter(loops),
                [&](stablehlo::WhileOp loop) { return mayEnclose(loop, kind); });
  if (loops.empty())
    return false;
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  std::vector<Root> roots = findRoots(flattened->graph, subject);
  RowFinder rows(*flattened, done.microbatches, roots);
  // All at first: the flat program refers to ops of the loops.
  std::vector<Turn> turns(loops.size());
  for (auto [turn, loop] : llvm::zip_equal(turns, loops)) {
    turn.code = takeTurn(loop);
    findSubject(turn, rows, subject);
  }
  bool isAnyPiped = false;
  for (Turn &turn : turns) {
    Result<bool> isPiped = pipeTurn(turn, subject, kind, choice);
    if (!isPiped)
      return isPiped;
    isAnyPiped |= *isPiped;
  }
  if (isAnyPiped)
    eraseDeadOps(main.getBody().front());
  return isAnyPiped;
}

} // namespace partita::pipeline
