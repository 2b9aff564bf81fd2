//===- TellingTest.cpp ----------------------------------------------------===//

#include "partita/Search/Telling.h"

#include "partita/Testing/RandomSpace.h"

#include <gtest/gtest.h>

using namespace partita::fixtures;

namespace partita::search {
namespace {

TEST(Telling, PlacesAreThoseOfTheUser) {
  EXPECT_EQ(shortenPlace("jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/rematted_computation/"
                         "attention/reshape#3"),
            "attention/reshape");
  EXPECT_EQ(shortenPlace("jit(step)/jvp(mlp)/dot_general#17"), "mlp/dot_general");
  EXPECT_EQ(shortenPlace("jit(step)/transpose(jvp(attention))/bgrts,bsgk->btgrk/dot_general#1"),
            "attention/dot_general");
  // Names of nested modules are cut to the innermost.
  EXPECT_EQ(shortenPlace("jit(f)/jvp(Model)/layers_0/attention/query/dot_general#0"), "attention/query/dot_general");
  EXPECT_EQ(shortenPlace("#4"), "#4");
}

/// Whatever the moves are, they take at most eight lines, each with an axis, and none says a name stack of JAX.
TEST(Telling, NeedsFewLines) {
  RandomNumbers random(5);
  size_t numLines = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    Colors colors = findColors(space.topology, findRepetition(space.topology), space.groups);
    Moves moves;
    for (int i = 0; i < 5; ++i)
      for (MoveId move : space.drawMoves(random))
        moves.push_back(move);
    std::vector<std::string> lines = tellMoves(moves, space.table, space.topology, colors, space.names);
    EXPECT_LE(lines.size(), 8u);
    EXPECT_FALSE(lines.empty());
    for (llvm::StringRef line : lines)
      EXPECT_TRUE(line.contains(" over ") || line.starts_with("and ")) << line.str();
    numLines += lines.size();
  }
  EXPECT_GT(numLines, 100u);
}

} // namespace
} // namespace partita::search
