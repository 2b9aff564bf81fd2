//===- DeviceProgram.cpp - a local program without its wrapping -----------===//

#include "partita/Lower/DeviceProgram.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Machine/Mesh.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::lower {

static Result<Mesh> readMesh(sdy::ManualComputationOp manual) {
  sdy::MeshAttr mesh;
  for (sdy::TensorShardingPerValueAttr list : {manual.getInShardings(), manual.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : list.getShardings())
      if (!mesh)
        mesh = sdy::lookupMesh(sharding, manual);
  if (!mesh)
    return Error::badInput(locationOf(manual), "the manual computation names no mesh");
  Mesh result;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    result.axes.push_back({axis.getName().str(), axis.getSize()});
    if (axis.getSize() > 1 && !manual.isManual(axis.getName()))
      return Error::unsupported(locationOf(manual),
                                "axis '" + axis.getName().str() + "' is not manual, so this is no local program")
          .withRemedy("score the program itself with --annotated");
  }
  return result;
}

/// Copies the names and donations of `main`'s arguments and results.
static void copyAttributes(func::FuncOp from, sdy::ManualComputationOp manual, func::FuncOp to) {
  auto copy = [](DictionaryAttr attributes, auto set) {
    if (!attributes)
      return;
    for (NamedAttribute attribute : attributes)
      if (!attribute.getName().strref().starts_with("sdy."))
        set(attribute.getName(), attribute.getValue());
  };
  for (auto [index, operand] : llvm::enumerate(manual.getTensors()))
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      copy(from.getArgAttrDict(argument.getArgNumber()),
           [&, i = index](StringAttr name, Attribute value) { to.setArgAttr(i, name, value); });
      to.getArgument(index).setLoc(argument.getLoc());
    }
  Operation *end = from.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(end->getOperands()))
    if (auto result = dyn_cast<OpResult>(value); result && result.getOwner() == manual.getOperation())
      copy(from.getResultAttrDict(number),
           [&](StringAttr name, Attribute value) { to.setResultAttr(result.getResultNumber(), name, value); });
}

/// Replaces `@main` of the copy by the body of its manual computation.
static void unwrap(func::FuncOp main, sdy::ManualComputationOp manual) {
  Block &body = manual.getBody().front();
  OpBuilder builder(main);
  auto type = FunctionType::get(main.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes());
  auto inner = func::FuncOp::create(builder, main.getLoc(), "main", type);
  inner.getBody().takeBody(manual.getBody());
  Operation *end = inner.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  copyAttributes(main, manual, inner);
  main.erase();
}

Result<DeviceProgram> takeDeviceProgram(ModuleOp local, llvm::StringRef mesh) {
  DeviceProgram body{OwningOpRef<ModuleOp>(local.clone()), mesh.str()};
  auto main = body.module->lookupSymbol<func::FuncOp>("main");
  llvm::SmallVector<sdy::ManualComputationOp> found;
  main.walk([&](sdy::ManualComputationOp op) { found.push_back(op); });
  if (found.size() > 1 || (found.empty() && mesh.empty()))
    return Error::badInput(locationOf(main), "@main has " + std::to_string(found.size()) +
                                                 " manual computations: a local program has one")
        .withRemedy("local.mlir, as partita plan writes it, is one");
  if (found.empty())
    return body;
  Result<Mesh> own = readMesh(found.front());
  if (!own)
    return own.error();
  body.mesh = own->str();
  unwrap(main, found.front());
  return body;
}

} // namespace partita::lower
