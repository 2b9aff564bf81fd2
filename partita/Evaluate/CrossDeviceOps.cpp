//===- CrossDeviceOps.cpp - evaluates ops on all devices together ---------===//

#include "partita/Evaluate/CrossDeviceOps.h"

namespace partita::evaluate {

static CrossDeviceOps buildCrossDeviceOps() {
  CrossDeviceOps table;
  registerControlFlow(table);
  registerCollectives(table);
  registerManualComputation(table);
  registerPartLoop(table);
  return table;
}

const CrossDeviceOps &getCrossDeviceOps() {
  // Built once, then const: safe to share between evaluations and threads.
  static const CrossDeviceOps table = buildCrossDeviceOps();
  return table;
}

} // namespace partita::evaluate
