//===- Paths.h - names as paths -------------------------------------------===//

#ifndef PARTITA_GRAPH_PATHS_H
#define PARTITA_GRAPH_PATHS_H

#include "partita/Graph/Rooms.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita::graph {

/// `state.params['w1'][0]` to `state/params/w1/0`.
std::string toPath(llvm::StringRef name);

/// The name without the numbers of repeated things: `params['layers'][3]['w1']` and `params['layers_3']['w1']` to
/// `params['layers'][*]['w1']` and `params['layers_*']['w1']`, `dot_general#17` to `dot_general#*`. Numbers that are
/// part of a word, as in `w1`, stay.
std::string collapseNumbers(llvm::StringRef name);

/// The pattern (POSIX extended) that matches all of `names`, which are alike in all but numbers:
/// `layers/(0|1)/w`. It matches nothing else unless numbers differ at several places.
std::string joinNames(llvm::ArrayRef<std::string> names);

} // namespace partita::graph

#endif
