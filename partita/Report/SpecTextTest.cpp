//===- SpecTextTest.cpp ---------------------------------------------------===//

#include "partita/Report/SpecText.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

TEST(SpecText, ShardingsAreSpecs) {
  EXPECT_EQ(printSpec("[{}, {data, model}, {}]"), "P(None, ('data', 'model'))");
  EXPECT_EQ(printSpec("[{model:(1)4}, {data}]"), "P('model:(1)4', 'data')");
  // Dims behind the last that is split are left out, as JAX allows.
  EXPECT_EQ(printSpec("[{data}, {}, {}]"), "P('data')");
  EXPECT_EQ(printSpec("[{}, {}]"), "P()");
  EXPECT_EQ(printSpec("[]"), "P()");
}

TEST(SpecText, PartialResultsAreSaid) {
  EXPECT_EQ(printSpec("[{data}, {}] partial(add) {model}"), "P('data') of partial sums over model");
  EXPECT_EQ(printSpec("[{}] partial(max) {data, model}"), "P() of partial results (max) over data and model");
}

TEST(SpecText, StepsAreCollectivesOverAxes) {
  EXPECT_EQ(printStepWords("all_gather {data} 0"), "all_gather over data");
  EXPECT_EQ(printStepWords("reduce_scatter {data, model} 1; all_to_all {model} 0 -> 1"),
            "reduce_scatter over data and model, then all_to_all over model");
  EXPECT_EQ(printStepWords("collective_permute {data} [{}, {data}]"), "collective_permute over data");
  EXPECT_EQ(printStepWords(""), "");
}

} // namespace
} // namespace partita::report
