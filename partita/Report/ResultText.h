//===- ResultText.h - results of `partita eval` as text and as .npz -------===//

#ifndef PARTITA_REPORT_RESULTTEXT_H
#define PARTITA_REPORT_RESULTTEXT_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/Report/Rooms.h"

namespace partita::report {

/// The results as text, one per line: shape and type, a hash of the elements, the first elements.
std::string printResults(llvm::ArrayRef<DeviceValues> results);

/// The results as an .npz file: `result0`, ..., or `device0.result0`, ... for several devices.
Result<std::string> packResults(llvm::ArrayRef<DeviceValues> results);

} // namespace partita::report

#endif
