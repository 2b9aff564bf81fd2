//===- TacticSimulator.h - timelines of tactics on the whole program ------===//
//
// The search works on a folded program and by a formula. Between plans that are
// nearly as good, the timeline of the whole program decides; this gives its time
// for one list of tactics after the other. What does not depend on the tactics is
// built once, when the first is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TACTICSIMULATOR_H
#define PARTITA_SEARCH_TACTICSIMULATOR_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

class TacticSimulator {
public:
  /// The request is referred to. It has `existing`.
  explicit TacticSimulator(const PlanRequest &request);
  ~TacticSimulator();

  /// The time of one step under the given tactics followed by these; nothing if they do not apply.
  std::optional<int64_t> computePs(llvm::ArrayRef<Tactic> tactics);

private:
  struct Model;

  const PlanRequest &request;
  std::unique_ptr<Model> model;
};

} // namespace partita::search

#endif
