//===- RandomReorder.h - random dims that are put into another order ------===//

#ifndef PARTITA_FUZZ_RANDOMREORDER_H
#define PARTITA_FUZZ_RANDOMREORDER_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Machine/Mesh.h"
#include "partita/Program/Flatten.h"
#include "partita/Schedule/Schedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::fuzz {

/// For every other program in which parts lie side by side, dims of arguments that devices shall share part by part;
/// half of them stored so. The choice has random numbers of its own, so that other cases do not depend on it.
Result<std::optional<ReorderTactic>> drawReorder(uint64_t seed, const Mesh &mesh, mlir::ModuleOp module);

/// Reorders `module` as far as the tactic's parts are there: a case that is made smaller may have lost some.
Status applyDrawnReorder(mlir::ModuleOp module, const ReorderTactic &tactic);

} // namespace partita::fuzz

#endif
