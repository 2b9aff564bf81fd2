//===- CellNamesTest.cpp --------------------------------------------------===//

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

std::vector<uint32_t> match(const CellNames &names, llvm::StringRef text) {
  Result<Pattern> pattern = Pattern::parse(text, {});
  std::vector<uint32_t> found;
  if (pattern)
    for (CellId cell : names.match(*pattern))
      found.push_back(cell.get());
  return found;
}

using Cells = std::vector<uint32_t>;

TEST(CellNamesTest, ArgumentsHaveThreeNames) {
  PlanningFixture fixture(mlpGraph, "data=2");
  EXPECT_EQ(match(fixture.names, "params\\['layers'\\]\\[0\\]\\['w'\\]"), Cells{1});
  EXPECT_EQ(match(fixture.names, "params/layers/[0-9]/w"), (Cells{1, 2}));
  EXPECT_EQ(match(fixture.names, "arg2"), Cells{2});
  EXPECT_EQ(match(fixture.names, "result0"), Cells{6});
  EXPECT_EQ(match(fixture.names, "params/layers"), Cells{});
}

TEST(CellNamesTest, ATreeIsAllThatIsInIt) {
  PlanningFixture fixture(mlpGraph, "data=2");
  EXPECT_EQ(fixture.names.findNearest("params"), "params/.*");
  EXPECT_EQ(fixture.names.findNearest("params['layers']"), "params/layers/.*");
  EXPECT_EQ(fixture.names.findNearest("layers"), ".*/layers/.*");
}

TEST(CellNamesTest, InnerValuesMatchOnlyIfNoArgumentDoes) {
  PlanningFixture fixture(mlpGraph, "data=2");
  EXPECT_EQ(match(fixture.names, ".*"), (Cells{0, 1, 2, 6}));
  EXPECT_EQ(match(fixture.names, ".*dot#.*"), (Cells{3, 5}));
  EXPECT_EQ(match(fixture.names, "m.py:3#1"), Cells{4});
  EXPECT_EQ(match(fixture.names, "m.py:4#0"), Cells{5});
}

TEST(CellNamesTest, FilesGoWithoutTheirFolders) {
  std::string text = mlpGraph.str();
  for (size_t at = 0; (at = text.find("m.py", at)) != std::string::npos; at += 10)
    text.replace(at, 4, "/home/m.py");
  PlanningFixture fixture(text, "data=2");
  EXPECT_EQ(match(fixture.names, "m.py:3#1"), Cells{4});
  EXPECT_EQ(match(fixture.names, "/home/m.py:3#1"), Cells{4});
  EXPECT_EQ(match(fixture.names, "home/m.py:3#1"), Cells{});
}

TEST(CellNamesTest, ListsFindWhatExpressionsDo) {
  PlanningFixture fixture(mlpGraph, "data=2");
  // A list is looked up by name, an expression is matched with all names; (x|x){1} is no list.
  for (llvm::StringRef list :
       {"jit\\(f\\)/dot#1|jit\\(f\\)/dot#0", "m\\.py:3#1|jit\\(f\\)/dot#1", "none#0", "params/layers"}) {
    Cells found = match(fixture.names, list);
    EXPECT_EQ(found, match(fixture.names, "(" + list.str() + "){1}")) << list.str();
    EXPECT_TRUE(llvm::is_sorted(found));
  }
  EXPECT_EQ(match(fixture.names, "jit\\(f\\)/dot#1|jit\\(f\\)/dot#0"), (Cells{3, 5}));
  EXPECT_EQ(match(fixture.names, "m\\.py:3#1|jit\\(f\\)/dot#1"), (Cells{4, 5}));
}

TEST(CellNamesTest, NamesThatTwoCellsHaveAreNotUsed) {
  std::string text = mlpGraph.str();
  text.replace(text.find("params['layers'][1]['w']"), 24, "params['layers'][0]['w']");
  PlanningFixture fixture(text, "data=2");
  EXPECT_EQ(fixture.names.getName(CellId(0)), "batch['x']");
  EXPECT_EQ(fixture.names.getName(CellId(1)), "arg1");
  EXPECT_EQ(fixture.names.getName(CellId(2)), "arg2");
  EXPECT_EQ(fixture.names.find("arg2"), CellId(2));
  EXPECT_FALSE(fixture.names.find("params['layers'][0]['w']").isValid());
  EXPECT_EQ(fixture.names.getName(CellId(5)), "jit(f)/dot#1");
  EXPECT_EQ(fixture.names.find("jit(f)/dot#1"), CellId(5));
}

} // namespace
} // namespace partita::schedule
