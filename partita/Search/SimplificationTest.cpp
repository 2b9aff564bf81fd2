//===- SimplificationTest.cpp - moves that may be dropped -----------------===//

#include "partita/Search/Simplification.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::search;

namespace {

/// Each move reduces a time of a million, and memory if there is any.
class SumWalker : public Walker {
public:
  explicit SumWalker(std::vector<int64_t> gains, int64_t memory = 0) : gains(std::move(gains)), memory(memory) {}

  Evaluated evaluate(llvm::ArrayRef<MoveId> moves) override {
    Evaluated evaluated;
    evaluated.rating = {};
    evaluated.rating.parts[1] = 1'000'000;
    for (MoveId move : moves)
      evaluated.rating.parts[1] -= gains[move.get()];
    for (MoveId move : moves)
      evaluated.rating.parts[2] -= memory == 0 ? 0 : gains[move.get()];
    evaluated.rating.parts[2] += memory;
    // Move 0 makes it fit.
    evaluated.rating.parts[0] = llvm::is_contained(moves, MoveId(0)) ? 0 : 1;
    return evaluated;
  }

private:
  std::vector<int64_t> gains;
  int64_t memory;
};

Moves makeMoves(std::initializer_list<uint32_t> ids) {
  Moves moves;
  for (uint32_t id : ids)
    moves.push_back(MoveId(id));
  return moves;
}

} // namespace

TEST(Simplification, LeavesOutWhatBringsNothing) {
  SumWalker walker({0, 0, 5000});
  Allowance allowance{1, 0.0};
  EXPECT_EQ(simplifyMoves(walker, makeMoves({0, 1, 2}), allowance), makeMoves({0, 2}));
}

TEST(Simplification, LeavesOutWhatBringsNextToNothingInAll) {
  // Each of the last three is within the allowance of about 500, two together are not; later ones go first.
  SumWalker walker({0, 5000, 300, 300, 300});
  Allowance allowance{1, 0.0005};
  EXPECT_EQ(simplifyMoves(walker, makeMoves({0, 1, 2, 3, 4}), allowance), makeMoves({0, 1, 2, 3}));
}

TEST(Simplification, BecomesNoWorseThanTheCeiling) {
  SumWalker walker({0, 5000, 300});
  Allowance allowance{1, 0.0005};
  allowance.ceiling = {};
  allowance.ceiling.parts[1] = 1'000'000 - 5200;
  EXPECT_EQ(simplifyMoves(walker, makeMoves({0, 1, 2}), allowance), makeMoves({0, 1, 2}));
}

TEST(Simplification, KeepsWhatSavesMemory) {
  // Each reduces time by next to nothing and memory by as much, of which more than a hundredth counts.
  SumWalker walker({0, 200, 30}, 10'000);
  EXPECT_EQ(simplifyMoves(walker, makeMoves({0, 1, 2}), {1, 0.0005}), makeMoves({0, 1}));
}

TEST(Simplification, GivesUpNoEarlierGoal) {
  SumWalker walker({-400, 0});
  Allowance allowance{1, 0.0005};
  EXPECT_EQ(simplifyMoves(walker, makeMoves({0, 1}), allowance), makeMoves({0}));
}
