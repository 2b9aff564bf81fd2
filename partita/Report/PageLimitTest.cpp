//===- PageLimitTest.cpp - what large pages leave out ---------------------===//

#include "partita/Report/PageLimit.h"
#include "partita/Report/HtmlPage.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

/// A plan whose data take some 100 kB: 40 in source lines, 60 in arguments.
PlanPicture makePicture(std::string name) {
  PlanPicture picture;
  picture.program = "f";
  picture.score.name = std::move(name);
  for (int64_t i = 0; i < 300; ++i) {
    SourceLine line;
    line.loc = std::string(60, 'x') + std::to_string(i);
    picture.lines.push_back(line);
    SpecLine spec;
    spec.name = std::string(120, 'y') + std::to_string(i);
    spec.wholeBytes = i;
    picture.specs.push_back(spec);
  }
  return picture;
}

size_t countBytes(llvm::ArrayRef<PlanPicture> plans) {
  size_t bytes = 0;
  for (const PlanPicture &plan : plans)
    bytes += printPicture(plan).size() + 1;
  return bytes;
}

TEST(PageLimit, LeavesSmallPagesAsTheyAre) {
  std::vector<PlanPicture> plans{makePicture("a"), makePicture("b")};
  std::vector<PlanPicture> limited = limitPictures(plans, countBytes(plans));
  EXPECT_EQ(countBytes(limited), countBytes(plans));
  EXPECT_TRUE(limited[1].remarks.empty());
}

TEST(PageLimit, LeavesOutDetailsOfTheLastPlanFirst) {
  std::vector<PlanPicture> plans{makePicture("a"), makePicture("b")};
  std::vector<PlanPicture> limited = limitPictures(plans, countBytes(plans) - 1);
  EXPECT_EQ(limited[0].lines.size(), 300u);
  EXPECT_EQ(limited[1].lines.size(), 30u);
  EXPECT_EQ(limited[1].specs.size(), 300u);
  EXPECT_TRUE(limited[0].remarks.empty());
  EXPECT_EQ(limited[1].remarks,
            std::vector<std::string>{"left out, to keep this page small: source lines but the most expensive"});
}

TEST(PageLimit, KeepsTheLargestArguments) {
  std::vector<PlanPicture> limited = limitPictures({makePicture("a")}, 30'000);
  ASSERT_EQ(limited[0].specs.size(), 60u);
  EXPECT_EQ(limited[0].specs.front().wholeBytes, 240);
  EXPECT_EQ(limited[0].specs.back().wholeBytes, 299);
}

TEST(PageLimit, LeavesOutWholePlansLast) {
  std::vector<PlanPicture> plans(100, makePicture("a"));
  std::vector<PlanPicture> limited = limitPictures(plans, 20'000);
  EXPECT_LE(countBytes(limited), 20'000u);
  EXPECT_GT(limited.size(), 10u);
  std::string left = std::to_string(100 - limited.size()) + " more plans";
  EXPECT_NE(limited[0].remarks[0].find(left), std::string::npos);
  EXPECT_EQ(limitPictures(plans, 1).size(), 1u);
}

TEST(PageLimit, HoldsForPages) {
  std::vector<PlanPicture> plans(40, makePicture("a"));
  EXPECT_GT(countBytes(plans), maxPageBytes);
  EXPECT_LE(printPage(plans).size(), maxPageBytes);
}

} // namespace
} // namespace partita::report
