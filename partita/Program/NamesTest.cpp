//===- NamesTest.cpp ------------------------------------------------------===//

#include "partita/Program/Names.h"

#include "partita/Dialect/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::program {
namespace {

TEST(NamesTest, AStateHasOneNameInAndOut) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(splitStateName("state.params['w']", false), (Parts{"state", "params", "w"}));
  EXPECT_EQ(splitStateName("result[0].params['w']", true), (Parts{"0", "params", "w"}));
  EXPECT_EQ(splitStateName("result.params['w']", true), (Parts{"params", "w"}));
  // As versions of JAX before 0.6 write it.
  EXPECT_EQ(splitStateName("[0].params['w']", true), (Parts{"0", "params", "w"}));
  EXPECT_EQ(splitStateName(".params['w']", true), (Parts{"params", "w"}));
  EXPECT_EQ(splitStateName("result", true), Parts{});
  EXPECT_EQ(splitStateName("results['w']", true), (Parts{"results", "w"}));
}

TEST(NamesTest, WhatWrapsAnArrayIsNoPartOfItsName) {
  using Parts = std::vector<std::string>;
  for (llvm::StringRef wrapper : {".value", "['value']", ".raw_value", "[<flat index 0>]", ".array", ".array.value"})
    EXPECT_EQ(splitStateName("model['w']" + wrapper.str(), false), (Parts{"model", "w"}));
  // Attention has a projection of this name.
  EXPECT_EQ(splitStateName("p['value']['kernel']", false), (Parts{"p", "value", "kernel"}));
  EXPECT_EQ(splitStateName("value", false), Parts{"value"});
}

/// A name without a file, as in functions that JAX jits itself.
Location named(MLIRContext *context, StringRef name) { return NameLoc::get(StringAttr::get(context, name)); }

TEST(NamesTest, WhatHasNoFileStandsWhereItIsCalled) {
  MLIRContext context;
  Location line = FileLineColLoc::get(&context, "model.py", 11, 8);
  Location call = NameLoc::get(StringAttr::get(&context, "jit(f)/jit(_where)"), line);
  Location inner = CallSiteLoc::get(named(&context, "select_n"), call);
  EXPECT_EQ(printLocation(inner), "model.py:11");
  // What has a line of its own stands there.
  Location own = FileLineColLoc::get(&context, "mine.py", 3, 1);
  EXPECT_EQ(printLocation(CallSiteLoc::get(own, call)), "mine.py:3");
  InnerNames names;
  EXPECT_EQ(names.getText(names.getStack(inner)), "jit(f)/jit(_where)/select_n");
}

/// Each level holds the one below it twice: 2^200 paths lead to the innermost part.
TEST(NamesTest, SharedPartsOfALocationAreFollowedOnce) {
  MLIRContext context;
  Location calls = named(&context, "a"), fused = named(&context, "a");
  for (int depth = 0; depth < 200; ++depth) {
    calls = CallSiteLoc::get(calls, calls);
    fused = FusedLoc::get(&context, {CallSiteLoc::get(fused, named(&context, "left")),
                                     CallSiteLoc::get(fused, named(&context, "right"))});
  }
  EXPECT_EQ(printLocation(calls), "");
  EXPECT_EQ(printLocation(fused), "");
  InnerNames names;
  StringRef text = names.getText(names.getStack(calls));
  EXPECT_TRUE(text.starts_with("...") && text.ends_with("a/a/a") && text.size() < 5000);
  // The innermost part comes last, behind all its callers.
  EXPECT_TRUE(names.getText(names.getStack(fused)).ends_with("left/left/a"));
}

} // namespace
} // namespace partita::program
