//===- DimOrdersTest.cpp - in which order dims lie in memory --------------===//

#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// s = a b, transposed from [x, y, z] to [z, y, x]; p = exp(s); v p over x; o p over z and y.
constexpr llvm::StringLiteral products = R"json({"partita_graph": 1, "program": {"name": "products", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 8], "name": "a"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 2, 3], "name": "b", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [5, 4], "name": "v", "number": 2},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [5, 3, 2], "name": "o", "number": 3},
  {"bits": 32, "type": "f32", "shape": [4, 2, 3]}, {"bits": 32, "type": "f32", "shape": [3, 2, 4]},
  {"bits": 32, "type": "f32", "shape": [3, 2, 4]}, {"bits": 32, "type": "f32", "shape": [5, 3, 2]},
  {"bits": 32, "type": "f32", "shape": [5, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [5, 3, 2]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [5, 4], "number": 1}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [4],
   "rule": "([x,k],[k,y,z])->([x,y,z]) reduce(add)={k}"},
  {"kind": "stablehlo.transpose", "class": "movement", "operands": [4], "results": [5], "rule": "([x,y,z])->([z,y,x])"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [5], "results": [6],
   "rule": "([z,y,x])->([z,y,x])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [2, 6], "results": [7],
   "rule": "([d,x],[z,y,x])->([d,z,y]) reduce(add)={x}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [3, 6], "results": [8],
   "rule": "([d,z,y],[z,y,x])->([d,x]) reduce(add)={z,y}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [7], "results": [9],
   "rule": "([a,b,c])->([a,b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [8], "results": [10],
   "rule": "([a,b])->([a,b])"}]}
)json";

TEST(DimOrders, ProductsCopyWhatLiesInAnotherOrder) {
  CostFixture fixture(products, "data=2");
  const DimOrders &orders = fixture.model.getFusion().getOrders();
  // p lies as x, y, z. The first product asks for x, z, y, and p is made so; the second one asks for z, y, x.
  EXPECT_FALSE(orders.isCopied(UseId(5)));
  EXPECT_TRUE(orders.isCopied(UseId(7)));
  EXPECT_TRUE(orders.hasCopies(OpId(4)));
  EXPECT_FALSE(orders.hasCopies(OpId(3)));
  // Arguments 128 + 192 + 80 + 120; p, its copy, and both results.
  EXPECT_EQ(fixture.evaluate().peakBytes, 520 + 96 + 96 + 120 + 80);
}

/// The same, sizes apart: p lies as x, y, z, and the second product takes it with the three of x innermost.
TEST(DimOrders, CopiesThatAreNotMadeOfTilesScatter) {
  std::string text = products.str();
  auto resize = [&](llvm::StringRef from, llvm::StringRef to) {
    size_t found = 0;
    while ((found = text.find(from.str(), found)) != std::string::npos) {
      text.replace(found, from.size(), to.str());
      found += to.size();
    }
  };
  resize("[8, 2, 3]", "[8, 64, 32]");
  resize("[5, 3, 2]", "[5, 32, 64]");
  resize("[4, 2, 3]", "[4, 64, 32]");
  resize("[3, 2, 4]", "[32, 64, 4]");
  CostFixture fixture(text, "data=2");
  const DimOrders &orders = fixture.model.getFusion().getOrders();
  EXPECT_TRUE(orders.isScattered(UseId(7)));
  EXPECT_FALSE(orders.isScattered(UseId(5)));
  // Of few elements a tile has all.
  CostFixture few(products, "data=2");
  EXPECT_FALSE(few.model.getFusion().getOrders().isScattered(UseId(7)));
}

/// One loop fills a stack with transposes of w, another one reads it.
constexpr llvm::StringLiteral loops = R"json({"partita_graph": 1, "program": {"name": "loops", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4},
            {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [2, 8], "name": "w"},
  {"bits": 32, "type": "f32", "shape": [4, 8, 2]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 8, 2], "region": 1},
  {"bits": 32, "type": "f32", "shape": [8, 2], "region": 1},
  {"bits": 32, "type": "f32", "shape": [1, 8, 2], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 8, 2], "region": 1},
  {"bits": 32, "type": "f32", "shape": [8, 2]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [8, 2], "region": 2},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 8, 2], "region": 2, "number": 1},
  {"bits": 32, "type": "f32", "shape": [1, 8, 2], "region": 2},
  {"bits": 32, "type": "f32", "shape": [8, 2], "region": 2},
  {"bits": 32, "type": "f32", "shape": [8, 2], "region": 2},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 2]}],
