//===- Controls.h - searches to compare tree search with ------------------===//

#ifndef PARTITA_SEARCH_CONTROLS_H
#define PARTITA_SEARCH_CONTROLS_H

#include "partita/Search/Oracle.h"

namespace partita {

/// Evaluates every list of different moves, local ones too, up to `maxLength`, shorter ones first; lists that go on
/// from a state which a shorter or earlier one reached are left out. Whether it got to the end.
bool searchExhaustively(Oracle &oracle, uint32_t maxLength);

/// Keeps the `width` best states of each length and goes on from those, until none gets better or the budget is spent.
void searchByBeam(Oracle &oracle, uint32_t width);

/// Random lists, each prefix evaluated, until the budget is spent.
void searchAtRandom(Oracle &oracle, uint64_t seed, uint32_t maxLength);

} // namespace partita

#endif
