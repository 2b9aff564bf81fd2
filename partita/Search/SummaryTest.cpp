//===- SummaryTest.cpp ----------------------------------------------------===//

#include "partita/Search/Summary.h"

#include "partita/Search/SeedWords.h"
#include "partita/Testing/TestProgram.h"

using namespace partita::fixtures;

namespace partita::search {
namespace {

/// y = x @ w1 @ w2 with moments of w1 and w2, which an update reads.
class Network {
public:
  explicit Network(llvm::StringRef mesh) : program(mesh) {
    x = program.argument({32, 16}), w1 = program.argument({16, 64}), w2 = program.argument({64, 16});
    m1 = program.argument({16, 64}), m2 = program.argument({64, 16});
    CellId h = multiply(x, w1, {32, 64});
    program.result(multiply(h, w2, {32, 16}));
    update(w1, m1);
    update(w2, m2);
  }

  std::string summarize() {
    const Topology &topology = program.state().topology;
    ArgumentGroups groups;
    groups.ofCell.resize(program.getGraph().cells.size());
    auto add = [&](CellId cell, GroupKind kind) {
      groups.ofCell[cell] = groups.list.push_back({kind, {cell}, GroupId(), program.getGraph().getBytes(cell)});
    };
    add(x, GroupKind::Input);
    for (CellId cell : {w1, w2})
      add(cell, GroupKind::Parameter);
    for (CellId cell : {m1, m2})
      add(cell, GroupKind::OptimizerState);
    Colors colors = findColors(topology, findRepetition(topology), groups);
    return summarizeAssignment(program.state().assignment, Multiplicity(), groups, colors);
  }

  TestProgram program;
  CellId x, w1, w2, m1, m2;

private:
  CellId multiply(CellId a, CellId b, llvm::ArrayRef<int64_t> shape) {
    CellId made = program.op({a, b}, shape, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
    Op &op = program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)];
    op.opClass = OpClass::Contraction;
    op.flops = 1000;
    return made;
  }
  void update(CellId parameter, CellId moment) {
    CellId next = program.elementwise({parameter, moment});
    program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)].phase = Phase::Update;
    program.result(next);
  }
};

TEST(Summary, NothingIsSplit) { EXPECT_EQ(Network("data=4,model=2").summarize(), ""); }

TEST(Summary, AxesThatSplitNothingAreNamed) {
  Network network("data=4,model=2");
  network.program.tile(network.x, 0, "data");
  EXPECT_EQ(network.summarize(), "batch over data; nothing over model");
}

TEST(Summary, StoredPartsAreZero) {
  Network network("data=4,model=2");
  for (llvm::StringRef axis : {"data", "model"}) {
    network.program.tile(network.x, 0, axis);
    // Dims that the batch does not meet are gathered before they are used.
    for (CellId cell : {network.m1, network.m2})
      network.program.tile(cell, 0, axis);
  }
  EXPECT_EQ(network.summarize(), "batch over data and model; parameters and optimizer state over both (ZeRO-3)");
}

TEST(Summary, MoreAxesAreAllAxes) {
  Network network("a=2,b=2,c=2");
  for (llvm::StringRef axis : {"a", "b", "c"}) {
    network.program.tile(network.x, 0, axis);
    for (CellId cell : {network.m1, network.m2})
      network.program.tile(cell, 0, axis);
  }
  EXPECT_EQ(network.summarize(), "batch over a, b and c; parameters and optimizer state over all axes (ZeRO-3)");
}

TEST(Summary, PartsOfTheParametersAreCounted) {
  Network network("data=4,model=2");
  for (llvm::StringRef axis : {"data", "model"})
    network.program.tile(network.x, 0, axis);
  // One of two of the same size.
  network.program.tile(network.m1, 0, "data");
  EXPECT_EQ(network.summarize(), "batch over data and model; 50% of parameters and optimizer state over data (ZeRO-3)");
  for (CellId cell : {network.m1, network.m2})
    network.program.tile(cell, 1, "model");
  EXPECT_EQ(network.summarize(), "batch over data and model; parameters and optimizer state over model and 50% of them "
                                 "over data (ZeRO-3)");
}

TEST(Summary, ContractionsSplitAlongParametersAreWork) {
  Network network("data=4,model=2");
  network.program.tile(network.x, 0, "data");
  network.program.tile(network.w1, 1, "model");
  EXPECT_EQ(network.summarize(), "batch over data; hidden over model");
}

TEST(SeedWords, OnlyThoseThatOccur) {
  std::vector<std::string> meanings;
  for (const SeedWord &entry : listSeedWords({"BP(data)+MP(model)", "BP(data)+Z3*(data)"}))
    meanings.push_back(entry.word.str() + ": " + entry.meaning.str());
  EXPECT_EQ(meanings, (std::vector<std::string>{"BP: batch", "MP: heads and hidden dims (Megatron)",
                                                "Z3*: ZeRO-3, small parameters too"}));
  EXPECT_TRUE(listSeedWords({}).empty());
}

TEST(SeedWords, AxesOfAWordAreJoined) {
  EXPECT_EQ(joinSeedWords("BP(data)+BP(model)+MP(model)+Z3(data)+Z3(model)", true),
            "BP(data, model)+MP(model)+Z3(data, model)");
  EXPECT_EQ(joinSeedWords("BP(data)", true), "BP(data)");
}

TEST(SeedWords, ExpertsAreOfProgramsThatHaveThem) {
  EXPECT_EQ(joinSeedWords("EP(data)+BP(model)", true), "EP(data)+BP(model)");
  EXPECT_EQ(joinSeedWords("EP(data)+BP(model)", false), "HP(data)+BP(model)");
}

} // namespace
} // namespace partita::search
