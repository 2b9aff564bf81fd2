//===- Places.h - name stacks in the user's words -------------------------===//

#ifndef PARTITA_GRAPH_PLACES_H
#define PARTITA_GRAPH_PLACES_H

#include "partita/Graph/Rooms.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace partita::graph {

/// The scopes of a name stack that the user wrote, and the op: `attention`, `reshape` of
/// `jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/attention/reshape#3`. What JAX adds to a name
/// stack (loops, calls, transformations, the formula of an einsum) is left out.
std::vector<std::string> splitPlace(llvm::StringRef name);

} // namespace partita::graph

#endif
