//===- CaseRewrites.h - rewrites of a case's program ----------------------===//
//
// What is planned is the program of a case rewritten: values are recomputed, the
// batch is cut into microbatches, or layers run in stages; then dims are made
// longer, and then some are put into another order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CASEREWRITES_H
#define PARTITA_FUZZ_CASEREWRITES_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Padding/PadProgram.h"

namespace partita::fuzz {

/// The program that is planned.
struct RewrittenCase {
  /// Null if nothing rewrote the program.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool isCut = false;
  /// Those of a pipeline, before the drawn ones.
  std::vector<Tactic> tactics = {};
  /// Of the padded program; none if parts of it are in another order.
  PaddedElements elements = PaddedElements();
};

/// One program in six is cut. The choice has random numbers of its own, so that other cases do not depend on it.
DrawnMicrobatches drawMicrobatches(uint64_t seed, const Graph &graph);

/// Half of the classes of every other program that has some, each recomputed or kept as it can be.
RematRequest drawRemat(uint64_t seed, mlir::ModuleOp module, const Flattened &flattened);

/// Makes dims of the program, of which others may have rewritten a copy, longer.
Status padCase(const Case &input, RewrittenCase &rewritten);

/// Puts dims into another order, behind the padding.
Status reorderCase(const Case &input, RewrittenCase &rewritten);

/// All rewrites.
Result<RewrittenCase> rewriteCase(const Case &input);

} // namespace partita::fuzz

#endif
