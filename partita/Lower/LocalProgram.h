//===- LocalProgram.h - from a plan to the program of one device ----------===//
//
// Every op becomes the part that one device computes (its rule applied to local
// shapes). Every reshard becomes the collectives of its plan: reductions and
// slices right after the definition, others right before the first use of their
// group.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_LOCALPROGRAM_H
#define PARTITA_LOWER_LOCALPROGRAM_H

#include "partita/Cost/Plan.h"
#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::lower {

/// What one device runs.
struct LocalProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Numbers of donated arguments whose buffer no result can take under this plan.
  std::vector<unsigned> droppedDonors;
  /// Collectives that stay in their iterations, though the plan has them in others: the loop as it is lowered does not
  /// allow it.
  std::vector<ReshardId> refused;
};

/// The device-local program of `module`, which is in normal form and of which `flattened` is the flat program and
/// `plan` a plan. An error says which op cannot be lowered, and why.
Result<LocalProgram> lowerPlan(mlir::ModuleOp module, const Flattened &flattened, const Plan &plan);

/// The same for an assignment, its reshards, what of them runs in pieces and what is rotated, without verifying the
/// result.
Result<LocalProgram> lowerProgram(mlir::ModuleOp module, const Flattened &flattened, const Assignment &assignment,
                                  const Reshards &reshards, const ReshardPlanner &planner,
                                  const ProductPieces &pieces = {}, const std::set<ReshardId> &rotated = {});

} // namespace partita::lower

#endif
