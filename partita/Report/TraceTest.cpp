//===- TraceTest.cpp - events and times in a trace ------------------------===//

#include "partita/Report/Trace.h"

#include "partita/Simulate/Simulation.h"
#include "partita/Testing/TestProgram.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace partita::report {

using namespace fixtures;
namespace {

TEST(Trace, IsJsonWithAThreadForEachStream) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 6}), w2 = program.argument({6, 2});
  CellId h = program.op({x, w1}, {8, 6}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  program.result(program.op({h, w2}, {8, 2}, "([a,b],[b,c])->([a,c]) reduce(add)={b}"));
  program.tile(w1, 0, "x");
  const Graph &graph = program.getGraph();
  ReshardPlanner planner(program.state().axes);
  Reshards reshards = buildReshards(program.state().assignment, planner);
  // Products take 10.4 ns, the reduction between them 4.4.
  Durations durations;
  for (const Op &op : graph.ops.raw())
    durations.ops.push_back(op.role == IdentityRole::None && op.numUses > 0 ? 10'400 : 0);
  durations.reshards.resize(reshards.size(), {4'400, 1, simulate::ReshardOverlap::None});
  durations.numStreams = 2;
  Timeline timeline = simulate::simulate(program.state().topology, reshards, durations, SimulationOptions());
  TraceNames names;
  names.graph = &graph;
  names.reshards = &reshards;
  names.planner = &planner;
  names.streams = {"compute", "link"};
  names.liveBytes.resize(graph.ops.size(), 7);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeTrace(timeline, names, out);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json));
  const llvm::json::Array &events = *json->getAsObject()->getArray("traceEvents");
  // The process name, name and order of two threads, the events, and memory once, since it does not change.
  EXPECT_EQ(events.size(), 1 + 2 * 2 + timeline.events.size() + 1);
  // In whole nanoseconds each event ends where the next one starts: 10.4, 14.8 and 25.2 ns.
  EXPECT_NE(text.find("\"ts\":0.000,\"dur\":0.010"), std::string::npos) << text;
  EXPECT_NE(text.find("\"ts\":0.010,\"dur\":0.004"), std::string::npos) << text;
  EXPECT_NE(text.find("\"ts\":0.014,\"dur\":0.011"), std::string::npos) << text;
  EXPECT_EQ(text.find("traffic"), std::string::npos);
  // With 8800 bytes in these 4.4 ns the link carries 2e12 bytes a second.
  names.reshardBytes[ReshardId(0)] = {8800};
  text.clear();
  writeTrace(timeline, names, out);
  EXPECT_NE(text.find(R"("name":"link traffic","pid":0,"ts":0.010,"args":{"bytes_per_second":2000000000000})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("name":"link traffic","pid":0,"ts":0.014,"args":{"bytes_per_second":0})"), std::string::npos)
      << text;
  // Two stages, of which the last one comes first, and two microbatches in three ticks of 2 ns from 1 ns on.
  names.pipelines = {{1000, 2000, 2, 3, true, 2, 1}};
  text.clear();
  writeTrace(timeline, names, out);
  EXPECT_NE(text.find(R"("name":"microbatch 0, backward","pid":1,"tid":1,"ts":0.001,"dur":0.002)"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("name":"microbatch 1, backward","pid":1,"tid":0,"ts":0.005,"dur":0.002)"), std::string::npos)
      << text;
  // Twice around with three microbatches: two, then one, which leaves places empty.
  names.pipelines = {{0, 2000, 2, 8, false, 3, 2}};
  text.clear();
  writeTrace(timeline, names, out);
  auto has = [&](llvm::StringRef event) { return llvm::StringRef(text).contains(event); };
  EXPECT_TRUE(has(R"("name":"microbatch 0, repeat 1","pid":1,"tid":0,"ts":0.004,"dur":0.002)")) << text;
  EXPECT_TRUE(has(R"("name":"microbatch 2, repeat 0","pid":1,"tid":1,"ts":0.010,"dur":0.002)")) << text;
  EXPECT_TRUE(has(R"("name":"microbatch 2, repeat 1","pid":1,"tid":1,"ts":0.014,"dur":0.002)")) << text;
  EXPECT_FALSE(has("microbatch 3")) << text;
}

} // namespace
} // namespace partita::report
