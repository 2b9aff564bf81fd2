//===- Partition.cpp - from an assignment to what a user gets -------------===//

#include "partita/Driver/Partition.h"

#include "partita/Driver/Scoring.h"
#include "partita/Evaluate/Relation/RelationCheck.h"
#include "partita/Lower/Annotate.h"
#include "partita/Program/BooleanHex.h"
#include "partita/Program/Diagnostics.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Support/Containment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace partita {

void addCollectives(const Assignment &assignment, TacticReport &report) {
  ReshardPlanner planner(assignment.getAxes());
  Transfers transfers = buildTransfers(assignment, planner);
  for (const CollectiveCount &count : countCollectives(assignment.getGraph(), planner, transfers))
    report.collectives.push_back({getName(count.kind).str(),
                                  llvm::join(getNames(assignment.getAxes(), count.axes), ","), count.count,
                                  count.payloadBytes});
}

Result<std::unique_ptr<Partition>> makePartition(ModuleOp module, const Planning &planning, StageClock &clock) {
  auto partition = std::make_unique<Partition>(planning.axes);
  setActivity("planning reshards");
  partition->transfers =
      clock.run("reshards", [&] { return buildTransfers(*planning.assignment, partition->planner); });
  setActivity("lowering");
  Result<LocalProgram> local = clock.run("lower", [&] {
    return lowerProgram(module, planning.flattened, *planning.assignment, partition->transfers, partition->planner);
  });
  if (!local)
    return local.error();
  partition->local = std::move(*local);
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(clock.run("verify", [&] { return verifyKinds(*partition->local.module); })))
    return Error::internal("the local program does not verify: " + collector.takeError("no reason").reason);
  return partition;
}

Status checkPartition(ModuleOp module, Partition &partition, const Options &options, StageClock &clock) {
  if (options.noCheck)
    return std::nullopt;
  Result<UserRules> userRules = parseUserRules(options.flatten.rules);
  if (!userRules)
    return userRules.error();
  setActivity("checking the local program");
  Status error =
      clock.run("check", [&] { return evaluate::checkRelation(module, *partition.local.module, *userRules); });
  // There are forms of programs, such as huge meshes, that it says it does not know.
  partition.isChecked = !error;
  if (!error || error->code == ExitCode::Unsupported)
    return std::nullopt;
  error->code = ExitCode::Internal;
  error->reason = "the local program does not compute what the program does: " + error->reason;
  error->remedy = "this is a defect of Partita; please report it with the program and the schedule. --no-check writes "
                  "the local program all the same, and `partita verify` executes it";
  return error;
}

/// Whether ops say where they come from, beyond their place in the file that was read.
static bool hasLocations(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool isPlain = isa<FileLineColLoc, UnknownLoc>(op->getLoc());
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

static std::string print(ModuleOp module, bool withLocations) {
  OpPrintingFlags flags;
  // What was verified need not be verified again to be printed.
  flags.assumeVerified();
  if (withLocations)
    flags.enableDebugInfo();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  stream << "\n";
  return unpackBooleanHex(std::move(text), BooleanText::Words);
}

std::vector<FileToWrite> buildPlanFiles(ModuleOp module, Planning &planning, const Partition &partition,
                                        const Score &score, const Pricing *pricing, const Options &options,
                                        StageClock &clock) {
  std::vector<FileToWrite> files;
  auto add = [&](llvm::StringRef name, std::string contents) {
    llvm::SmallString<128> path(options.output);
    llvm::sys::path::append(path, name);
    files.push_back({path.str().str(), std::move(contents)});
  };
  bool withLocations = options.locations || hasLocations(module);
  setActivity("writing the plan");
  auto writeCost = [&](llvm::json::OStream &json) { writeScore(score, json); };
  std::optional<PlanCost> cost;
  if (pricing) {
    llvm::ArrayRef<int64_t> order = pricing->model.getDeviceOrder();
    cost = PlanCost{pricing->machine.name, score.placement, {}, writeCost};
    if (!llvm::is_sorted(order))
      cost->deviceOrder = order.vec();
  }
  add("plan.json", printPlan(planning, module, cost ? &*cost : nullptr));
  add("report.json", printPlanReport(planning, partition, score, options));
  if (pricing)
    add("trace.json", printTrace(*pricing));
  add("local.mlir", clock.run("print", [&] { return print(*partition.local.module, withLocations); }));
  add("annotated.mlir", clock.run("annotate", [&] {
    annotateProgram(module, planning.flattened, *planning.assignment);
    return print(module, withLocations);
  }));
  return files;
}

} // namespace partita
