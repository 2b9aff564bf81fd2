//===- Indexing.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerIndexing(OpTable &) {}

} // namespace partita::evaluate
