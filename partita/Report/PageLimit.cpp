//===- PageLimit.cpp - keeps a page small ---------------------------------===//

#include "partita/Report/PageLimit.h"

#include "partita/Report/HtmlPage.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace partita::report {

static constexpr size_t fewLines = 30, fewSpecs = 60;

/// Details of a plan that a page can do without.
struct Detail {
  const char *name;
  /// Leaves it out; false if there is nothing to leave out.
  bool (*leaveOut)(PlanPicture &picture);
};

static bool leaveOutTimeline(PlanPicture &picture) {
  bool isThere = picture.timeline.has_value();
  picture.timeline.reset();
  return isThere;
}

static bool leaveOutEvaluated(PlanPicture &picture) {
  bool isThere = picture.rivals && !picture.rivals->evaluated.empty();
  if (isThere)
    picture.rivals->evaluated.clear();
  return isThere;
}

static bool leaveOutCurve(PlanPicture &picture) {
  bool isThere = !picture.memoryCurve.empty();
  picture.memoryCurve.clear();
  return isThere;
}

/// Lines are sorted, the most expensive first.
static bool leaveOutLines(PlanPicture &picture) {
  if (picture.lines.size() <= fewLines)
    return false;
  picture.lines.resize(fewLines);
  return true;
}

/// Keeps the largest, in their order.
static bool leaveOutSpecs(PlanPicture &picture) {
  if (picture.specs.size() <= fewSpecs)
    return false;
  std::vector<int64_t> sizes;
  for (const SpecLine &line : picture.specs)
    sizes.push_back(line.wholeBytes);
  std::ranges::nth_element(sizes, sizes.begin() + fewSpecs - 1, std::greater<>());
  int64_t least = sizes[fewSpecs - 1];
  llvm::erase_if(picture.specs, [&](const SpecLine &line) { return line.wholeBytes < least; });
  picture.specs.resize(std::min(picture.specs.size(), fewSpecs));
  return true;
}

/// What remains are the figures, classes of memory, the machine and collectives.
static bool leaveOutRest(PlanPicture &picture) {
  bool isThere = !picture.specs.empty() || !picture.lines.empty() || !picture.words.empty();
  picture.specs.clear();
  picture.lines.clear();
  picture.words.clear();
  for (MemoryClass &entry : picture.memory)
    entry.values.clear();
  return isThere;
}

static constexpr Detail details[] = {
    {"the timeline", leaveOutTimeline},           {"evaluated strategies", leaveOutEvaluated},
    {"memory over time", leaveOutCurve},          {"source lines but the most expensive", leaveOutLines},
    {"arguments but the largest", leaveOutSpecs}, {"all arguments and source lines", leaveOutRest},
};

std::string printPicture(const PlanPicture &picture) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  writePicture(picture, json);
  json.flush();
  return escapeForScript(text);
}

static void addRemark(PlanPicture &picture, const std::string &what) {
  static constexpr llvm::StringLiteral begin = "left out, to keep this page small: ";
  for (std::string &remark : picture.remarks)
    if (llvm::StringRef(remark).starts_with(begin)) {
      remark += ", " + what;
      return;
    }
  picture.remarks.push_back(begin.str() + what);
}

std::vector<PlanPicture> limitPictures(std::vector<PlanPicture> plans, size_t maxBytes) {
  std::vector<size_t> sizes;
  for (const PlanPicture &plan : plans)
    sizes.push_back(printPicture(plan).size() + 1);
  auto isLarge = [&] { return std::accumulate(sizes.begin(), sizes.end(), size_t(0)) > maxBytes; };
  for (const Detail &detail : details)
    for (size_t number = plans.size(); number-- > 0 && isLarge();)
      if (detail.leaveOut(plans[number])) {
        addRemark(plans[number], detail.name);
        sizes[number] = printPicture(plans[number]).size() + 1;
      }
  size_t numPlans = plans.size();
  // What says that plans are left out takes place, too.
  const PlanPicture first = plans.empty() ? PlanPicture() : plans.front();
  while (isLarge() && plans.size() > 1) {
    plans.pop_back();
    sizes.pop_back();
    plans.front() = first;
    addRemark(plans.front(), std::to_string(numPlans - plans.size()) + " more plans");
    sizes.front() = printPicture(plans.front()).size() + 1;
  }
  return plans;
}

} // namespace partita::report
