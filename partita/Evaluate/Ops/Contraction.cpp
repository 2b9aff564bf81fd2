//===- Contraction.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerContraction(OpTable &) {}

} // namespace partita::evaluate
