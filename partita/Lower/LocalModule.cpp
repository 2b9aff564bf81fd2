//===- LocalModule.cpp - what stands around a device's program ------------===//

#include "partita/Lower/LocalModule.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita {

bool isShardingAttr(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sdy.sharding", "sdy.sharding_rule", "mhlo.sharding"}, true)
      .Default(false);
}

void dropShardingAttrs(Operation *op) {
  if (op->getDiscardableAttrDictionary().empty())
    return;
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (isShardingAttr(attribute.getName()))
      op->removeDiscardableAttr(attribute.getName());
}

LocalModule::LocalModule(ModuleOp source, const Assignment &assignment)
    : source(source), sourceMain(source.lookupSymbol<func::FuncOp>("main")), assignment(assignment),
      builder(source.getContext()), shardings(source.getContext(), assignment.getAxes()),
      donation(pairDonors(sourceMain, assignment)), isOneDevice(assignment.getAxes().size() == 0) {
  const Graph &graph = assignment.getGraph();
  for (CellId argument : graph.arguments)
    argumentShardings.push_back(assignment.getCellSharding(argument));
  for (CellId result : graph.results)
    resultShardings.push_back(assignment.getCellSharding(result));
  module = ModuleOp::create(source.getLoc(), source.getName());
  (*module)->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  builder.setInsertionPointToEnd(module->getBody());
  if (!isOneDevice)
    addMesh();
  addMain();
  addOtherFunctions();
  if (!isOneDevice)
    addManualComputation();
}

void LocalModule::addMesh() {
  const Mesh &mesh = assignment.getAxes().mesh;
  auto numDevices = builder.getI32IntegerAttr(static_cast<int32_t>(mesh.getNumDevices()));
  (*module)->setDiscardableAttr("mhlo.num_partitions", numDevices);
  (*module)->setDiscardableAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  sdy::MeshOp::create(builder, source.getLoc(), meshSymbol, makeMeshAttr(builder.getContext(), mesh));
}

/// Functions that ops name by symbol.
void LocalModule::addOtherFunctions() {
  for (auto function : source.getOps<func::FuncOp>())
    if (function != sourceMain)
      module->push_back(function.clone());
}

/// The attributes of an argument or result without what it said of shardings and donation.
static NamedAttrList keepOthers(ArrayRef<NamedAttribute> attributes) {
  NamedAttrList kept;
  for (NamedAttribute attribute : attributes)
    if (StringRef name = attribute.getName();
        !isShardingAttr(name) && name != "tf.aliasing_output" && name != "jax.buffer_donor")
      kept.push_back(attribute);
  return kept;
}

DictionaryAttr LocalModule::makeArgumentAttrs(unsigned index) {
  NamedAttrList attributes = keepOthers(mlir::function_interface_impl::getArgAttrs(sourceMain, index));
  if (!isOneDevice && isa<RankedTensorType>(sourceMain.getArgumentTypes()[index]))
    attributes.set("sdy.sharding", shardings.get(argumentShardings[index]));
  if (std::optional<unsigned> result = donation.results[index])
    attributes.set("tf.aliasing_output", builder.getI32IntegerAttr(static_cast<int32_t>(*result)));
  return attributes.getDictionary(builder.getContext());
}

DictionaryAttr LocalModule::makeResultAttrs(unsigned index) {
  NamedAttrList attributes = keepOthers(mlir::function_interface_impl::getResultAttrs(sourceMain, index));
  if (!isOneDevice && isa<RankedTensorType>(sourceMain.getResultTypes()[index]))
    attributes.set("sdy.sharding", shardings.get(resultShardings[index]));
  return attributes.getDictionary(builder.getContext());
}

void LocalModule::addMain() {
  main = func::FuncOp::create(builder, sourceMain.getLoc(), "main", sourceMain.getFunctionType());
  main.setPublic();
  SmallVector<Attribute> arguments, results;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    arguments.push_back(makeArgumentAttrs(i));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    results.push_back(makeResultAttrs(i));
  main.setArgAttrsAttr(builder.getArrayAttr(arguments));
  main.setResAttrsAttr(builder.getArrayAttr(results));
  body = main.addEntryBlock();
  for (auto [argument, original] : llvm::zip_equal(body->getArguments(), sourceMain.getArguments()))
    argument.setLoc(original.getLoc());
}

void LocalModule::addManualComputation() {
  const Axes &axes = assignment.getAxes();
  Block *outer = body;
  builder.setInsertionPointToEnd(outer);
  manual = sdy::ManualComputationOp::create(builder, main.getLoc(), main.getResultTypes(), outer->getArguments(),
                                            shardings.get(argumentShardings), shardings.get(resultShardings),
                                            makeManualAxes(builder.getContext(), axes.mesh));
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

} // namespace partita
