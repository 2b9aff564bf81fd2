//===- Convert.cpp ===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

void registerConvert(OpTable &) {}

} // namespace partita::evaluate
