//===- Attrs.cpp - attributes of the chlo dialect -------------------------===//

#include "partita/Dialect/Chlo/ChloDialect.h"
#include "partita/Dialect/StableHlo/StructFormat.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using partita::stablehlo::StructField;
using partita::stablehlo::StructPrinter;

#include "partita/Dialect/Chlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Chlo/Attrs.cpp.inc"

namespace partita::chlo {

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/Chlo/Attrs.cpp.inc"
      >();
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting, lhsRagged, rhsGroup;
  StructField fields[] = {
      {"lhs_batching_dimensions", &lhsBatching},       {"rhs_batching_dimensions", &rhsBatching},
      {"lhs_contracting_dimensions", &lhsContracting}, {"rhs_contracting_dimensions", &rhsContracting},
      {"lhs_ragged_dimensions", &lhsRagged},           {"rhs_group_dimensions", &rhsGroup}};
  if (parser.parseLess() || parseStruct(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting, lhsRagged, rhsGroup);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .field("lhs_batching_dimensions", getLhsBatchingDimensions())
      .field("rhs_batching_dimensions", getRhsBatchingDimensions())
      .field("lhs_contracting_dimensions", getLhsContractingDimensions())
      .field("rhs_contracting_dimensions", getRhsContractingDimensions())
      .field("lhs_ragged_dimensions", getLhsRaggedDimensions())
      .field("rhs_group_dimensions", getRhsGroupDimensions());
}

} // namespace partita::chlo
