//===- OpKindTest.cpp -----------------------------------------------------===//

#include "partita/Graph/OpKind.h"

#include <gtest/gtest.h>

namespace partita::graph {
namespace {

TEST(OpKind, OneSpellingIsKnown) {
  EXPECT_EQ(findOpKind("stablehlo.reshape"), OpKind::Reshape);
  EXPECT_EQ(findOpKind("chlo.top_k"), OpKind::TopK);
  EXPECT_EQ(findOpKind("call.qr"), OpKind::Qr);
  EXPECT_EQ(findOpKind("call.cholesky"), OpKind::Cholesky);
  for (llvm::StringRef name : {"reshape", "chlo.reshape", "stablehlo.reshape__", "stablehlo.", "identity", ""})
    EXPECT_EQ(findOpKind(name), OpKind::Other) << name.str();
}

} // namespace
} // namespace partita::graph
