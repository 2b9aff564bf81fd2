//===- Boundary.cpp - sharding and donation attributes of a module --------===//

#include "partita/Lower/Boundary.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita::lower {

static bool isShardingAttr(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sdy.sharding", "sdy.sharding_rule", "mhlo.sharding"}, true)
      .Default(false);
}

static bool isDonationAttr(StringRef name) { return name == "tf.aliasing_output" || name == "jax.buffer_donor"; }

void dropShardingAttrs(Operation *op) {
  if (op->getRawDictionaryAttrs().empty())
    return;
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (isShardingAttr(attribute.getName()))
      op->removeDiscardableAttr(attribute.getName());
}

void addMesh(ModuleOp module, const Mesh &mesh) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto numDevices = builder.getI32IntegerAttr(static_cast<int32_t>(mesh.getNumDevices()));
  module->setDiscardableAttr("mhlo.num_partitions", numDevices);
  module->setDiscardableAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  sdy::MeshOp::create(builder, module.getLoc(), meshSymbol, makeMeshAttr(builder.getContext(), mesh));
}

/// The attributes of an argument or result without those that are replaced.
static NamedAttrList keepOthers(ArrayRef<NamedAttribute> attributes) {
  NamedAttrList kept;
  for (NamedAttribute attribute : attributes)
    if (!isShardingAttr(attribute.getName()) && !isDonationAttr(attribute.getName()))
      kept.push_back(attribute);
  return kept;
}

void annotateBoundary(func::FuncOp main, const Assignment &assignment, const Donation &donation,
                      ShardingAttrs &shardings) {
  MLIRContext *context = main.getContext();
  const Graph &graph = assignment.getGraph();
  bool isOneDevice = assignment.getAxes().size() == 0;
  auto addSharding = [&](NamedAttrList &attributes, Type type, CellId cell) {
    if (!isOneDevice && isa<RankedTensorType>(type))
      attributes.set("sdy.sharding", shardings.get(assignment.getCellSharding(cell)));
  };
  SmallVector<Attribute> arguments, results;
  for (auto [index, type] : llvm::enumerate(main.getArgumentTypes())) {
    NamedAttrList attributes = keepOthers(function_interface_impl::getArgAttrs(main, index));
    addSharding(attributes, type, graph.arguments[index]);
    if (std::optional<unsigned> result = donation.results[index])
      attributes.set("tf.aliasing_output", IntegerAttr::get(IntegerType::get(context, 32), *result));
    arguments.push_back(attributes.getDictionary(context));
  }
  for (auto [index, type] : llvm::enumerate(main.getResultTypes())) {
    NamedAttrList attributes = keepOthers(function_interface_impl::getResultAttrs(main, index));
    addSharding(attributes, type, graph.results[index]);
    results.push_back(attributes.getDictionary(context));
  }
  main.setArgAttrsAttr(ArrayAttr::get(context, arguments));
  main.setResAttrsAttr(ArrayAttr::get(context, results));
}

} // namespace partita::lower
