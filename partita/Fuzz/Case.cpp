//===- Case.cpp - a random program, mesh and schedule ---------------------===//

#include "partita/Fuzz/Case.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Comparison.h"
#include "partita/Evaluate/Inputs.h"
#include "partita/Fuzz/CaseRewrites.h"
#include "partita/Fuzz/Coverage.h"
#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/RandomPadding.h"
#include "partita/Fuzz/RandomPieces.h"
#include "partita/Fuzz/RandomProgram.h"
#include "partita/Fuzz/RandomPrograms.h"
#include "partita/Fuzz/RandomReorder.h"
#include "partita/Fuzz/RandomRotation.h"
#include "partita/Fuzz/RandomTargets.h"
#include "partita/Fuzz/SplitCounts.h"
#include "partita/Lower/Annotate.h"
#include "partita/Lower/LocalProgram.h"
#include "partita/Lower/LoopForm.h"
#include "partita/Program/Import/Import.h"
#include "partita/Schedule/Tactics.h"
#include "partita/Verify/Relation/RelationCheck.h"
#include "partita/Verify/StoredBorder.h"
#include "partita/Verify/Verify.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

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

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// A program of layers in stages over an axis of the mesh.
static Result<Case> makeLayersCase(uint64_t seed, MLIRContext &context) {
  RandomChoice random(seed ^ 0x6c6179657273);
  Case result;
  result.seed = seed;
  do
    result.mesh = drawMesh(random, 16);
  while (llvm::none_of(result.mesh.axes, [](const MeshAxis &axis) { return axis.size > 1; }));
  llvm::SmallVector<MeshAxis> axes;
  llvm::copy_if(result.mesh.axes, std::back_inserter(axes), [](const MeshAxis &axis) { return axis.size > 1; });
  const MeshAxis &axis = axes[random.below(axes.size())];
  result.pipeline = {axis.name, axis.size, random.between(1, 4)};
  // Numbers of its own, so that other pipelines are what they were.
  RandomChoice around(seed ^ 0x726570656174);
  result.pipeline.repeats = around.below(3) == 0 ? around.between(2, 3) : 1;
  int64_t numRows = result.pipeline.microbatches * random.between(1, 3);
  int64_t numBlocks = axis.size * result.pipeline.repeats;
  std::string text = writeLayersProgram(random, numBlocks + random.below(2 * axis.size), std::max<int64_t>(2, numRows));
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return Error::internal("a program of layers does not parse:\n" + text);
  if (Status error = importProgram(*module, ImportOptions(), Limits()))
    return std::move(*error);
  result.module = std::move(module);
  Result<RewrittenCase> rewritten = rewriteCase(result);
  // Roles are not clear in all of them: another argument may look like the batch, or none does.
  if (!rewritten && rewritten.error().code != ExitCode::Internal) {
    result.pipeline = {};
    rewritten = RewrittenCase{};
  }
  if (!rewritten)
    return rewritten.error();
  Result<Flattened> flattened = flatten(rewritten->module ? *rewritten->module : result.module.get(), FlattenOptions());
  if (!flattened)
    return flattened.error();
  result.tactics = drawTactics(random, result.mesh, flattened->graph);
  return std::move(result);
}

/// One case in 32 is a pipeline. The choice has random numbers of its own, so that other cases do not depend on it.
static bool drawsLayers(uint64_t seed) { return RandomChoice(seed ^ 0x70697065).below(32) == 0; }

