//===- Types.cpp - types of the stablehlo dialect -------------------------===//

#include "partita/Dialect/StableHlo/StableHloDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/StableHlo/Types.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "partita/Dialect/StableHlo/Types.cpp.inc"
      >();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "a future holds ranked tensors, got " << type;
  return success();
}

} // namespace partita::stablehlo
