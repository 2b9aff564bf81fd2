//===- Evaluation.h - `partita eval` --------------------------------------===//

#ifndef PARTITA_DRIVER_EVALUATION_H
#define PARTITA_DRIVER_EVALUATION_H

#include "partita/Evaluate/Evaluator.h"

namespace partita {

/// The results as text, a line each: shape and type, a hash of the elements, the first of them.
std::string printResults(llvm::ArrayRef<evaluate::DeviceValues> results);

/// The results as an .npz file: `result0`, ..., or `device0.result0`, ... where there are several devices.
Result<std::string> packResults(llvm::ArrayRef<evaluate::DeviceValues> results);

} // namespace partita

#endif
