//===- RandomSharding.h - random shardings for a program ------------------===//
//
// Random programs carry shardings as a user would write them, on arguments,
// results and constraints.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMSHARDING_H
#define PARTITA_FUZZ_RANDOMSHARDING_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Machine/Mesh.h"

namespace partita::fuzz {

/// A sharding over `mesh`, the symbol @mesh, that divides `shape`: open and closed dims, several axes on one, parts of
/// axes, priorities, replicated axes.
sdy::TensorShardingAttr drawSharding(RandomChoice &random, const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                                     mlir::MLIRContext *context);

} // namespace partita::fuzz

#endif
