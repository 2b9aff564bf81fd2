//===- Synthesis.h - programs of a collective, and the fastest of them ----===//
//
// All programs up to five steps are paths through the states that devices can
// reach (Program.h). Programs that reach the same state are equivalent so far:
// to find the fastest one, only the cheapest path to each state is kept. Steps
// are priced by the room Machine, each with its own launch.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_REDUCE_SYNTHESIS_H
#define PARTITA_MACHINE_REDUCE_SYNTHESIS_H

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Reduce/Program.h"

#include <map>
#include <memory>

namespace partita::machine {

/// The devices along one factor: parts of axes on one level, or on several that are not told apart.
struct ReductionFactor {
  LevelParts parts;
  int64_t getSize() const;
};

/// The factors of a group: one for each level that its parts lie on, outermost first.
std::vector<ReductionFactor> listFactors(llvm::ArrayRef<LevelPart> parts);

struct SynthesisRequest {
  StepKind goal = StepKind::AllReduce;
  llvm::ArrayRef<ReductionFactor> factors;
  /// As in CollectiveRequest.
  int64_t payloadBytes = 0;
  /// Whether programs count that leave chunks in another order.
  bool mayReorder = true;
};

struct PricedProgram {
  ReductionProgram program;
  int64_t timePs = 0;
};

class StateGraph;

/// Keeps the states of each kind of collective and number of factors.
class Synthesizer {
public:
  static constexpr size_t mostSteps = 5, mostFactors = 3;

  Synthesizer();
  ~Synthesizer();

  /// All programs, as they are found, at most `most`; the collective itself first.
  std::vector<ReductionProgram> list(StepKind goal, size_t numFactors, size_t most);

  /// The fastest one, proven for its sizes; the collective itself if no other is faster. Of more than `mostFactors`,
  /// neighbors are taken for one, in all ways that leave so many.
  PricedProgram findFastest(const Machine &machine, const SynthesisRequest &request);

private:
  PricedProgram findFastestOfRuns(const Machine &machine, const SynthesisRequest &request, PricedProgram best);
  const StateGraph &getGraph(StepKind goal, size_t numFactors);

  std::map<std::pair<StepKind, size_t>, std::unique_ptr<StateGraph>> graphs;
};

/// The time of its steps one after the other, and of a pass through memory if it is reordered.
int64_t priceProgram(const Machine &machine, const SynthesisRequest &request, const ReductionProgram &program);

} // namespace partita::machine

#endif
