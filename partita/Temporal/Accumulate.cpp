//===- Accumulate.cpp - runs a step microbatch by microbatch --------------===//

#include "partita/Temporal/Accumulate.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Temporal/MicroLoops.h"
#include "partita/Temporal/Refusals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::temporal {

/// Decides until no op is found that should not pass terms on.
static Result<Accumulated> rewrite(func::FuncOp main, const MicroProgram &program, const AccumulateRequest &request) {
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
    return writeLoops(main, {program, units, forms, **placement}, request.inSingle);
  }
}

Result<Accumulated> accumulate(ModuleOp module, const Flattened &flattened, const AccumulateRequest &request) {
  MicroProgram program(flattened, request.count);
  Result<Accumulated> done = rewrite(module.lookupSymbol<func::FuncOp>("main"), program, request);
  if (!done)
    return done;
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the program of microbatches does not verify: " + collector.takeError("no reason").reason);
  return done;
}

} // namespace partita::temporal