"ops": [
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [1], "rule": "()->([l,a,b])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [1], "results": [2],
   "rule": "([l,a,b])->([l,a,b])"},
  {"kind": "stablehlo.transpose", "class": "movement", "operands": [0], "results": [3], "region": 1,
   "rule": "([b,a])->([a,b])"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [3], "results": [4], "region": 1,
   "rule": "([a,b])->([_,a,b])"},
  {"kind": "stablehlo.dynamic_update_slice", "class": "indexing", "operands": [2, 4], "results": [5], "region": 1,
   "rule": "([l,a,b],[_,a,b])->([l,a,b]) replicate={l}"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [5], "results": [2], "region": 1,
   "rule": "([l,a,b])->([l,a,b])"},
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [6], "rule": "()->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [6], "results": [7], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [2], "results": [8],
   "rule": "([l,a,b])->([l,a,b])"},
  {"kind": "stablehlo.dynamic_slice", "class": "indexing", "operands": [8], "results": [9], "region": 2,
   "rule": "([l,a,b])->([_,a,b]) replicate={l}"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [9], "results": [10], "region": 2,
   "rule": "([_,a,b])->([a,b])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [7, 10], "results": [11], "region": 2,
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [11], "results": [7], "region": 2,
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [7], "results": [12],
   "rule": "([a,b])->([a,b])"}]}
)json";

TEST(DimOrders, StacksAreTurnedBetweenLoops) {
  CostFixture fixture(loops, "data=2");
  EXPECT_TRUE(fixture.model.getFusion().getOrders().isRelaid(CellId(8)));
  EXPECT_FALSE(fixture.model.getLifetimes().isUnchanged(CellId(8)));
  // At the second loop's entry: w, what that loop sums up, the stack and its copy.
  Cost turned = fixture.evaluate();
  EXPECT_EQ(turned.peakBytes, 64 + 64 + 256 + 256);
  // A stack that lies as its dims is the same buffer in both loops.
  std::string text(loops);
  text.replace(text.find("stablehlo.transpose"), 19, "stablehlo.reshape");
  CostFixture plain(text, "data=2");
  EXPECT_FALSE(plain.model.getFusion().getOrders().isRelaid(CellId(8)));
  EXPECT_EQ(plain.evaluate().peakBytes, 64 + 64 + 256);
  // The copy reads and writes 256.
  EXPECT_EQ(turned.computePs - plain.evaluate().computePs, 512);
}

/// A loop stacks k = exp(w), of which it takes a product with q for each b, and returns the stack.
constexpr llvm::StringLiteral filled = R"json({"partita_graph": 1, "program": {"name": "filled", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [2, 3, 4], "name": "w"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [5, 3, 4], "name": "q", "number": 1},
  {"bits": 32, "type": "f32", "shape": [4, 2, 3, 4]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 2, 3, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [3, 5, 2]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [3, 5, 2], "region": 1, "number": 1},
  {"bits": 32, "type": "f32", "shape": [2, 3, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [1, 2, 3, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 2, 3, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [3, 5, 2], "region": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 2, 3, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [3, 5, 2], "number": 1}],
"ops": [
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [2], "rule": "()->([l,a,b,c])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [2], "results": [3],
   "rule": "([l,a,b,c])->([l,a,b,c])"},
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [4], "rule": "()->([b,d,a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [4], "results": [5],
   "rule": "([b,d,a])->([b,d,a])"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [0], "results": [6], "region": 1,
   "rule": "([a,b,c])->([a,b,c])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [1, 6], "results": [9], "region": 1,
   "rule": "([d,b,c],[a,b,c])->([b,d,a]) reduce(add)={c}"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [6], "results": [7], "region": 1,
   "rule": "([a,b,c])->([_,a,b,c])"},
  {"kind": "stablehlo.dynamic_update_slice", "class": "indexing", "operands": [3, 7], "results": [8], "region": 1,
   "rule": "([l,a,b,c],[_,a,b,c])->([l,a,b,c]) replicate={l}"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [8], "results": [3], "region": 1,
   "rule": "([l,a,b,c])->([l,a,b,c])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [9], "results": [5], "region": 1,
   "rule": "([b,d,a])->([b,d,a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [10],
   "rule": "([l,a,b,c])->([l,a,b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [11],
   "rule": "([b,d,a])->([b,d,a])"}]}
)json";

TEST(DimOrders, AFilledStackLiesAsTheProductAsks) {
  CostFixture fixture(filled, "data=2");
  const DimOrders &orders = fixture.model.getFusion().getOrders();
  // The product takes k as b, c, a; the dim that the loop fills is outside.
  EXPECT_EQ(orders.getOrder(CellId(3)), llvm::ArrayRef<uint8_t>({0, 2, 3, 1}));
  // So what is returned is a copy. There: w 96 and q 240, the stack 384 and its copy, and 120.
  EXPECT_TRUE(fixture.model.getLifetimes().isCopied(OpId(10)));
  EXPECT_EQ(fixture.evaluate().peakBytes, 96 + 240 + 384 + 384 + 120);
}

} // namespace
} // namespace partita::cost
