//===- AnalysisReport.h - what the analysis found, for people and files ---===//

#ifndef PARTITA_ANALYSIS_ANALYSISREPORT_H
#define PARTITA_ANALYSIS_ANALYSISREPORT_H

#include "partita/Analysis/Colours.h"

#include "llvm/Support/raw_ostream.h"

namespace partita {

/// Everything that the analysis knows of a program. Parts refer to the graph.
struct Analysis {
  explicit Analysis(const Graph &graph);

  Topology topology;
  Repetition repetition;
  Folding folding;
  ArgumentGroups groups;
  Colours colours;
};

/// The format is docs/analysis.md.
void writeAnalysis(const Analysis &analysis, llvm::raw_ostream &out);
/// The same for people.
void printAnalysis(const Analysis &analysis, llvm::raw_ostream &out);

} // namespace partita

#endif
