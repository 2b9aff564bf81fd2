//===- Random.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerRandom(OpTable &) {}

} // namespace partita::evaluate
