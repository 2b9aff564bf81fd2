//===- Shape.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerShape(OpTable &) {}

} // namespace partita::evaluate
