//===- Attrs.cpp - how a loop's pieces become its result ------------------===//

#include "partita/Dialect/Part/PartDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::part;

#include "partita/Dialect/Part/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Part/Attrs.cpp.inc"

namespace partita::part {

void PartDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/Part/Attrs.cpp.inc"
      >();
}

} // namespace partita::part
