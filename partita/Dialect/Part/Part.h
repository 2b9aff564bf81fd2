//===- Part.h - the whole part dialect ------------------------------------===//
//
// Include this to use any op or attribute of the part dialect.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_PART_H
#define PARTITA_DIALECT_PART_PART_H

#include "partita/Dialect/Part/LoopOps.h"
#include "partita/Dialect/Part/PartDialect.h"

#endif
