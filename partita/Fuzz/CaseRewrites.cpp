//===- CaseRewrites.cpp - rewrites of a case's program --------------------===//

#include "partita/Fuzz/CaseRewrites.h"

#include "partita/Fuzz/RandomPadding.h"
#include "partita/Fuzz/RandomReorder.h"
#include "partita/Pipeline/PipelineTactics.h"
#include "partita/Temporal/Accumulate.h"

using namespace mlir;

namespace partita::fuzz {

DrawnMicrobatches drawMicrobatches(uint64_t seed, const Graph &graph) {
  RandomChoice random(seed ^ 0x6d6963726f);
  if (graph.arguments.empty() || !random.chance(25))
    return {};
  DrawnMicrobatches drawn;
  int64_t count = 2 + random.below(3);
  // A dim that the number divides, if there is one in a few tries.
  for (int tries = 0; tries < 6 && drawn.count == 1; ++tries) {
    drawn.argument = random.below(graph.arguments.size());
    llvm::ArrayRef<int64_t> shape = graph.getShape(graph.arguments[drawn.argument]);
    drawn.dim = random.below(shape.size());
    if (!shape.empty() && shape[drawn.dim] > 0 && shape[drawn.dim] % count == 0)
      drawn.count = count;
  }
  return drawn;
}

RematRequest drawRemat(uint64_t seed, ModuleOp module, const Flattened &flattened) {
  RandomChoice random(seed ^ 0x72656d6174);
  RematRequest drawn;
  if (!random.chance(50))
    return drawn;
  for (const RematClass &known : findRematClasses(module, flattened))
    if (random.chance(50))
      (known.kind == RematKind::Keep ? drawn.keep : drawn.recompute).push_back(known.name);
  return drawn;
}

/// Cuts a copy of `program` into microbatches; null if that is not possible.
static Result<OwningOpRef<ModuleOp>> cut(ModuleOp program, const DrawnMicrobatches &drawn) {
  OwningOpRef<ModuleOp> module = program.clone();
  Result<Flattened> flattened = flatten(*module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  AccumulateRequest request;
  request.count = drawn.count;
  request.roots = {{flattened->graph.arguments[drawn.argument], drawn.dim}};
  request.passes = drawn.count;
  Result<Accumulated> done = accumulate(*module, *flattened, request);
  if (done)
    return std::move(module);
  return done.error().code == ExitCode::Unsupported ? Result(OwningOpRef<ModuleOp>()) : done.error();
}

Status padCase(const Case &input, RewrittenCase &rewritten) {
  if (!input.padding)
    return std::nullopt;
  if (!rewritten.module)
    rewritten.module = input.module.get().clone();
  return applyDrawnPadding(*rewritten.module, *input.padding, rewritten.elements);
}

Status reorderCase(const Case &input, RewrittenCase &rewritten) {
  if (!input.reorder)
    return std::nullopt;
  if (!rewritten.module)
    rewritten.module = input.module.get().clone();
  rewritten.elements.clear();
  return applyDrawnReorder(*rewritten.module, *input.reorder);
}

/// The loops over layers as a pipeline.
static Result<RewrittenCase> runInStages(const Case &input) {
  PlanSource source;
  Tactic &tactic = source.schedule.emplace().tactics.emplace_back();
  tactic.name = "pipeline";
  tactic.axis = input.pipeline.axis;
  tactic.pipeline.emplace();
  tactic.pipeline->microbatches = input.pipeline.microbatches;
  tactic.pipeline->stages = input.pipeline.stages;
  tactic.pipeline->repeats = input.pipeline.repeats;
  Result<PreparedProgram> prepared = pipeline::prepareProgram(input.module.get(), source, FlattenOptions());
  if (!prepared)
    return prepared.error();
  return RewrittenCase{std::move(prepared->rewritten), false, std::move(source.schedule->tactics)};
}

/// All rewrites but padding and orders.
static Result<RewrittenCase> rewriteForMemory(const Case &input) {
  if (input.pipeline.stages > 1)
    return runInStages(input);
  RewrittenCase rewritten;
  if (!input.remat.recompute.empty() || !input.remat.keep.empty()) {
    rewritten.module = input.module.get().clone();
    Result<Flattened> flattened = flatten(*rewritten.module, FlattenOptions());
    if (!flattened)
      return flattened.error();
    Result<RematReport> done = rematerialize(*rewritten.module, *flattened, input.remat);
    if (!done)
      return done.error();
  }
  if (input.microbatches.count == 1)
    return std::move(rewritten);
  auto made = cut(rewritten.module ? *rewritten.module : input.module.get(), input.microbatches);
  if (!made)
    return made.error();
  rewritten.isCut = static_cast<bool>(*made);
  if (*made)
    rewritten.module = std::move(*made);
  return std::move(rewritten);
}

Result<RewrittenCase> rewriteCase(const Case &input) {
  Result<RewrittenCase> rewritten = rewriteForMemory(input);
  if (!rewritten)
    return rewritten;
  if (Status wrong = padCase(input, *rewritten))
    return std::move(*wrong);
  if (Status wrong = reorderCase(input, *rewritten))
    return std::move(*wrong);
  return rewritten;
}

} // namespace partita::fuzz
