//===- AnalysisText.h - an analysis as text and as JSON -------------------===//

#ifndef PARTITA_REPORT_ANALYSISTEXT_H
#define PARTITA_REPORT_ANALYSISTEXT_H

#include "partita/Analysis/Analysis.h"
#include "partita/Report/Rooms.h"

namespace partita::report {

/// The format is docs/analysis.md.
std::string printAnalysisJson(const Analysis &analysis);
/// The same for people.
std::string printAnalysis(const Analysis &analysis);

} // namespace partita::report

#endif
