//===- Special.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerSpecial(OpTable &) {}

} // namespace partita::evaluate
