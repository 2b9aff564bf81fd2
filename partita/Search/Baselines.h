//===- Baselines.h - simple searches to compare tree search with ----------===//
//
// Exhaustive, beam and random search over the same spaces and under the same
// budget as tree search: for tests, benchmarks and `--search METHOD`. All
// report to the evaluator, which keeps the best state.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BASELINES_H
#define PARTITA_SEARCH_BASELINES_H

#include "partita/Search/Rooms.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

/// Evaluates every list of distinct moves, local ones included, up to `maxLength`, shorter lists first. Does not extend
/// a list whose state an earlier list has reached. Returns whether it completed.
bool searchExhaustively(StateEvaluator &evaluator, uint32_t maxLength);

/// Keeps the `width` best states of each length and extends those, until none improves or the budget is spent.
void searchByBeam(StateEvaluator &evaluator, uint32_t width);

/// Random lists, each prefix evaluated, until the budget is spent.
void searchAtRandom(StateEvaluator &evaluator, uint64_t seed, uint32_t maxLength);

} // namespace partita::search

#endif
