//===- Validation.h - `partita validate-rules` ----------------------------===//

#ifndef PARTITA_DRIVER_VALIDATION_H
#define PARTITA_DRIVER_VALIDATION_H

#include "partita/Driver/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita {

/// Checks the rule of every op of the program by execution; one line of JSON for each op instance in `text`. An error
/// with exit code 1 if a rule is wrong.
Status validateRules(mlir::ModuleOp module, const Options &options, std::string &text);

} // namespace partita

#endif
