//===- Accumulate.cpp - runs a step microbatch by microbatch --------------===//

#include "partita/Temporal/Accumulate.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Temporal/MicroLoops.h"
#include "partita/Temporal/Refusals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::temporal {

/// The values that depend on an argument, on the way through loops and branches, too. Sizes are constants.
static IdVector<CellId, uint8_t> findDependent(const Flattened &flattened) {
  const Graph &graph = flattened.graph;
  IdVector<CellId, uint8_t> isDependent(graph.cells.size(), 0);
  for (CellId argument : graph.arguments)
    isDependent[argument] = 1;
  // What a turn of a loop gives is carried into the next one.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (!isa_and_nonnull<stablehlo::GetDimensionSizeOp>(flattened.origins[op]) &&
          llvm::any_of(graph.getOperands(op), [&](CellId operand) { return isDependent[operand]; }))
        for (CellId result : graph.getResults(op))
          isChanged |= !std::exchange(isDependent[result], 1);
  }
  return isDependent;
}

/// Multiplications and additions of all products and convolutions, each counted as often as `getRuns` says and as its
/// loops run. Nothing if that is not known. What depends on no argument does not count: a microbatch may compute it for
/// itself.
static std::optional<int64_t> countProducts(const Flattened &flattened, llvm::function_ref<int64_t(OpId)> getRuns) {
  const Graph &graph = flattened.graph;
  IdVector<CellId, uint8_t> isDependent = findDependent(flattened);
  int64_t flops = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].opClass != OpClass::Contraction || !isDependent[graph.getResults(op).front()])
      continue;
    int64_t trips = graph.getMultiplicity(graph.ops[op].region);
    if (trips < 0)
      return std::nullopt;
    flops += graph.ops[op].flops * trips * getRuns(op);
  }
  return flops;
}

/// What the products of the rewritten program must come to: a product that is split runs once in all, another one in
/// each turn.
static std::optional<int64_t> predictProducts(const MicroDecision &decision) {
  return countProducts(decision.program.flattened, [&](OpId op) -> int64_t {
    const UnitPlace &place = decision.placement.places[decision.units.ofOp[op]];
    auto loops = static_cast<int64_t>(place.loops.count());
    return (place.stage >= 0) + loops * (decision.forms.isSplit(op) ? 1 : decision.program.count);
  });
}

/// Decides until no op is found that should not pass terms on.
static Result<Accumulated> rewrite(func::FuncOp main, const MicroProgram &program, const AccumulateRequest &request,
                                   std::optional<int64_t> &predicted) {
  Units units = findUnits(program);
  Reached reached = computeReach(program, request.roots);
  IdVector<OpId, uint8_t> forbidden(program.graph.ops.size(), 0);
  while (true) {
    Forms forms = computeForms(program, choosePassing(program, units, reached, forbidden), reached);
    if (Status wrong = checkRandomBits(program, forms))
      return std::move(*wrong);
    if (Status wrong = checkBundles(program, units, reached, forms))
      return std::move(*wrong);
    Result<std::optional<MicroPlacement>> placement =
        placeUnits(program, units, reached, forms, request.passes, forbidden);
    if (!placement)
      return placement.error();
    if (!*placement)
      continue;
    if ((*placement)->numLoops == 0)
      return Error::unsupported({}, "no microbatches: nothing that the program returns depends on the batch");
    MicroDecision decision{program, units, forms, **placement};
    predicted = predictProducts(decision);
    return writeLoops(main, decision, request.inSingle);
  }
}

/// The structural check of a rewrite: no product is lost, doubled, or computed for too many rows.
static Status checkProducts(ModuleOp module, std::optional<int64_t> predicted) {
  Result<Flattened> flattened = flatten(module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  std::optional<int64_t> found = countProducts(*flattened, [](OpId) { return 1; });
  if (!predicted || !found || *found == *predicted)
    return std::nullopt;
  return Error::internal("the products of the program of microbatches come to " + std::to_string(*found) +
                         " operations instead of " + std::to_string(*predicted))
      .withRemedy("this is a defect of Partita; please report it with the program and the schedule");
}

Result<Accumulated> accumulate(ModuleOp module, const Flattened &flattened, const AccumulateRequest &request) {
  MicroProgram program(flattened, request.count);
  std::optional<int64_t> predicted;
  Result<Accumulated> done = rewrite(module.lookupSymbol<func::FuncOp>("main"), program, request, predicted);
  if (!done)
    return done;
  for (const Root &root : request.roots)
    if (const Cell &cell = flattened.graph.cells[root.cell]; cell.kind == CellKind::Argument)
      done->cutArguments.emplace_back(cell.number, root.dim);
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the program of microbatches does not verify: " + collector.takeError("no reason").reason);
  if (Status wrong = checkProducts(module, predicted))
    return std::move(*wrong);
  return done;
}

} // namespace partita::temporal
