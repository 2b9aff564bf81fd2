//===- RandomLayers.h - random programs that pipelines can run ------------===//
//
// A random program seldom has a loop over layers with a batch. These have: a
// forward loop over stacked weights, which passes on a state of some rows and may
// stack it, add up a sum or cast its weights, and perhaps a backward loop that
// gives the gradients. The rest of the case is drawn as for any other program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMLAYERS_H
#define PARTITA_FUZZ_RANDOMLAYERS_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"

#include <string>

namespace partita::fuzz {

/// A pipeline over an axis; none if there are no stages.
struct DrawnPipeline {
  std::string axis;
  int64_t stages = 0, microbatches = 1, repeats = 1;
};

/// The text of a program with so many layers and rows.
std::string writeLayersProgram(RandomChoice &random, int64_t numLayers, int64_t numRows);

} // namespace partita::fuzz

#endif
