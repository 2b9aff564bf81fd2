//===- UnevenTilesTest.cpp ------------------------------------------------===//

#include "partita/Padding/UnevenTiles.h"

#include "partita/Testing/PlanningFixture.h"

#include <gtest/gtest.h>

namespace partita::padding {
namespace {

/// `params['w'] 0 4` for each dim that has to be longer, and by what it divides. The graph has x of 8 x 4 and weights
/// of 4 x 6 and 6 x 4.
std::vector<std::string> find(llvm::StringRef tactic) {
  fixtures::PlanningFixture fixture(fixtures::mlpGraph, "data=4,model=5");
  Result<Schedule> schedule = readSchedule(R"({"tactics": [)" + tactic.str() + "]}", "s.json");
  EXPECT_TRUE(bool(schedule)) << schedule.error().str();
  PlanSource source;
  source.schedule = std::move(*schedule);
  std::vector<std::string> found;
  for (const PadEntry &entry : findUnevenTiles(fixture.graph, source, *parseMesh("data=4,model=5")))
    for (CellId cell : fixture.names.match(entry.pattern))
      found.push_back(fixture.names.getName(cell) + " " + std::to_string(entry.dim) + " " +
                      std::to_string(entry.multiple));
  return found;
}

using Found = std::vector<std::string>;

TEST(UnevenTiles, ADimThatIsNamedIsPadded) {
  EXPECT_EQ(find(R"({"axis": "data", "tile": [["params/layers/0/w", 1]]})"), Found{"params['layers'][0]['w'] 1 4"});
  EXPECT_EQ(find(R"({"axis": "data", "tile": [["params/layers/0/w", 0]]})"), Found());
}

TEST(UnevenTiles, FirstDivisibleTakesADimThatDividesOrNone) {
  // 4 divides 4 of 6 x 4; 5 divides none of 4 and 6.
  EXPECT_EQ(find(R"({"axis": "data", "tile": [["params/.*", "first_divisible"]]})"), Found());
  EXPECT_EQ(find(R"({"axis": "model", "tile": [["params/.*", "first_divisible"]]})"), Found());
}

TEST(UnevenTiles, OfSeveralDimsOneThatDividesIsPreferred) {
  EXPECT_EQ(find(R"({"axis": "data", "tile": [["params/layers/1/w", [0, 1]]]})"), Found());
  EXPECT_EQ(find(R"({"axis": "model", "tile": [["params/layers/1/w", [0, 1]]]})"),
            Found{"params['layers'][1]['w'] 0 5"});
  EXPECT_EQ(find(R"({"axis": "model", "tile": [["params/layers/1/w", [1, 0]]]})"),
            Found{"params['layers'][1]['w'] 1 5"});
}

TEST(UnevenTiles, OptionalTacticsNeverPad) {
  EXPECT_EQ(find(R"({"axis": "data", "tile": [["params/layers/0/w", 1]], "optional": true})"), Found());
}

} // namespace
} // namespace partita::padding
