//===- ExplanationTest.cpp - the lines of an explanation ------------------===//

#include "partita/Report/Explanation.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

ScoreReshard makeReshard(int64_t count, std::string cause) {
  ScoreReshard reshard;
  reshard.value = "jit(f)/while/body/convert#0";
  reshard.loc = "model.py:7";
  reshard.from = "[{data}, {}]";
  reshard.to = "[{}, {}]";
  reshard.steps = "all_gather {data} 0";
  reshard.count = count;
  reshard.bytes = count * 1000;
  reshard.timePs = count * 1000000;
  reshard.cause = std::move(cause);
  return reshard;
}

TEST(Explanation, SlicesAreCountedTogether) {
  ValueExplanation value;
  value.name = "stack";
  value.type = "tensor<4x8x8xf32>";
  value.sharding = "[{}, {data}, {}]";
  value.bytes = 1024;
  value.localBytes = 256;
  value.axes = {{{"data"}, 1, "splits dim 1, as tactic 'fsdp' says"}};
  value.actions = {{"tile 1 data", "fsdp"}, {"side 0 data", "fsdp"}};
  std::string cause = "needed by stablehlo.dot_general jit(f)/transpose(jvp(mlp))/dot_general#3";
  value.reshards = {{Moved::Slice, makeReshard(4, cause)},
                    {Moved::Slice, makeReshard(8, cause)},
                    {Moved::Gradient, makeReshard(1, "partial results are combined")}};
  value.others = {{"data", 2, "[{}, {}, {data}]", 3000000, -512}, {"data", std::nullopt, "[{}, {}, {}]", -1000000, 0}};
  EXPECT_EQ(printExplanations(value), R"(stack: tensor<4x8x8xf32> as P(None, 'data'), 256 B of 1.02 kB per device
  data: splits dim 1, as tactic 'fsdp' says
  side of dim 0 over data, by tactic 'fsdp'
  moved in a step
    its slices: all_gather over data, P('data') -> P()
      12 x, 12.0 kB, 12.0 us; needed by mlp/dot_general (model.py:7)
    its gradient: all_gather over data, P('data') -> P()
      1 x, 1.00 kB, 1.00 us; partial results are combined (model.py:7)
  alternatives                    Δtime       Δmemory
    P()                        -1.00 us             0  replicated over data
    P(None, None, 'data')      +3.00 us        -512 B  dim 2 over data
)");
}

/// What is said of all layers is said once.
TEST(Explanation, ValuesOfWhichTheSameIsSaidAreOne) {
  std::vector<ValueExplanation> values(4);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].name = "layers[" + std::to_string(i) + "].w";
    values[i].type = "tensor<8xf32>";
    values[i].sharding = "[{data}]";
    values[i].bytes = 32;
    values[i].localBytes = 16;
    values[i].axes = {{{"data"}, 0, i < 3 ? "splits dim 0" : "otherwise"}};
  }
  EXPECT_EQ(printExplanations(values), R"(layers[0:3].w x3: each tensor<8xf32> as P('data'), 16 B of 32 B per device
  data: splits dim 0
layers[3].w: tensor<8xf32> as P('data'), 16 B of 32 B per device
  data: otherwise
)");
}

} // namespace
} // namespace partita::report
