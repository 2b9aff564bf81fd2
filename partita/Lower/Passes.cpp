//===- Passes.cpp - lowering as passes, for partita-opt and tests ---------===//
//
//   partita-opt --partita-test-partition="mesh=data=2,model=2 tiles=arg0:0:data,result1:1:model"
//
// imports the program, tiles the named arguments and results one after the
// other, and outputs the device-local program or, with `annotate`, the original
// with the plan's shardings. An impossible tile is skipped with a remark, so
// that tests can draw tiles at random.
//
//===----------------------------------------------------------------------===//

#include "partita/Lower/Passes.h"

#include "partita/Dialect/Sdy/SdyDialect.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"
#include "partita/Lower/Annotate.h"
#include "partita/Lower/LocalProgram.h"
#include "partita/Program/Import/Import.h"
#include "partita/Propagate/Propagation.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::lower {

namespace {

struct TestPartitionPass : PassWrapper<TestPartitionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPartitionPass)

  TestPartitionPass() = default;
  TestPartitionPass(const TestPartitionPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "partita-test-partition"; }
  StringRef getDescription() const final { return "Partitions a program by tiles of its arguments and results"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sdy::SdyDialect, stablehlo::StableHloDialect>();
  }

  void runOnOperation() override {
    if (Status error = run(getOperation())) {
      emitError(getOperation().getLoc()) << error->str();
      signalPassFailure();
    }
  }

  Status run(ModuleOp module);
  Status tile(StringRef text, Propagation &propagation, const Topology &topology, const Axes &axes, uint32_t step);

  Option<std::string> mesh{*this, "mesh", llvm::cl::desc("data=2,model=2")};
  Option<bool> annotate{*this, "annotate", llvm::cl::desc("Gives the annotated program instead of the local one")};
  ListOption<std::string> tiles{*this, "tiles", llvm::cl::desc("arg0:0:data,result1:1:model")};
};

} // namespace

/// The cell of `arg3` or `result0`; invalid if there is none.
static CellId findCell(const Graph &graph, StringRef name) {
  llvm::ArrayRef<CellId> list = graph.results;
  if (name.consume_front("arg"))
    list = graph.arguments;
  else if (!name.consume_front("result"))
    return CellId();
  unsigned number = 0;
  return name.getAsInteger(10, number) || number >= list.size() ? CellId() : list[number];
}

Status TestPartitionPass::tile(StringRef text, Propagation &propagation, const Topology &topology, const Axes &axes,
                               uint32_t step) {
  auto [name, rest] = text.split(':');
  auto [dimText, axisName] = rest.split(':');
  CellId cell = findCell(topology.getGraph(), name);
  unsigned dim = 0;
  llvm::SmallVector<AxisId> list = axes.find(axisName);
  if (!cell.isValid() || dimText.getAsInteger(10, dim) || dim >= topology.getGraph().cells[cell].rank || list.empty())
    return Error::usage("'" + text.str() + "' is no tile of this program");
  for (AxisId axis : list) {
    DimId root = topology.getDim(cell, dim);
    if (std::string why = propagation.explainRoot(root, axis); !why.empty())
      emitRemark(getOperation().getLoc()) << "tile " << text << " is skipped: " << why;
    else
      propagation.run(root, axis, step);
  }
  return std::nullopt;
}

Status TestPartitionPass::run(ModuleOp module) {
  if (Status error = importProgram(module, ImportOptions(), Limits()))
    return error;
  Result<Mesh> parsed = parseMesh(mesh);
  if (!parsed)
    return parsed.error();
  Result<Flattened> flattened = flatten(module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  Axes axes = refineAxes(*parsed, flattened->graph);
  Topology topology(flattened->graph);
  Assignment assignment(topology, axes);
  Propagation propagation(assignment);
  for (auto [step, text] : llvm::enumerate(tiles))
    if (Status error = tile(text, propagation, topology, axes, step))
      return error;
  if (annotate) {
    annotateProgram(module, *flattened, assignment);
    return std::nullopt;
  }
  ReshardPlanner planner(axes);
  Reshards reshards = buildReshards(assignment, planner);
  Result<LocalProgram> local = lowerProgram(module, *flattened, assignment, reshards, planner);
  if (!local)
    return local.error();
  module->setDiscardableAttrs((*local->module)->getDiscardableAttrDictionary());
  module.getBodyRegion().takeBody(local->module->getBodyRegion());
  return std::nullopt;
}

void registerLowerPasses() { PassRegistration<TestPartitionPass>(); }

} // namespace partita::lower
