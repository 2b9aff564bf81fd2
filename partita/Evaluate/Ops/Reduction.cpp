//===- Reduction.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerReduction(OpTable &) {}

} // namespace partita::evaluate
