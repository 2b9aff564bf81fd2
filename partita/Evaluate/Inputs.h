//===- Inputs.h - arguments from a seed or a file -------------------------===//
//
//   seed:7      numbers made from the seed 7: floats are integers from -4 to 4,
//               so that sums of them are exact in any order
//   file.npz    arrays; argument 3 is `arg3` or has the argument's own name,
//               `device2.arg3` is for device 2 alone
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_INPUTS_H
#define PARTITA_EVALUATE_INPUTS_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/Evaluate/Rooms.h"
#include "partita/Support/Limits.h"

namespace partita::evaluate {

/// Which floats are made from a seed.
enum class SeededFloats {
  /// Integers from -4 to 4, whose sums are exact in any order.
  Integers,
  /// Many different numbers in (0, 1/4], on which programs are well conditioned. Each may serve as a variance, say.
  Fractions,
};

/// The arguments of @main, for each device.
Result<std::vector<DeviceValues>> makeInputs(llvm::StringRef source, mlir::ModuleOp module,
                                             const EvaluatorOptions &options, const Limits &limits,
                                             SeededFloats floats = SeededFloats::Integers);

/// Small integers of `type`, the same for the same `seed` on every machine.
Tensor makeRandomTensor(mlir::RankedTensorType type, Mode mode, uint64_t seed);

} // namespace partita::evaluate

#endif
