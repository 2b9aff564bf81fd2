//===- OverviewTest.cpp - the lines of an overview ------------------------===//

#include "partita/Report/Overview.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

OverviewArgument makeArgument(GroupKind kind, std::string name, std::string spec, int64_t localBytes, int64_t bytes) {
  OverviewArgument argument;
  argument.kind = kind;
  argument.name = std::move(name);
  argument.spec = std::move(spec);
  argument.count = 1;
  argument.localBytes = localBytes;
  argument.bytes = bytes;
  return argument;
}

Overview makeOverview() {
  Overview overview;
  overview.strategy = "batch over data";
  overview.arguments = {makeArgument(GroupKind::Parameter, "params['w']", "P('data')", 1000, 4000),
                        makeArgument(GroupKind::OptimizerState, "mu['w']", "P('data')", 1000, 4000),
                        makeArgument(GroupKind::Input, "x", "P()", 500, 500)};
  overview.arguments[1].isAsParameter = true;
  return overview;
}

Score makeScore() {
  Score score;
  score.name = "jit_step";
  score.mesh = "data=4";
  score.collectives.push_back({"all_gather", {"data"}, 2, 8000, 6000, std::nullopt});
  return score;
}

TEST(Overview, WithoutAMachineItHasNoFigures) {
  EXPECT_EQ(printOverview(makeOverview(), makeScore(), /*isLong=*/false), R"(jit_step on data=4
strategy: batch over data

  argument         sharding           bytes per device
  params['w']      P('data')          1.00 kB of 4.00 kB
  optimizer state  as its parameters  1.00 kB of 4.00 kB
  x                P()                500 B

  collectives   2 x all_gather over data, 8.00 kB
)");
}

