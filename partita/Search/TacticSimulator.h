//===- TacticSimulator.h - timelines of tactics on the whole program ------===//
//
// The search works on a folded program and by a formula. Between plans that are
// nearly as good, the timeline of the whole program decides; this class gives
// its time for lists of tactics. What does not depend on the tactics is built
// once, at the first call.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TACTICSIMULATOR_H
#define PARTITA_SEARCH_TACTICSIMULATOR_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

class TacticSimulator {
public:
  /// Keeps a reference to the request, which must have `existing`.
  explicit TacticSimulator(const PlanRequest &request);
  ~TacticSimulator();

  /// The time of one step under the request's given tactics followed by these; nullopt if they do not apply.
  std::optional<int64_t> computePs(llvm::ArrayRef<Tactic> tactics);

private:
  struct Model;

  const PlanRequest &request;
  std::unique_ptr<Model> model;
};

} // namespace partita::search

#endif
