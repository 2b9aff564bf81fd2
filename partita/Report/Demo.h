//===- Demo.h - what import does to an embedded example -------------------===//

#ifndef PARTITA_REPORT_DEMO_H
#define PARTITA_REPORT_DEMO_H

#include "partita/Report/Rooms.h"
#include "partita/Support/Limits.h"

#include "mlir/IR/MLIRContext.h"

namespace partita::report {

/// The text of a two-layer network's training step as JAX lowers it, and the same in normal form.
Result<std::string> printDemo(mlir::MLIRContext &context, const Limits &limits);

} // namespace partita::report

#endif
