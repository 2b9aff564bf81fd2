//===- OpTable.cpp - registers evaluation functions by op -----------------===//

#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

static OpTable buildOpTable() {
  OpTable table;
  registerElementwise(table);
  registerBits(table);
  registerChoice(table);
  registerBroadcast(table);
  registerComplex(table);
  registerMath(table);
  registerConvert(table);
  registerPrecision(table);
  registerBitcast(table);
  registerNextAfter(table);
  registerShape(table);
  registerIndexing(table);
  registerContraction(table);
  registerConvolution(table);
  registerReduction(table);
  registerSort(table);
  registerLinalg(table);
  registerRandom(table);
  registerSpecial(table);
  registerIdentity(table);
  registerMap(table);
  registerPartSlice(table);
  return table;
}

const OpTable &getOpTable() {
  // Built once, then const: safe to share between searches and threads.
  static const OpTable table = buildOpTable();
  return table;
}

} // namespace partita::evaluate
