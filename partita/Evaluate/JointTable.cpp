//===- JointTable.cpp - ops that concern several devices at once ----------===//

#include "partita/Evaluate/JointTable.h"

namespace partita::evaluate {

static JointTable buildJointTable() {
  JointTable table;
  registerControlFlow(table);
  registerCollectives(table);
  registerManualComputation(table);
  registerPartLoop(table);
  return table;
}

const JointTable &getJointTable() {
  // Built once, then const: safe to share between evaluations and threads.
  static const JointTable table = buildJointTable();
  return table;
}

} // namespace partita::evaluate
