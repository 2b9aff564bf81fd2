//===- StaticShapes.cpp - past import, every size is known ----------------===//

#include "partita/Program/Diagnostics.h"
#include "partita/Program/Import/Steps.h"

using namespace mlir;

namespace partita::import {

static bool isDynamic(Type type) {
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
  return Error::unsupported(placeOf(op),
                            "'" + op->getName().getStringRef().str() + "' has a dynamic shape, " + print(type))
      .withRemedy("lower the program with concrete shapes; partitioning needs every size");
}

Status requireStaticShapes(ModuleOp module) {
  Status error;
  Type known;
  auto check = [&](Operation *op, TypeRange types) {
    for (Type type : types)
      if (!error && type != known && isDynamic(type))
        error = refuse(op, type);
      else
        known = type;
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    check(op, op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        check(op, block.getArgumentTypes());
    return error ? WalkResult::interrupt() : WalkResult::advance();
  });
  return error;
}

} // namespace partita::import
