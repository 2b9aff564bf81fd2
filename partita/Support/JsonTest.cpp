//===- JsonTest.cpp -------------------------------------------------------===//

#include "partita/Support/Json.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

TEST(JsonTest, KeepsOrderAndPositions) {
  Result<JsonValue> json = parseJson("{\n  \"b\": [1, -2.5e3],\n  \"a\": \"x\\u00e9\\ud83d\\ude00\"\n}", "f.json");
  ASSERT_TRUE(bool(json));
  ASSERT_EQ(json->members.size(), 2u);
  EXPECT_EQ(json->members[0].name, "b");
  EXPECT_EQ(json->members[1].name, "a");
  EXPECT_EQ(json->members[1].line, 3u);
  EXPECT_EQ(json->members[1].column, 3u);
  const JsonValue &list = json->members[0].value;
  EXPECT_EQ(list.elements[0].getInteger(), 1);
  EXPECT_EQ(list.elements[1].getInteger(), std::nullopt);
  EXPECT_EQ(list.elements[1].getDouble(), -2500.0);
  EXPECT_EQ(list.elements[1].column, 12u);
  EXPECT_EQ(json->find("a")->text, "x\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(json->find("c"), nullptr);
}

/// The location and reason of the error that `text` gives.
std::string errorOf(llvm::StringRef text) {
  Result<JsonValue> json = parseJson(text, "f");
  return json ? "accepted" : json.error().str();
}

TEST(JsonTest, RejectsWithPlace) {
  EXPECT_EQ(errorOf("{\"a\": 1,\n \"a\": 2}"), "f:2:2: error: the key \"a\" stands twice in one object");
  EXPECT_EQ(errorOf("[1, ]"), "f:1:5: error: expected a value");
  EXPECT_EQ(errorOf("[1 2]"), "f:1:4: error: expected , or ] in the array");
  EXPECT_EQ(errorOf("{a: 1}"), "f:1:2: error: expected a key in double quotes");
  EXPECT_EQ(errorOf("\"\\ud800\""), "f:1:8: error: half of a surrogate pair");
  EXPECT_EQ(errorOf("\"abc"), "f:1:5: error: the string does not end");
  EXPECT_EQ(errorOf("01"), "f:1:1: error: expected a value");
  EXPECT_EQ(errorOf("1 2"), "f:1:3: error: text after the end of the value");
  EXPECT_EQ(errorOf(""), "f:1:1: error: expected a value");
  EXPECT_EQ(errorOf("\xFF"), "f:1:1: error: the text is not UTF-8 (at byte 0)");
}

TEST(JsonTest, BoundsDepth) {
  EXPECT_EQ(errorOf(std::string(100000, '[')).substr(0, 6), "f:1:51");
  std::string deep = std::string(maxJsonDepth, '[') + std::string(maxJsonDepth, ']');
  EXPECT_EQ(errorOf(deep), "accepted");
}

TEST(JsonTest, IntegersThatDoNotFitAreNotIntegers) {
  Result<JsonValue> json = parseJson("[9223372036854775807, 9223372036854775808, 1e400]", "f");
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->elements[0].getInteger(), INT64_MAX);
  EXPECT_EQ(json->elements[1].getInteger(), std::nullopt);
  EXPECT_EQ(json->elements[2].getDouble(), std::nullopt);
}

} // namespace
} // namespace partita
