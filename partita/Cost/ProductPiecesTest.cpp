//===- ProductPiecesTest.cpp - what may run in pieces, and how it counts --===//

#include "partita/Cost/ProductPieces.h"

#include "partita/Testing/PieceFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

const PiecedCollective gather{false, "rows", "hidden"}, scatter{true, "out", ""};

/// `rows over 2: op 1, dim 0 of operand 0`, for each in turn.
std::string print(const PieceFixture &fixture) {
  std::string text;
  for (const PiecedReshard &pieced : fixture.findAll()) {
    text += fixture.program.names.getName(fixture.plan->reshards[pieced.reshard].cell);
    text += pieced.isScatter ? " scattered" : pieced.isWhole ? " gathered, also whole," : " gathered";
    text += " over " + std::to_string(pieced.parts) + ":";
    for (const PiecedProduct &product : pieced.products)
      text += " op " + std::to_string(product.op.get()) + ", dim " + std::to_string(product.operandDim) +
              " of operand " + std::to_string(product.operand) + ", dim " + std::to_string(product.dim) + ";";
  }
  return text;
}

TEST(ProductPiecesTest, RowsThatProductsTakeAndSumsThatTheyGive) {
  EXPECT_EQ(print(PieceFixture("m=2")), "rows gathered over 2: op 1, dim 0 of operand 0, dim 0;"
                                        "out scattered over 2: op 3, dim 0 of operand 0, dim 0;");
  EXPECT_EQ(print(PieceFixture("d=2,m=4")), "rows gathered over 4: op 1, dim 0 of operand 0, dim 0;"
                                            "out scattered over 4: op 3, dim 0 of operand 0, dim 0;");
}

TEST(ProductPiecesTest, RowsMayBeThoseOfTheSecondOperand) {
  // The rows of `rows` are split, and w is gathered for the first product along its columns.
  EXPECT_EQ(print(PieceFixture("m=2", R"({"tactics": [{"axis": "m", "tile": [["rows", 0]]},
                                                      {"axis": "m", "tile": [["w", 1]]}]})")),
            "w gathered over 2: op 1, dim 1 of operand 1, dim 1;");
}

TEST(ProductPiecesTest, NeitherContractedDimsNorWholeSums) {
  // Columns of `rows` are contracted.
  EXPECT_EQ(print(PieceFixture("m=2", R"({"tactics": [{"axis": "m", "tile": [["w", 1]]},
                                                      {"axis": "m", "tile": [["x", 1]]}]})")),
            "");
  // The sums stay whole: an all_reduce.
  EXPECT_EQ(print(PieceFixture("m=2", R"({"tactics": [{"axis": "m", "tile": [["w", 1]]}]})")), "");
}

TEST(ProductPiecesTest, NoMoreThanEightPieces) {
  EXPECT_EQ(mostPieces, 8);
  EXPECT_EQ(print(PieceFixture("m=16")), "");
}

/// Over two axes, the rows cut along `first` before `second`.
std::string printOverTwo(llvm::StringRef first, llvm::StringRef second, llvm::StringRef mesh) {
  std::string columns, rows;
  for (llvm::StringRef axis : {first, second}) {
    columns += (R"({"axis": ")" + axis + R"(", "tile": [["w", 1]]},)").str();
    rows += (R"(, {"axis": ")" + axis + R"(", "tile": [["x", 0]]})").str();
  }
  return print(PieceFixture(mesh, R"({"tactics": [)" + llvm::StringRef(columns).drop_back().str() + rows + "]}"));
}

TEST(ProductPiecesTest, TwoAxesThatAreOneDigitOfTheDevice) {
  EXPECT_EQ(printOverTwo("a", "b", "a=2,b=2"), "rows gathered over 4: op 1, dim 0 of operand 0, dim 0;");
  // An axis lies between, or they are the other way around.
  EXPECT_EQ(printOverTwo("a", "b", "a=2,c=2,b=2"), "");
  EXPECT_EQ(printOverTwo("b", "a", "a=2,b=2"), "");
}

/// A loop carries `rows` and multiplies them by w. They begin as x times x, or as one number everywhere.
std::string printCarried(llvm::StringRef beginning, llvm::StringRef shape) {
  std::string graph = R"json({"partita_graph": 1, "program": {"name": "loop", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "w"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": )json" +
                      shape.str() + R"json(, "name": "x", "number": 1},
  {"bits": 32, "type": "f32", "shape": [16, 8], "name": "begin"},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [16, 8], "region": 1, "name": "rows"},
  {"bits": 32, "type": "f32", "shape": [16, 16], "region": 1, "name": "hidden"},
  {"bits": 32, "type": "f32", "shape": [16, 8], "region": 1, "name": "next"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16, 8], "name": "result"}],
