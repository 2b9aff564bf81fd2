//===- AnalysisText.h - an analysis as text and as JSON -------------------===//

#ifndef PARTITA_REPORT_ANALYSISTEXT_H
#define PARTITA_REPORT_ANALYSISTEXT_H

#include "partita/Analysis/Analysis.h"
#include "partita/Remat/Rematerialize.h"
#include "partita/Report/Rooms.h"

namespace partita::report {

struct AnalyzedProgram {
  Graph graph;
  /// What can be recomputed or kept; empty for a flat program without its module.
  std::vector<RematClass> classes;
};

/// The format of the JSON is docs/analysis.md; the text is for people.
std::string printAnalysis(const AnalyzedProgram &program, bool asJson);

} // namespace partita::report

#endif
