//===- Sdy.h - the whole sdy dialect --------------------------------------===//
//
// Include this to use any op, attribute or function of the sdy dialect.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SDY_H
#define PARTITA_DIALECT_SDY_SDY_H

#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/CollectiveOps.h"
#include "partita/Dialect/Sdy/RegionOps.h"
#include "partita/Dialect/Sdy/SdyDialect.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/Sdy/ShardingOps.h"

#endif
