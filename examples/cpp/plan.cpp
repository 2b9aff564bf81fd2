//===- plan.cpp - plans a program with the C++ library --------------------===//
//
//   plan model.mlir data=4,model=2 h100-sxm:1x8
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Lower/LocalProgram.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Reader.h"
#include "partita/Report/ScoreBuilder.h"
#include "partita/Search/ScheduleSearch.h"
#include "partita/Simulate/PlanTimeline.h"

using namespace partita;
using namespace partita::report;

/// The value, or the end of the program with the reason why there is none.
template <typename T> static T take(Result<T> result) {
  if (result)
    return std::move(*result);
  llvm::errs() << result.error().str() << "\n";
  exit(static_cast<int>(result.error().code));
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  auto context = makeContext();
  auto module = take(readProgram(argv[1], *context, Limits()));
  if (Status error = importProgram(*module, ImportOptions(), Limits()))
    take<int>(*error);
  Flattened flattened = take(flatten(*module, FlattenOptions()));
  Mesh mesh = take(parseMesh(argv[2]));
  Machine machine = take(resolveMachine(argv[3]));
  Placement placement = take(placeRowMajor(mesh, machine));

  Analysis analysis(flattened.graph);
  SearchedSchedule found = take(
      searchSchedule(analysis, mesh, makeAutomaticSchedule(), {machine, "", CostOptions(), SearchOptions()}, {}, {}));
  PlannedProgram program(flattened.graph);
  StageClock clock(/*prints=*/false);
  PlanPtr plan = take(buildPlan(program, mesh, found.schedule, {}, clock));
  PricePtr price = pricePlan(*plan, {machine, placement, CostOptions()});
  Timeline timeline = simulatePlan(*price);
  llvm::outs() << printScore(buildScore(*plan, flattened.unknown, SimulatedPrice{*price, timeline}));
  take(lowerPlan(*module, flattened, *plan)).module->print(llvm::outs());
  return 0;
}
