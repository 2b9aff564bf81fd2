//===- AccumulateText.cpp - what a temporal tactic did, as text and JSON --===//

#include "partita/Report/AccumulateText.h"

#include "partita/Report/Units.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::report {

std::string printAccumulated(const Accumulated &accumulated) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << accumulated.count << " microbatches: a loop of " << accumulated.numOps << " ops adds up "
      << accumulated.numSums << " values (" << printBytes(accumulated.sumBytes) << ")";
  if (accumulated.numCollected > 0)
    out << " and collects the rows of " << accumulated.numCollected << " (" << printBytes(accumulated.collectedBytes)
        << ")";
  out << "\n";
  if (accumulated.numLoops > 1)
    out << "  before it, " << accumulated.numEarlyOps << " ops in " << accumulated.numLoops - 1
        << " loops compute what microbatches need of the whole batch\n";
  return text;
}

void writeAccumulated(const Accumulated &accumulated, llvm::json::OStream &json) {
  json.attribute("microbatches", accumulated.count);
  json.attribute("loops", accumulated.numLoops);
  json.attribute("ops", accumulated.numOps);
  json.attribute("early_ops", accumulated.numEarlyOps);
  json.attribute("sums", accumulated.numSums);
  json.attribute("sum_bytes", accumulated.sumBytes);
  json.attribute("narrow_sums", accumulated.numNarrowSums);
  json.attribute("collected", accumulated.numCollected);
  json.attribute("collected_bytes", accumulated.collectedBytes);
}

void reportNarrowSums(const Accumulated &accumulated) {
  if (accumulated.numNarrowSums == 0)
    return;
  llvm::errs() << "partita: warning: " << accumulated.numNarrowSums << " sums over the microbatches are kept in "
               << accumulated.narrowType
               << ", as the program computes them; \"accumulate_type\": \"f32\" in the tactic "
               << "keeps them in f32\n";
}

} // namespace partita::report
