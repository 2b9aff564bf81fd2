//===- OpKindTest.cpp - the kinds of ops against the dialects -------------===//

#include "partita/Graph/OpKind.h"
#include "partita/Dialect/AllDialects.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;

namespace partita::program {
namespace {

/// A spelling that no dialect has would leave its kind without ops, or slow functions with one less than 14.
TEST(OpKind, EachIsOneOpOfTheDialects) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::multiset<OpKind> found;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    found.insert(findOpKind(name.getStringRef()));
  // These are calls alone.
  std::set<OpKind> calls = {OpKind::Eigh, OpKind::Lu, OpKind::Qr, OpKind::Svd};
  for (unsigned kind = 1; kind <= unsigned(OpKind::TriangularSolve); ++kind)
    EXPECT_EQ(found.count(OpKind(kind)), calls.contains(OpKind(kind))           ? 0u
                                         : OpKind(kind) == OpKind::SlowFunction ? 14u
                                                                                : 1u)
        << kind;
}

} // namespace
} // namespace partita::program
