//===- PartDialect.h - the part dialect and its attributes ----------------===//
//
// What the ops of the part dialect share: the dialect class and the attributes
// `tile<dim>`, `sum<combiner>` and `any`, which say how the pieces of a loop's
// positions become one result.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_PARTDIALECT_H
#define PARTITA_DIALECT_PART_PARTDIALECT_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#include "partita/Dialect/Part/Dialect.h.inc"

#include "partita/Dialect/Part/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Part/Attrs.h.inc"

#endif
