//===- Paths.h - names as paths -------------------------------------------===//

#ifndef PARTITA_GRAPH_PATHS_H
#define PARTITA_GRAPH_PATHS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita {

/// `state.params['w1'][0]` to `state/params/w1/0`.
std::string toPath(llvm::StringRef name);

/// The name without the numbers of repeated things: `params['layers'][3]['w1']` and `params['layers_3']['w1']` to
/// `params['layers'][*]['w1']` and `params['layers_*']['w1']`, `dot_general#17` to `dot_general#*`. Numbers that are
/// part of a word, as in `w1`, stay.
std::string collapseNumbers(llvm::StringRef name);

} // namespace partita

#endif
