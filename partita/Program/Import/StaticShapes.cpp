//===- StaticShapes.cpp - refuses dynamic shapes --------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Import/Steps.h"

using namespace mlir;

namespace partita::program::import {

static bool isDynamic(Type type) {
  // Fast path: nearly all types are ranked tensors.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !tensor.hasStaticShape();
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && (!shaped.hasRank() || !shaped.hasStaticShape());
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

static Error refuse(Operation *op, Type type) {
  return Error::unsupported(locationOf(op),
                            "'" + op->getName().getStringRef().str() + "' has a dynamic shape, " + print(type))
      .withRemedy("lower the program with concrete shapes; partitioning needs every size");
}

static Status requireStatic(Operation *op, TypeRange types) {
  for (Type type : types)
    if (isDynamic(type))
      return refuse(op, type);
  return std::nullopt;
}

Status requireStaticShapes(Operation *op) {
  if (Status error = requireStatic(op, op->getResultTypes()))
    return error;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (Status error = requireStatic(op, block.getArgumentTypes()))
        return error;
  return std::nullopt;
}

} // namespace partita::program::import
