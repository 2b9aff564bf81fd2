//===- PlanFiles.h - the files of a plan ----------------------------------===//
//
// The folder of a plan: plan.json, report.json, report.html, local.mlir,
// annotated.mlir, trace.json if the plan is priced, and answers.txt if it was
// searched for (Search/SearchAnswers.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PLANFILES_H
#define PARTITA_REPORT_PLANFILES_H

#include "partita/Program/Flatten.h"
#include "partita/Program/ProgramText.h"
#include "partita/Report/PlanPicture.h"
#include "partita/Report/PlanReport.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/StageClock.h"

namespace partita::report {

struct PlanFiles {
  Report report;
  PictureSource picture;
  mlir::ModuleOp local;
  /// The planned program; it is annotated.
  mlir::ModuleOp module;
  const Flattened &flattened;
  bool withLocations = false;
};

std::vector<FileToWrite> buildFiles(const PlanFiles &source, llvm::StringRef folder, StageClock &clock);

} // namespace partita::report

#endif