"ops": [)json" + beginning.str() +
                      R"json(,
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [2], "results": [3],
   "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 4096, "operands": [3, 0], "results": [4],
   "region": 1, "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.negate", "class": "elementwise", "operands": [3], "results": [5], "region": 1,
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [5], "results": [3], "region": 1,
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [6],
   "rule": "([a,b])->([a,b])"}]})json";
  return print(PieceFixture(
      "m=2", R"({"tactics": [{"axis": "m", "tile": [["w", 1]]}, {"axis": "m", "tile": [["rows", 0]]}]})", graph));
}

TEST(ProductPiecesTest, RowsThatALoopMayKeepEqualAreNotTakenApart) {
  llvm::StringLiteral product = R"json({"kind": "stablehlo.multiply", "class": "elementwise", "operands": [1, 1],
    "results": [2], "rule": "([a,b],[a,b])->([a,b])"})json";
  llvm::StringLiteral number = R"json({"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [1],
    "results": [2], "rule": "([])->([a,b])"})json";
  EXPECT_EQ(printCarried(product, "[16, 8]"), "rows gathered over 2: op 2, dim 0 of operand 0, dim 0;");
  EXPECT_EQ(printCarried(number, "[]"), "");
}

TEST(ProductPiecesTest, CountsPermutesInPlaceOfCollectives) {
  PieceFixture fixture("m=4");
  auto count = [&](std::vector<PiecedCollective> pieced) {
    Result<PlanPtr> plan = fixture.buildWith(std::move(pieced));
    EXPECT_TRUE(plan);
    return countCollectives((*plan)->assignment, (*plan)->planner, (*plan)->reshards, (*plan)->pieces);
  };
  const llvm::SmallVector<AxisId, 2> m{AxisId(0)};
  // 512 bytes, of which a device has a quarter.
  CollectiveCount gathered{CollectiveKind::AllGather, m, 1, 512, 384};
  CollectiveCount scattered{CollectiveKind::ReduceScatter, m, 1, 512, 384};
  EXPECT_EQ(count({}), (std::vector{gathered, scattered}));
  CollectiveCount three{CollectiveKind::CollectivePermute, m, 3, 384, 384};
  CollectiveCount six{CollectiveKind::CollectivePermute, m, 6, 768, 768};
  std::vector<CollectiveCount> counted = count({gather});
  EXPECT_TRUE(llvm::is_contained(counted, three) && llvm::is_contained(counted, scattered) && counted.size() == 2);
  EXPECT_EQ(count({gather, scatter}), std::vector{six});
}

TEST(ProductPiecesTest, NamesAreFoundAgain) {
  PieceFixture fixture("m=2");
  std::vector<PiecedCollective> named;
  for (const PiecedReshard &pieced : fixture.findAll())
    named.push_back(describePieces(pieced, fixture.plan->reshards, fixture.graph, fixture.program.names));
  ASSERT_EQ(named.size(), 2u);
  EXPECT_TRUE(named[0].isSame(gather) && named[1].isSame(scatter));
  Result<PlanPtr> plan = fixture.buildWith(named);
  ASSERT_TRUE(plan);
  const ProductPieces &pieces = (*plan)->pieces;
  ASSERT_EQ(pieces.getList().size(), 2u);
  for (const PiecedReshard &pieced : pieces.getList()) {
    EXPECT_EQ(pieces.find(pieced.reshard), &pieced);
    EXPECT_EQ(pieces.find(pieced.products[0].op)->first, &pieced);
  }
  EXPECT_FALSE(pieces.find(OpId(0)));
}

TEST(ProductPiecesTest, WhatIsNoSuchCollectiveIsRefused) {
  PieceFixture fixture("m=2");
  auto refuse = [&](const PiecedCollective &named) {
    Result<PlanPtr> plan = fixture.buildWith({named});
    return plan ? "" : plan.error().str();
  };
  EXPECT_NE(refuse({false, "rose", "hidden"}).find("the program has no value 'rose'"), std::string::npos);
  EXPECT_NE(refuse({false, "rows", "active"}).find("no products take rows of 'rows', gathered before 'active'"),
            std::string::npos);
  EXPECT_NE(refuse({true, "hidden", ""}).find("the sums of 'hidden' are not scattered along rows of its product"),
            std::string::npos);
  Result<PlanPtr> twice = fixture.buildWith({gather, gather});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().str().find("in pieces that no other entry has"), std::string::npos);
}

} // namespace
