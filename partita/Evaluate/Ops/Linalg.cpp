//===- Linalg.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerLinalg(OpTable &) {}

} // namespace partita::evaluate
