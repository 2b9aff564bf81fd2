//===- OptionTableTest.cpp ------------------------------------------------===//

#include "partita/Support/OptionTable.h"

#include "partita/Support/Limits.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

struct Sample {
  Limits limits;
  int64_t budget = 0;
  bool loud = false;
  std::string output;
  std::string stage = "all";

  void visitOptions(OptionVisitor &visitor) {
    limits.visitOptions(visitor);
    visitor.integer({"budget", "states", "How many"}, budget, 1, std::numeric_limits<int64_t>::max());
    visitor.toggle({"loud", "", "Says more"}, loud);
    visitor.text({"output", "path", "Where to write"}, output);
    visitor.choice({"stage", "", "What to do"}, stage, {"some", "all"});
  }

  std::string parse(const std::vector<std::string> &arguments) {
    Status error = parseFlags(arguments, [&](OptionVisitor &v) { visitOptions(v); }, positional);
    return error ? error->reason : "";
  }

  std::vector<std::string> positional;
};

TEST(OptionTableTest, ReadsBothFormsAndPositionals) {
  Sample sample;
  EXPECT_EQ(sample.parse({"a", "--max-ops", "7", "--loud", "--stage=some", "-o", "x", "--", "--b"}), "");
  EXPECT_EQ(sample.limits.maxOps, 7);
  EXPECT_TRUE(sample.loud);
  EXPECT_EQ(sample.stage, "some");
  EXPECT_EQ(sample.output, "x");
  EXPECT_EQ(sample.positional, (std::vector<std::string>{"a", "--b"}));
}

TEST(OptionTableTest, RejectsWhatIsWrong) {
  EXPECT_EQ(Sample().parse({"--nope"}), "unknown option --nope");
  EXPECT_EQ(Sample().parse({"--max-ops"}), "--max-ops needs a value");
  EXPECT_EQ(Sample().parse({"--max-ops", "--output=x"}), "--max-ops needs a value");
  EXPECT_EQ(Sample().parse({"--max-depth=x"}), "--max-depth expects a whole number from 1 to 10000, not 'x'");
  EXPECT_EQ(Sample().parse({"--max-depth=10001"}), "--max-depth expects a whole number from 1 to 10000, not '10001'");
  EXPECT_EQ(Sample().parse({"--budget=10s"}), "--budget expects a whole number, 1 or more, not '10s'");
  EXPECT_EQ(Sample().parse({"--loud=1"}), "--loud takes no value");
  EXPECT_EQ(Sample().parse({"--stage=none"}), "--stage expects one of some, all, not 'none'");
  EXPECT_EQ(Sample().parse({"-o"}), "--output needs a value");
}

} // namespace
} // namespace partita
