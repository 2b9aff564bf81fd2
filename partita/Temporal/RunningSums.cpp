//===- RunningSums.cpp - sums that a layer loop continues -----------------===//

#include "partita/Temporal/RunningSums.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Loops.h"

using namespace mlir;

namespace partita::temporal {

/// Whether each iteration of the loop writes a slice of its own of the carried value.
static bool writesEachOnce(stablehlo::WhileOp loop, uint32_t carried) {
  std::optional<CountedLoop> counted = analyzeLoop(loop);
  if (!counted)
    return false;
  return llvm::any_of(counted->stepped, [&](const SteppedOperand &step) {
    return step.carried == carried && step.isWritten && std::abs(step.stride) >= step.sliceSize;
  });
}

/// The only use of `cell` by an op of its loop; nothing if there are several, or if a turn needs the value elsewhere.
static std::optional<UseId> findOnlyUse(const MicroProgram &program, const Units &units,
                                        const MicroPlacement &placement, const LoopOutput &output) {
  std::optional<UseId> found;
  for (UseId use : program.topology.getUses(output.cell)) {
    uint32_t unit = units.ofOp[program.topology.getUser(use)];
    bool isInside = unit == units.ofCell[output.cell];
    if (isInside ? found.has_value() : placement.places[unit].isIn(output.loop))
      return std::nullopt;
    if (isInside)
      found = use;
  }
  return found;
}

/// Whether the result of `op` becomes the next value of `cell`, and nothing else.
static bool isYielded(const MicroProgram &program, OpId op, CellId cell) {
  llvm::ArrayRef<UseId> uses = program.topology.getUses(program.graph.getResults(op).front());
  if (uses.size() != 1)
    return false;
  OpId yield = program.topology.getUser(uses.front());
  return program.graph.ops[yield].role == IdentityRole::Yield && program.graph.getResults(yield).front() == cell;
}

std::optional<RunningSum> findRunningSum(const MicroProgram &program, const Units &units, const Forms &forms,
                                         const MicroPlacement &placement, const LoopOutput &output) {
  const Graph &graph = program.graph;
  CellId cell = output.cell;
  if (graph.cells[cell].kind != CellKind::Carried || forms.cells[cell].combiner != Combiner::Add)
    return std::nullopt;
  OpId entry = program.topology.getDefinitions(cell).front();
  auto loop = dyn_cast<stablehlo::WhileOp>(program.flattened.origins[entry]);
  std::optional<UseId> use = findOnlyUse(program, units, placement, output);
  if (!loop || !use || !program.topology.isZero(graph.getOperands(entry).front()))
    return std::nullopt;
  OpId user = program.topology.getUser(*use);
  const Op &op = graph.ops[user];
  if (op.region != graph.cells[cell].region || forms.ops[user] != OpForm::Sum || !isYielded(program, user, cell))
    return std::nullopt;
  if (op.kind == OpKind::Add)
    return RunningSum{user, false};
  bool isWritten = op.kind == OpKind::DynamicUpdateSlice && use->get() == op.firstUse;
  if (!isWritten || !writesEachOnce(loop, graph.cells[cell].number))
    return std::nullopt;
  return RunningSum{user, true};
}

} // namespace partita::temporal
