//===- Chlo.h - the whole chlo dialect ------------------------------------===//
//
// Include this to use any chlo op. A header that needs one family includes that
// family alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_CHLO_H
#define PARTITA_DIALECT_CHLO_CHLO_H

#include "partita/Dialect/Chlo/BroadcastOps.h"
#include "partita/Dialect/Chlo/ChloDialect.h"
#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/Chlo/ConstantOps.h"
#include "partita/Dialect/Chlo/MathOps.h"

#endif