Result<Case> makeCase(uint64_t seed, MLIRContext &context, bool portable) {
  // Their floats are not exact.
  if (!portable && drawsLayers(seed))
    return makeLayersCase(seed, context);
  RandomChoice random(seed);
  Case result;
  result.seed = seed;
  result.mesh = drawMesh(random, portable ? 8 : 16);
  result.exact = random.chance(20) || portable;
  ProgramOptions options;
  options.exact = result.exact;
  options.portable = portable;
  options.mesh = result.mesh;
  options.constraints = random.chance(40);
  options.gradients = drawsGradients(seed);
  Result<OwningOpRef<ModuleOp>> module = makeRandomProgram(random.next(), options, context);
  if (!module)
    return module.error();
  if (Status error = importProgram(**module, ImportOptions(), Limits()))
    return std::move(*error);
  Result<Flattened> flattened = flatten(**module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  result.module = std::move(*module);
  result.remat = drawRemat(seed, *result.module, *flattened);
  result.microbatches = drawMicrobatches(seed, flattened->graph);
  Result<RewrittenCase> rewritten = rewriteCase(result);
  if (!rewritten)
    return rewritten.error();
  if (rewritten->module)
    flattened = flatten(*rewritten->module, FlattenOptions());
  if (!rewritten->isCut)
    result.microbatches = {};
  if (!flattened)
    return flattened.error();
  result.padding = drawPadding(seed, result.mesh, *flattened);
  if (Status wrong = padCase(result, *rewritten))
    return std::move(*wrong);
  auto drawn = drawReorder(seed, result.mesh, rewritten->module ? *rewritten->module : result.module.get());
  if (!drawn)
    return drawn.error();
  result.reorder = std::move(*drawn);
  if (Status wrong = reorderCase(result, *rewritten))
    return std::move(*wrong);
  if (result.padding || result.reorder)
    flattened = flatten(*rewritten->module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  if (options.gradients)
    result.tactics = drawGradientTactics(seed, result.mesh, flattened->graph);
  llvm::append_range(result.tactics, drawTargets(seed, result.mesh, *flattened, rewritten->elements));
  llvm::append_range(result.tactics, drawRowTactics(seed, result.mesh, flattened->graph));
  llvm::append_range(result.tactics, drawTactics(random, result.mesh, flattened->graph));
  return std::move(result);
}

Case copyCase(const Case &input) {
  Case copy;
  copy.seed = input.seed;
  copy.module = input.module.get().clone();
  copy.mesh = input.mesh;
  copy.remat = input.remat;
  copy.microbatches = input.microbatches;
  copy.pipeline = input.pipeline;
  copy.padding = input.padding;
  copy.reorder = input.reorder;
  copy.tactics = input.tactics;
  copy.exact = input.exact;
  copy.relation = input.relation;
  return copy;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static bool isAnySplit(const std::map<std::string, int64_t> &splits) {
  return llvm::any_of(splits, [](const auto &entry) { return entry.second > 0; });
}

static void countRewrites(const Case &input, bool isCut, std::map<std::string, int64_t> &splits) {
  if (!isAnySplit(splits))
    return;
  splits["programs of microbatches"] += isCut;
  if (isCut)
    splits["rotated reductions in microbatches"] += splits["rotated reductions"];
  splits["programs with pipelines"] += input.pipeline.stages > 1;
  splits["programs with circular pipelines"] += input.pipeline.stages > 1 && input.pipeline.repeats > 1;
  splits["programs with padding"] += input.padding.has_value();
  splits["programs with padding that is split"] += hasKind(splits, remainderClasses);
  splits["programs with windows"] += hasKind(splits, windowKinds);
  splits["programs with parts in another order"] += input.reorder.has_value();
  splits["programs with recomputed values"] += !input.remat.recompute.empty();
  splits["programs with kept values"] += !input.remat.keep.empty();
}

/// Adds the loop form and the annotated program.
static Status addOtherForms(ModuleOp program, const Flattened &flattened, const Assignment &assignment,
                            LoweredCase &lowered) {
  Result<OwningOpRef<ModuleOp>> loops = buildLoopForm(program, flattened, assignment);
  if (!loops)
    return loops.error();
  lowered.loops = std::move(*loops);
  // A copy has the same flat program, but other origins.
  lowered.annotated = program.clone();
  Result<Flattened> again = flatten(*lowered.annotated, FlattenOptions());
  if (!again)
    return again.error();
  annotateProgram(*lowered.annotated, *again, assignment);
  return std::nullopt;
}

Result<LoweredCase> lowerCase(const Case &input, bool allForms) {
  Result<RewrittenCase> rewritten = rewriteCase(input);
  if (!rewritten)
    return rewritten.error();
  ModuleOp program = rewritten->module ? *rewritten->module : input.module.get();
  Result<Flattened> flattened = flatten(program, FlattenOptions());
  if (!flattened)
    return flattened.error();
  const Graph &graph = flattened->graph;
  CellNames names(graph);
  Result<Schedule> schedule = buildSchedule(input.tactics);
  if (!schedule)
    return schedule.error();
  schedule->tactics.insert(schedule->tactics.begin(), rewritten->tactics.begin(), rewritten->tactics.end());
  Axes axes = refineAxes(input.mesh, graph, collectAxes(*schedule));
  Topology topology(graph);
  Assignment assignment(topology, axes);
  Result<ScheduleOutcome> applied =
      applySchedule(*schedule, names, assignment, [](const Assignment &, TacticReport &) {});
  if (!applied)
    return applied.error();
  ReshardPlanner planner(axes);
  // Every third case runs collectives over several axes in steps.
  if (input.seed % 3 == 1)
    planner.setPrograms(drawPrograms(axes, input.seed));
  Reshards reshards = buildReshards(assignment, planner);
  ProductPieces pieces = drawPieces(input.seed, assignment, planner, reshards);
  std::set<ReshardId> rotated = drawRotated(input.seed, assignment, planner, reshards, pieces);
  Result<LocalProgram> local = lowerProgram(program, *flattened, assignment, reshards, planner, pieces, rotated);
  if (!local)
    return local.error();
  if (!local->refused.empty())
    return Error::internal("lowering leaves " + std::to_string(local->refused.size()) +
                           " collectives in their iterations that the plan may have in others");
  LoweredCase result;
  result.local = std::move(local->module);
  result.splits = countSplits(assignment, *flattened, rewritten->elements);
  if (isAnySplit(result.splits) && axes.size() > makeAxes(input.mesh).size())
    ++result.splits["axes that are refined"];
  if (int64_t count = input.seed % 3 == 1 ? countInSteps(planner) : 0)
    result.splits["reshards in steps of programs"] += count;
  countPieces(pieces, graph, reshards, result.splits);
  countRotated(rotated, graph, reshards, result.splits);
  if (allForms)
    if (Status error = addOtherForms(program, *flattened, assignment, result))
      return std::move(*error);
  countRewrites(input, rewritten->isCut, result.splits);
  result.rewritten = std::move(rewritten->module);
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

static CaseOutcome fail(const Error &error) {
  // Bad input cannot be the reason, since the generator made the input.
  bool isRejected = error.code == ExitCode::Unsupported || error.code == ExitCode::Limit;
  return {isRejected ? Verdict::Rejected : Verdict::Wrong, error.reason, {}, 0};
}

/// Counts collectives that communicate, by kind and by the control flow around them. Gives their number.
static int64_t countCollectiveOps(ModuleOp local, std::map<std::string, int64_t> &counts) {
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

/// Programs are small, so one that runs for long never ends.
static evaluate::EvaluatorOptions makeOptions(bool ring) {
  evaluate::EvaluatorOptions options;
  options.exact = ring;
  options.maxSteps = 1'000'000;
  return options;
}

/// The results of @main on small integers, floats being floats.
static Result<evaluate::DeviceValues> runExactly(ModuleOp program, ModuleOp original, StringRef inputs) {
  evaluate::EvaluatorOptions options = makeOptions(/*ring=*/false);
  auto arguments = evaluate::makeInputs(inputs, original, options, Limits());
  if (!arguments)
    return arguments.error();
  auto results = evaluate::evaluate(program, std::move(*arguments), options);
  if (!results)
    return results.error();
  return std::move(results->front());
}

/// Describes how the results differ in floats; empty if they do not.
static Result<std::string> compareExactly(const Case &input, ModuleOp form, StringRef inputs) {
  OwningOpRef<ModuleOp> unpadded = verify::removeStorage(input.module.get(), form);
  if (unpadded)
    form = *unpadded;
  auto expected = runExactly(input.module.get(), input.module.get(), inputs);
  auto got = runExactly(form, input.module.get(), inputs);
  if (!expected || !got)
    return expected ? got.error() : expected.error();
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(*expected, *got))) {
    auto [whole, value] = pair;
    if (auto difference = evaluate::findDifference(whole, value, evaluate::Equality::Value))
      return "result " + std::to_string(index) + difference->index + " is " + difference->got + " instead of " +
             difference->expected + " in floats that are exact";
  }
  return std::string();
}

static Result<std::string> compareInRing(const Case &input, ModuleOp form, StringRef inputs) {
  auto found = verify::verifyLocal(input.module.get(), form, inputs, makeOptions(/*ring=*/true), Limits());
  if (!found)
    return found.error();
  return found->mismatch ? found->mismatch->str() : std::string();
}

/// Counted if `form`, which may be null, computes what the program does.
static CaseOutcome compare(const Case &input, ModuleOp form, uint64_t seed) {
  if (!form)
    return {Verdict::Counted, "", {}, 0};
  std::string inputs = "seed:" + std::to_string(seed);
  Result<std::string> difference = compareInRing(input, form, inputs);
  if (difference && difference->empty() && input.exact)
    difference = compareExactly(input, form, inputs);
  if (!difference)
    return fail(difference.error());
  if (!difference->empty())
    return {Verdict::Wrong, "inputs " + inputs + ": " + *difference, {}, 0};
  return {Verdict::Counted, "", {}, 0};
}

CaseOutcome judgeCase(const Case &input, LoweredCase &lowered) {
  std::string message;
  ScopedDiagnosticHandler handler(input.module.get().getContext(), [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  for (ModuleOp form : {lowered.local.get(), lowered.loops.get(), lowered.annotated.get()})
    if (form && failed(mlir::verify(form)))
      return {Verdict::Wrong, "a form of the program does not verify: " + message, {}, 0};
  if (input.relation)
    if (Status error = verify::checkRelation(lowered.rewritten ? *lowered.rewritten : input.module.get(),
                                             *lowered.local, UserRules()))
      return {Verdict::Wrong, "the static check says: " + error->reason, {}, 0};
  bool isSplit = isAnySplit(lowered.splits);
  int64_t collectives = countCollectiveOps(*lowered.local, lowered.splits);
  // Zeros and indices out of range hide errors, so cases that count also run on other inputs.
  for (uint64_t seed : {input.seed % 1000, input.seed % 1000 + 1}) {
    for (ModuleOp form : {lowered.loops.get(), lowered.annotated.get(), lowered.local.get()})
      if (CaseOutcome outcome = compare(input, form, seed); outcome.verdict != Verdict::Counted)
        return outcome;
    if (!isSplit || collectives == 0)
      break;
  }
  Verdict verdict = isSplit && collectives > 0 ? Verdict::Counted : Verdict::Vacuous;
  return {verdict, "", std::move(lowered.splits), collectives};
}

CaseOutcome runCase(const Case &input) {
  Result<LoweredCase> lowered = lowerCase(input, /*allForms=*/input.seed % 8 == 0);
  if (!lowered)
    return fail(lowered.error());
  return judgeCase(input, *lowered);
}

} // namespace partita::fuzz
