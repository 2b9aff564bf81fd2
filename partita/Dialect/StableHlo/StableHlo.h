//===- StableHlo.h - the whole stablehlo dialect --------------------------===//
//
// Include this to use any stablehlo op. A header that needs one family includes
// that family alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_STABLEHLO_H
#define PARTITA_DIALECT_STABLEHLO_STABLEHLO_H

#include "partita/Dialect/StableHlo/CollectiveOps.h"
#include "partita/Dialect/StableHlo/ContractionOps.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/CustomOps.h"
#include "partita/Dialect/StableHlo/DynamicOps.h"
#include "partita/Dialect/StableHlo/ElementwiseOps.h"
#include "partita/Dialect/StableHlo/IndexingOps.h"
#include "partita/Dialect/StableHlo/LinalgOps.h"
#include "partita/Dialect/StableHlo/ReductionOps.h"
#include "partita/Dialect/StableHlo/ShapeOps.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#endif
