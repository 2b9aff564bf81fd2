//===- OpTraits.h - an op's class, linearity, precision and flops ---------===//
//
// What the flat program stores about an op besides its rule. Flatten computes
// each once for a kind of op (AlikeOps.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_OPTRAITS_H
#define PARTITA_PROGRAM_OPTRAITS_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::program {

/// How the op is priced and fused.
OpClass classify(mlir::Operation *op);

/// How the op treats partial sums.
Linearity findLinearity(mlir::Operation *op);

/// How exact a contraction of f32 has to be: the most that any of its operands asks for, or what its algorithm gives.
Precision findPrecision(mlir::Operation *op);

/// Multiplications and additions: two for each point of a contraction's iteration space, one for each element that an
/// elementwise op or a reduction computes with, those of the products in a kernel's decomposition, none for moving
/// data.
int64_t countFlops(mlir::Operation *op, const Rule &rule);

} // namespace partita::program

#endif
