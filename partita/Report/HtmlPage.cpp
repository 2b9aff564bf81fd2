//===- HtmlPage.cpp - report.html -----------------------------------------===//

#include "partita/Report/HtmlPage.h"

#include "partita/Report/PageLimit.h"
#include "partita/Report/SpecText.h"
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
  json.attribute("first", printSpec(group.shardings[0]));
  json.attribute("second", printSpec(group.shardings[1]));
  json.attribute("compute_ps", group.computePs);
  json.attribute("communication_ps", group.communicationPs);
  json.attribute("bytes", group.bytes);
}

/// The data as they stand in the page.
static std::string printData(llvm::StringRef title, llvm::ArrayRef<PlanPicture> plans,
                             const PlanDifference *difference) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("partita", getVersion());
    json.attribute("title", title);
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
  return escapeForScript(text);
}

std::string printPage(llvm::ArrayRef<PlanPicture> plans, const PlanDifference *difference) {
  llvm::StringRef page(pageBytes, sizeof(pageBytes));
  auto [before, after] = page.split(dataPlace);
  const std::string &title = plans.front().program;
  size_t otherBytes = before.size() + after.size() + printData(title, {}, difference).size();
  std::vector<PlanPicture> limited = limitPictures(plans.vec(), maxPageBytes - otherBytes);
  return before.str() + printData(title, limited, difference) + after.str();
}

} // namespace partita::report
