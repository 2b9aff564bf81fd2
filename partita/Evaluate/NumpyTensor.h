//===- NumpyTensor.h - tensors as NumPy's arrays, and back ----------------===//

#ifndef PARTITA_EVALUATE_NUMPYTENSOR_H
#define PARTITA_EVALUATE_NUMPYTENSOR_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"
#include "partita/Support/Npz.h"

namespace partita::evaluate {

/// The elements as NumPy has them; ring elements are u8, complex ones with a last dim of 2.
NumpyArray toNumpy(const Tensor &tensor, std::string name);

/// The array as a tensor of `type`; an error, which tells both types, if it is none. In ring mode floats become ring
/// elements, and arrays of u8 are taken for such.
Result<Tensor> fromNumpy(const NumpyArray &array, mlir::RankedTensorType type, Mode mode, llvm::StringRef file);

} // namespace partita::evaluate

#endif
