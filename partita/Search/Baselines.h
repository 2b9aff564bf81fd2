//===- Baselines.h - searches to compare tree search with ----------------===//

#ifndef PARTITA_SEARCH_BASELINES_H
#define PARTITA_SEARCH_BASELINES_H

#include "partita/Search/Rooms.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

/// Evaluates every list of different moves, local ones too, up to `maxLength`, shorter ones first; lists that go on
/// from a state which a shorter or earlier one reached are left out. Whether it got to the end.
bool searchExhaustively(StateEvaluator &evaluator, uint32_t maxLength);

/// Keeps the `width` best states of each length and goes on from those, until none gets better or the budget is spent.
void searchByBeam(StateEvaluator &evaluator, uint32_t width);

/// Random lists, each prefix evaluated, until the budget is spent.
void searchAtRandom(StateEvaluator &evaluator, uint64_t seed, uint32_t maxLength);

} // namespace partita::search

#endif
