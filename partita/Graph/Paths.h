//===- Paths.h - value names as paths and patterns ------------------------===//

#ifndef PARTITA_GRAPH_PATHS_H
#define PARTITA_GRAPH_PATHS_H

#include "partita/Graph/Rooms.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita::graph {

/// The components of a name: `state.params['w1'][0]` gives `state`, `params`, `w1`, `0`.
llvm::SmallVector<std::string> splitPath(llvm::StringRef name);

/// Turns `state.params['w1'][0]` into `state/params/w1/0`.
std::string toPath(llvm::StringRef name);

/// Replaces the numbers of repeated things by `*`:
///   `params['layers'][3]['w1']` becomes `params['layers'][*]['w1']`,
///   `params['layers_3']['w1']`  becomes `params['layers_*']['w1']`,
///   `dot_general#17`            becomes `dot_general#*`.
/// Numbers that are part of a word, as in `w1`, stay.
std::string collapseNumbers(llvm::StringRef name);

/// The pattern (POSIX extended) that matches all of `names`, which differ only in numbers: `layers/(0|1)/w`. If numbers
/// differ at several positions it may match more; otherwise it matches nothing else.
std::string joinNames(llvm::ArrayRef<std::string> names);

} // namespace partita::graph

#endif
