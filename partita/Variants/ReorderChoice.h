//===- ReorderChoice.h - which dims a search tries to reorder -------------===//
//
// A weight of [h, 3h] that computes queries, keys and values is split over its
// columns, and slices of what it computes move between devices. In another order
// of the columns nothing moves (Reorder/ReorderTactics.h). The choice is about
// dims of arguments in which parts lie side by side:
//
//   - all devices, or else those of the largest axis that can, share each part;
//   - what belongs to these dims is not small beside all arguments.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_REORDERCHOICE_H
#define PARTITA_VARIANTS_REORDERCHOICE_H

#include "partita/Machine/Mesh.h"
#include "partita/Program/Flatten.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Variants/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::variants {

/// One entry for each dim, by the first argument that has it; empty if they are small. `module` is the program that
/// `flattened` was made of.
std::vector<ReorderEntry> chooseReorder(mlir::ModuleOp module, const Flattened &flattened, const Mesh &mesh,
                                        const FlattenOptions &options);

} // namespace partita::variants

#endif
