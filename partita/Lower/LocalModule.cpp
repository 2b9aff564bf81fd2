//===- LocalModule.cpp - the module around a device's program -------------===//

#include "partita/Lower/LocalModule.h"

using namespace mlir;

namespace partita::lower {

LocalModule::LocalModule(ModuleOp source, const Assignment &assignment)
    : source(source), sourceMain(source.lookupSymbol<func::FuncOp>("main")), assignment(assignment),
      builder(source.getContext()), shardings(source.getContext(), assignment.getAxes()),
      donation(pairDonors(assignment)), isOneDevice(assignment.getAxes().size() == 0) {
  module = ModuleOp::create(source.getLoc(), source.getName());
  (*module)->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  builder.setInsertionPointToEnd(module->getBody());
  addMain();
  addOtherFunctions();
  if (isOneDevice)
    return;
  addMesh(*module, assignment.getAxes().mesh);
  addManualComputation();
}

/// Copies the functions that ops refer to by symbol.
void LocalModule::addOtherFunctions() {
  for (auto function : source.getOps<func::FuncOp>())
    if (function != sourceMain)
      module->push_back(function.clone());
}

void LocalModule::addMain() {
  main = func::FuncOp::create(builder, sourceMain.getLoc(), "main", sourceMain.getFunctionType());
  main.setPublic();
  main.setArgAttrsAttr(sourceMain.getArgAttrsAttr());
  main.setResAttrsAttr(sourceMain.getResAttrsAttr());
  annotateBoundary(main, assignment, donation, shardings);
  body = main.addEntryBlock();
  for (auto [argument, original] : llvm::zip_equal(body->getArguments(), sourceMain.getArguments()))
    argument.setLoc(original.getLoc());
}

void LocalModule::addManualComputation() {
  const Axes &axes = assignment.getAxes();
  auto getShardings = [&](ArrayRef<CellId> cells) {
    return llvm::map_to_vector(cells, [&](CellId cell) { return assignment.getCellSharding(cell); });
  };
  SmallVector<Sharding> argumentShardings = getShardings(assignment.getGraph().arguments);
  Block *outer = body;
  builder.setInsertionPointToEnd(outer);
  manual = sdy::ManualComputationOp::create(
      builder, main.getLoc(), main.getResultTypes(), outer->getArguments(), shardings.get(argumentShardings),
      shardings.get(getShardings(assignment.getGraph().results)), makeManualAxes(builder.getContext(), axes.mesh));
  body = builder.createBlock(&manual.getBody());
  for (auto [argument, sharding] : llvm::zip_equal(outer->getArguments(), argumentShardings)) {
    Type type = argument.getType();
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      type = tensor.clone(getLocalShape(axes, tensor.getShape(), sharding));
    body->addArgument(type, argument.getLoc());
  }
  builder.setInsertionPointToEnd(outer);
  func::ReturnOp::create(builder, main.getLoc(), manual.getResults());
}

OwningOpRef<ModuleOp> LocalModule::finish(ValueRange results) {
  Location loc = sourceMain.getBody().front().getTerminator()->getLoc();
  builder.setInsertionPointToEnd(body);
  if (isOneDevice)
    func::ReturnOp::create(builder, loc, results);
  else
    sdy::ReturnOp::create(builder, loc, results);
  return std::move(module);
}

} // namespace partita::lower
