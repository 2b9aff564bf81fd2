//===- PlanFiles.cpp - the files of a plan --------------------------------===//

#include "partita/Report/PlanFiles.h"

#include "partita/Lower/Annotate.h"
#include "partita/Report/HtmlPage.h"
#include "partita/Search/SearchAnswers.h"

#include "llvm/Support/Path.h"

namespace partita::report {

std::vector<FileToWrite> buildFiles(const PlanFiles &source, llvm::StringRef folder, StageClock &clock) {
  std::vector<FileToWrite> files;
  auto add = [&](llvm::StringRef name, std::string contents) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    files.push_back({path.str().str(), std::move(contents)});
  };
  const PictureSource &picture = source.picture;
  bool withLocations = source.withLocations || hasLocations(source.module);
  add("plan.json", printPlan(source.report.plan, picture.price, source.report.score, source.report.rewrites));
  add("report.json", printReport(source.report));
  std::string answers;
  for (const FoundTactics &found : source.report.search.found)
    answers += found.answers;
  if (!answers.empty())
    add(answersFile, std::move(answers));
  add("report.html", clock.run("page", [&] { return printPage(buildPicture(picture)); }));
  if (picture.price)
    add("trace.json", printTrace(*picture.price, *picture.timeline));
  add("local.mlir", clock.run("print", [&] { return printProgram(source.local, withLocations) + "\n"; }));
  add("annotated.mlir", clock.run("annotate", [&] {
    annotateProgram(source.module, source.flattened, source.report.plan.assignment);
    return printProgram(source.module, withLocations) + "\n";
  }));
  return files;
}

} // namespace partita::report
