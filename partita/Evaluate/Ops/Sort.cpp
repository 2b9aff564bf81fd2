//===- Sort.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerSort(OpTable &) {}

} // namespace partita::evaluate
