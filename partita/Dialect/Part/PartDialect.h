//===- PartDialect.h - dialect and attributes -----------------------------===//

#ifndef PARTITA_DIALECT_PART_PARTDIALECT_H
#define PARTITA_DIALECT_PART_PARTDIALECT_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#include "partita/Dialect/Part/Dialect.h.inc"

#include "partita/Dialect/Part/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Part/Attrs.h.inc"

#endif