/// Each moment has a line of its own then.
TEST(Overview, DetailsHaveAllArguments) {
  std::string text = printOverview(makeOverview(), makeScore(), /*isLong=*/true);
  EXPECT_NE(text.find("\n  mu['w']      P('data')  1.00 kB of 4.00 kB\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("as its parameters"), std::string::npos) << text;
}

TEST(Overview, FiguresAndRows) {
  Overview overview = makeOverview();
  overview.memory = {{"parameters", 1000}, {"gradients", 0}, {"activations", 8000}, {"inputs", 100}};
  overview.compared = {{"expert", "BP(data)+Z3(data)", 3000000, 12000},
                       {"runner-up", "without batch over data", 2500000, 9000},
                       {"unsplit", "nothing split", 8000000, 20000}};
  overview.notes = {"a note"};
  Score score = makeScore();
  score.machine = "box:1x4";
  score.prices.emplace();
  score.prices->timePs = 2000000;
  score.prices->computePs = 1500000;
  score.prices->exposedCommunicationPs = 500000;
  score.prices->mfu = 0.25;
  score.prices->lowerBoundPs = 1900000;
  score.prices->peakBytes = 9100;
  score.prices->limitBytes = 10000;
  std::string text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_EQ(text.substr(text.find("\n  time")), R"(
  time          2.00 us: compute 1.50 us, exposed communication 500.0 ns; 25.0% of the peak flops (MFU)
  peak memory   9.10 kB per device, of 10.0 kB: fits
                parameters 1.00 kB, activations 8.00 kB
  collectives   2 x all_gather over data, 8.00 kB

  compared with                             time   peak memory
  this plan                              2.00 us       9.10 kB
  expert: BP(data)+Z3(data)              3.00 us       12.0 kB  does not fit
  runner-up: without batch over data     2.50 us       9.00 kB
  nothing split                          8.00 us       20.0 kB  does not fit
  BP: batch; Z3: ZeRO-3
  no plan of this program is faster than 1.90 us: this one is at most 5.0% from the best
  a note
)");
  // The bound is not of the program as it was given.
  overview.memoryActions = {"4 microbatches"};
  text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_NE(text.find("\n  no plan of the program so rewritten is faster than 1.90 us: "), std::string::npos) << text;
  score.prices->lowerBoundPs = score.prices->timePs;
  text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_NE(text.find("\n  no plan of the program so rewritten is faster\n"), std::string::npos) << text;
}

TEST(Overview, LongNamesAreCutWhereAChangeEnds) {
  Overview overview = makeOverview();
  overview.compared = {
      {"runner-up", "without batch over data and model; without hidden over model; with heads over model", 3, 4},
      {"runner-up", "without " + std::string(80, 'a') + "; with heads over model", 3, 4}};
  Score score = makeScore();
  score.prices.emplace();
  std::string text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_NE(text.find("\n  runner-up: without batch over data and model; 2 more changes "), std::string::npos) << text;
  std::string front(14, 'a'), back(21, 'a');
  EXPECT_NE(text.find("\n  runner-up: without " + front + "..." + back + "; 1 more change "), std::string::npos)
      << text;
}

TEST(Overview, AChangeLosesItsAxesBeforeItsName) {
  Overview overview = makeOverview();
  overview.compared = {
      {"runner-up", "without vocabulary of params/unembedding over data and model; with b; with c", 3, 4}};
  Score score = makeScore();
  score.prices.emplace();
  std::string text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_NE(text.find("\n  runner-up: without vocabulary of params/unembedding; 2 more changes "), std::string::npos)
      << text;
}

TEST(Overview, WhatDoesNotFitIsSaid) {
  Score score = makeScore();
  score.prices.emplace();
  score.prices->peakBytes = 12000;
  score.prices->limitBytes = 10000;
  std::string text = printOverview(makeOverview(), score, /*isLong=*/false);
  EXPECT_NE(text.find("12.0 kB per device, of 10.0 kB: does not fit, short by 2.00 kB\n"), std::string::npos) << text;
}

/// The four that take longest of six, in their order; the others' times are added up.
TEST(Overview, TheCostliestCollectivesAreShown) {
  Score score = makeScore();
  score.collectives.clear();
  for (int64_t time : {5, 1, 4, 3, 2, 6})
    score.collectives.push_back({"all_gather", {"data"}, time, 8000, 6000, time * 1000000});
  std::string text = printOverview(makeOverview(), score, /*isLong=*/false);
  EXPECT_EQ(text.substr(text.find("  collectives")), R"(  collectives   5 x all_gather over data, 8.00 kB, 5.00 us
                4 x all_gather over data, 8.00 kB, 4.00 us
                3 x all_gather over data, 8.00 kB, 3.00 us
                6 x all_gather over data, 8.00 kB, 6.00 us
                and 2 more, 3.00 us
)");
}

/// Names that differ only in their left-out middles share a line; in the details they stand whole.
TEST(Overview, NamesThatLookAlikeShareALine) {
  Overview overview = makeOverview();
  std::string start = "state[1]['opt_state'][0]", end = "['layers']['attention']['query']['kernel'].value";
  overview.arguments = {makeArgument(GroupKind::OptimizerState, start + "['mu']" + end, "P('model')", 1000, 4000),
                        makeArgument(GroupKind::OptimizerState, start + "['nu']" + end, "P('model')", 1000, 4000)};
  std::string text = printOverview(overview, makeScore(), /*isLong=*/false);
  EXPECT_NE(text.find(" x2  P('model')  2.00 kB of 8.00 kB\n"), std::string::npos) << text;
  EXPECT_NE(printOverview(overview, makeScore(), /*isLong=*/true).find("['nu']" + end), std::string::npos);
}

TEST(Overview, PartsOfAxesAreExplained) {
  Overview overview = makeOverview();
  overview.arguments[0].spec = "P('data:(1)2', 'data:(2)2')";
  std::string text = printOverview(overview, makeScore(), /*isLong=*/false);
  EXPECT_NE(text.find("\n  data:(1)2: the major 2 of data; data:(2)2: the 2 of data behind its major 2\n"),
            std::string::npos)
      << text;
}

TEST(Overview, AllAxesOfALargeMeshHaveAName) {
  Overview overview = makeOverview();
  overview.compared = {{"expert", "BP(a, b, c)+Z3(a, b)", 3000000, 12000},
                       {"runner-up", "the same in another order", 2500000, 9000}};
  Score score = makeScore();
  score.mesh = "a=2,b=2,c=2";
  score.prices.emplace();
  std::string text = printOverview(overview, score, /*isLong=*/false);
  EXPECT_NE(text.find("\n  expert: BP(all axes)+Z3(a, b) "), std::string::npos) << text;
  EXPECT_EQ(text.find("another order"), std::string::npos) << text;
}

} // namespace
} // namespace partita::report
