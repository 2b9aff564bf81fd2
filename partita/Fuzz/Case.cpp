//===- Case.cpp - one random case: a program, a mesh and a schedule -------===//

#include "partita/Fuzz/Case.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Verify.h"
#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/RandomProgram.h"
#include "partita/Lower/Spmd.h"
#include "partita/Program/Import/Import.h"
#include "partita/Propagate/Tactics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::fuzz {

llvm::StringRef getName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Counted:
    return "counted";
  case Verdict::Vacuous:
    return "vacuous";
  case Verdict::Rejected:
    return "rejected";
  case Verdict::Wrong:
    return "wrong";
  case Verdict::Crashed:
    return "crashed";
  }
  llvm_unreachable("unknown verdict");
}

std::unique_ptr<MLIRContext> makeFuzzContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

Result<Case> makeCase(uint64_t seed, MLIRContext &context, bool portable) {
  Random random(seed);
  Case result;
  result.seed = seed;
  result.mesh = drawMesh(random, portable ? 8 : 16);
  result.exact = random.chance(20) || portable;
  ProgramOptions options;
  options.exact = result.exact;
  options.portable = portable;
  options.mesh = result.mesh;
  options.constraints = random.chance(40);
  Result<OwningOpRef<ModuleOp>> module = makeRandomProgram(random.next(), options, context);
  if (!module)
    return module.error();
  if (Status error = importProgram(**module, ImportOptions(), Limits()))
    return std::move(*error);
  Result<Flattened> flattened = flatten(**module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  result.tactics = drawTactics(random, result.mesh, flattened->graph);
  result.module = std::move(*module);
  return std::move(result);
}

Case copyCase(const Case &input) {
  Case copy;
  copy.seed = input.seed;
  copy.module = input.module.get().clone();
  copy.mesh = input.mesh;
  copy.tactics = input.tactics;
  copy.exact = input.exact;
  return copy;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static std::map<std::string, int64_t> countSplits(const Assignment &assignment) {
  std::map<std::string, int64_t> counts;
  const Graph &graph = assignment.getGraph();
  for (size_t index = 0; index < graph.ops.size(); ++index) {
    OpId op(index);
    llvm::ArrayRef<Factor> factors = graph.getFactors(op);
    for (size_t axis = 0; axis < assignment.getAxes().size(); ++axis) {
      uint8_t factor = assignment.getFactor(assignment.getTopology().getNode(op), AxisId(axis));
      if (factor == sumFactor)
        ++counts[(graph.getName(graph.ops[op].kind) + " sum").str()];
      else if (factor < factors.size())
        ++counts[(graph.getName(graph.ops[op].kind) + " " + getName(factors[factor].kind)).str()];
    }
  }
  return counts;
}

Result<LoweredCase> lowerCase(const Case &input) {
  Result<Flattened> flattened = flatten(*input.module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  const Graph &graph = flattened->graph;
  CellNames names(graph);
  Result<Schedule> schedule = buildSchedule(input.tactics);
  if (!schedule)
    return schedule.error();
  Axes axes = refineAxes(input.mesh, graph, collectAxes(*schedule));
  Topology topology(graph);
  Assignment assignment(topology, axes);
  Result<ScheduleOutcome> applied =
      applySchedule(*schedule, names, assignment, [](const Assignment &, TacticReport &) {});
  if (!applied)
    return applied.error();
  ReshardPlanner planner(axes);
  Transfers transfers = buildTransfers(assignment, planner);
  Result<LocalProgram> local = lowerProgram(*input.module, *flattened, assignment, transfers, planner);
  if (!local)
    return local.error();
  LoweredCase result{std::move(local->module), countSplits(assignment)};
  if (!result.splits.empty() && axes.size() > makeAxes(input.mesh).size())
    ++result.splits["axes that are refined"];
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

static CaseOutcome fail(const Error &error) {
  // What is wrong in the input cannot be the reason: the input is ours.
  bool isRejected = error.code == ExitCode::Unsupported || error.code == ExitCode::Limit;
  return {isRejected ? Verdict::Rejected : Verdict::Wrong, error.reason, {}, 0};
}

static std::string describe(const evaluate::Verification &found, bool exact) {
  if (found.mismatch)
    return found.mismatch->str();
  return exact && found.worst != 0 ? "floats that must be exact are not" : "";
}

/// Counts collectives that have something to say, by kind and by what stands around them; gives how many there are.
static int64_t countCollectives(ModuleOp local, std::map<std::string, int64_t> &counts) {
  int64_t total = 0;
  local.walk([&](Operation *op) {
    auto type = op->getNumOperands() > 0 ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : nullptr;
    if (type && type.getNumElements() > 0 &&
        isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp, stablehlo::CollectivePermuteOp,
            stablehlo::ReduceScatterOp>(op)) {
      ++total;
      Operation *parent = op->getParentOp();
      StringRef around = isa<stablehlo::WhileOp>(parent)                   ? " in a loop"
                         : isa<stablehlo::CaseOp, stablehlo::IfOp>(parent) ? " in a branch"
                                                                           : "";
      ++counts[("collective " + op->getName().stripDialect() + around).str()];
    }
  });
  return total;
}

static Result<evaluate::Verification> compare(const Case &input, ModuleOp local, uint64_t seed) {
  evaluate::EvaluatorOptions options;
  options.ring = !input.exact;
  return evaluate::verifyLocal(input.module.get(), local, "seed:" + std::to_string(seed), options, Limits());
}

CaseOutcome judgeCase(const Case &input, LoweredCase &lowered) {
  std::string message;
  ScopedDiagnosticHandler handler(input.module.get().getContext(), [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  if (failed(verify(*lowered.local)))
    return {Verdict::Wrong, "the local program does not verify: " + message, {}, 0};
  // Zeros and indices out of range hide much: what counts is run on other inputs as well.
  for (uint64_t seed : {input.seed % 1000, input.seed % 1000 + 1}) {
    Result<evaluate::Verification> found = compare(input, *lowered.local, seed);
    if (!found)
      return fail(found.error());
    if (std::string wrong = describe(*found, input.exact); !wrong.empty())
      return {Verdict::Wrong, "inputs seed:" + std::to_string(seed) + ": " + wrong, std::move(lowered.splits),
              found->collectives};
    if (lowered.splits.empty() || found->collectives == 0)
      break;
  }
  bool isSplit = !lowered.splits.empty();
  int64_t collectives = countCollectives(*lowered.local, lowered.splits);
  Verdict verdict = isSplit && collectives > 0 ? Verdict::Counted : Verdict::Vacuous;
  return {verdict, "", std::move(lowered.splits), collectives};
}

CaseOutcome runCase(const Case &input) {
  Result<LoweredCase> lowered = lowerCase(input);
  if (!lowered)
    return fail(lowered.error());
  return judgeCase(input, *lowered);
}

} // namespace partita::fuzz
