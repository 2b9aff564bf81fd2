//===- AnalysisReport.h - what the analysis found, for people and files ---===//

#ifndef PARTITA_ANALYSIS_ANALYSISREPORT_H
#define PARTITA_ANALYSIS_ANALYSISREPORT_H

#include "partita/Analysis/Analysis.h"

#include "llvm/Support/raw_ostream.h"

namespace partita {

/// The format is docs/analysis.md.
void writeAnalysis(const Analysis &analysis, llvm::raw_ostream &out);
/// The same for people.
void printAnalysis(const Analysis &analysis, llvm::raw_ostream &out);

} // namespace partita

#endif
