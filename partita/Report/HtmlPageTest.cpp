//===- HtmlPageTest.cpp - pages, and what stands in them ------------------===//

#include "partita/Report/HtmlPage.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

/// The data of a page, and how often an element with data ends.
std::pair<llvm::StringRef, size_t> findData(llvm::StringRef page) {
  llvm::StringRef rest = page.split("id=\"partita-data\">").second;
  return {rest.split("</script>").first, rest.count("</script>")};
}

PlanPicture makePicture(std::string name) {
  PlanPicture picture;
  picture.program = std::move(name);
  picture.score.mesh = "data=2";
  return picture;
}

TEST(HtmlPage, NamesCannotEndTheElementOfTheData) {
  std::string name = "</script><script>alert(1)</script><!--";
  std::string page = printPage(makePicture(name));
  auto [data, numEnds] = findData(page);
  // The data's own end, and that of the program behind it.
  EXPECT_EQ(numEnds, 2u);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(data);
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->getAsObject()->getString("title"), name);
}

TEST(HtmlPage, WithoutAMachineThereAreNoTimes) {
  std::string page = printPage(makePicture("f"));
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(findData(page).first);
  ASSERT_TRUE(bool(json));
  const llvm::json::Object &plan = *(*json->getAsObject()->getArray("plans"))[0].getAsObject();
  EXPECT_EQ(plan.get("timeline"), nullptr);
  EXPECT_EQ(*plan.getObject("figures")->get("time_ps"), llvm::json::Value(nullptr));
}

TEST(HtmlPage, IsOneFileWithLicenses) {
  std::string page = printPage(makePicture("f"));
  EXPECT_LT(page.size(), 1'500'000u);
  EXPECT_NE(page.find("@observablehq/plot"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
}

TEST(PlanPicture, SpecsReadAsInPython) {
  Axes axes = makeAxes(Mesh{{{"data", 2}, {"model", 4}}});
  AxisId data(0), model(1);
  Sharding sharding(3);
  EXPECT_EQ(printPartitionSpec(axes, sharding), "P()");
  sharding.dims[1] = {data, model};
  EXPECT_EQ(printPartitionSpec(axes, sharding), "P(None, ('data', 'model'))");
  sharding.dims[1] = {model};
  sharding.dims[2] = {data};
  EXPECT_EQ(printPartitionSpec(axes, sharding), "P(None, 'model', 'data')");
}

TEST(PlanPicture, ThinnedPointsKeepTheFront) {
  std::vector<EvaluatedPoint> points;
  for (int64_t i = 0; i < 1000; ++i)
    points.push_back({1000 + i, 1000 + (i * 7919) % 997});
  points.push_back({1500, 1});
  points.push_back({1, 5000});
  points.push_back({1, 5000});
  std::vector<EvaluatedPoint> thin = thinPoints(points, 100);
  EXPECT_EQ(thin.size(), 100u);
  EXPECT_TRUE(llvm::is_contained(thin, EvaluatedPoint{1500, 1}));
  EXPECT_TRUE(llvm::is_contained(thin, EvaluatedPoint{1, 5000}));
  EXPECT_EQ(thinPoints(points, 5000).size(), 1002u);
}

} // namespace
} // namespace partita::report
