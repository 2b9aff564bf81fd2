//===- HtmlPage.cpp - report.html -----------------------------------------===//

#include "partita/Report/HtmlPage.h"

#include "partita/Support/Version.h"

namespace partita::report {

/// The bundle (web/build.mjs), with a place for the data.
static constexpr char pageBytes[] = {
#embed "web/page.html"
};
static constexpr llvm::StringLiteral dataPlace = "/*DATA*/";
static constexpr size_t maxGroups = 300;

std::string escapeForScript(llvm::StringRef json) {
  std::string text;
  for (char each : json) {
    // Only strings have it, and there both spellings are the same.
    if (each == '<')
      text += "\\u003c";
    else
      text += each;
  }
  return text;
}

static void writeGroup(const GroupDifference &group, llvm::json::OStream &json) {
  json.attribute("name", group.name);
  json.attribute("type", group.type);
  json.attribute("count", group.count);
  json.attribute("loc", group.loc);
  json.attribute("first", group.shardings[0]);
  json.attribute("second", group.shardings[1]);
  json.attribute("compute_ps", group.computePs);
  json.attribute("communication_ps", group.communicationPs);
  json.attribute("bytes", group.bytes);
}

static std::string printData(llvm::ArrayRef<PlanPicture> plans, const PlanDifference *difference) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("partita", getVersion());
    json.attribute("title", plans.front().program);
    json.attributeArray("plans", [&] {
      for (const PlanPicture &plan : plans)
        writePicture(plan, json);
    });
    if (difference)
      json.attributeArray("differences", [&] {
        for (const GroupDifference &group : llvm::ArrayRef(difference->groups).take_front(maxGroups))
          json.object([&] { writeGroup(group, json); });
      });
  });
  json.flush();
  return text;
}

std::string printPage(llvm::ArrayRef<PlanPicture> plans, const PlanDifference *difference) {
  llvm::StringRef page(pageBytes, sizeof(pageBytes));
  auto [before, after] = page.split(dataPlace);
  return before.str() + escapeForScript(printData(plans, difference)) + after.str();
}

} // namespace partita::report
