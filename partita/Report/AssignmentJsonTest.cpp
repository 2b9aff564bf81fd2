//===- AssignmentJsonTest.cpp - members of the printed assignment ---------===//

#include "partita/Report/AssignmentJson.h"

#include "partita/Testing/TestProgram.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

using namespace fixtures;
namespace {

TEST(AssignmentJsonTest, SaysEverything) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8, 4}), w = program.argument({4, 8});
  CellId h = program.op({a, w}, {8, 8}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  CellId sum = program.add(h, program.op({a, w}, {8, 8}, "([a,b],[b,c])->([a,c]) reduce(add)={b}"));
  program.result(sum);
  program.tile(w, 0, "x");
  CellId other = a;
  std::vector<Conflict> conflicts = program.tile(other, 0, "y");
  CellNames names(program.getGraph());
  std::string text;
  llvm::raw_string_ostream out(text);
  writeAssignment(program.state().assignment, conflicts, names, out);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json)) << text;
  EXPECT_NE(text.find(R"("mesh": "x=2,y=2")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"cell":0,"name":"arg0","shape":[8,4],"sharding":[["y"],["x"]],"tile":["y"]})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("partial":["x"])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("splits":{"x":"b","y":"a"}})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("splits":{"x":"sum","y":"a"}})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("conflicts": [])"), std::string::npos) << text;
}

TEST(AssignmentJsonTest, ConflictsThatWereDecidedLaterAreNone) {
  TestProgram program("x=2");
  CellId a = program.argument({8});
  CellId rows = program.elementwise(a), columns = program.elementwise(a);
  CellId pairs = program.op({rows, columns}, {8, 8}, "([a],[b])->([a,b])");
  std::vector<Conflict> conflicts = program.tile(a, 0, "x");
  ASSERT_EQ(conflicts.size(), 1u);
  CellNames names(program.getGraph());
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream out(text);
    writeAssignment(program.state().assignment, conflicts, names, out);
    return text;
  };
  EXPECT_NE(print().find(R"("conflicts": [
{"axis":"x","ops":[2],"cells":[],"sides":[[[1,0],[3,0]],[[2,0],[3,1]]]}])"),
            std::string::npos)
      << print();
  program.tile(pairs, 0, "x");
  EXPECT_NE(print().find(R"("conflicts": [])"), std::string::npos) << print();
}

} // namespace
} // namespace partita::report
