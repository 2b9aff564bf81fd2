//===- NumpyTensor.h - converts between tensors and NumPy arrays ----------===//
//
// Arguments and results are stored in .npz files. These functions convert one
// array. Element types that NumPy does not have are raw bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_NUMPYTENSOR_H
#define PARTITA_EVALUATE_NUMPYTENSOR_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"
#include "partita/Support/Npz.h"

namespace partita::evaluate {

/// The tensor as an array. In exact mode, floats are stored as u8 (64-bit unsigned) and complex numbers get a last dim
/// of 2.
NumpyArray toNumpy(const Tensor &tensor, std::string name);

/// The array as a tensor of `type`. An error that names both types if they do not match. In exact mode floats become
/// ring elements (`ringFromDouble`), and arrays of u8 are taken as ring elements.
Result<Tensor> fromNumpy(const NumpyArray &array, mlir::RankedTensorType type, Mode mode, llvm::StringRef file);

} // namespace partita::evaluate

#endif
