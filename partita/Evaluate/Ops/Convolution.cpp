//===- Convolution.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerConvolution(OpTable &) {}

} // namespace partita::evaluate
