//===- Math.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerMath(OpTable &) {}

} // namespace partita::evaluate
