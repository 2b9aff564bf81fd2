//===- SeedWords.h - names of the plans that a plan is compared with ------===//

#ifndef PARTITA_SEARCH_SEEDWORDS_H
#define PARTITA_SEARCH_SEEDWORDS_H

#include "partita/Search/Rooms.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace partita::search {

/// A word of a seed's name (Seeds.h), and what it means.
struct SeedWord {
  llvm::StringRef word, meaning;
};

/// A seed's name with the axes of each word in one place: `BP(data)+BP(model)+Z3(data)` becomes
/// `BP(data, model)+Z3(data)`. In a program without experts, what is split as they would be is called `HP`.
std::string joinSeedWords(llvm::StringRef name, bool hasExperts);

/// The name of a runner-up that has the moves of the plan itself.
inline constexpr llvm::StringLiteral sameInAnotherOrder = "the same in another order";

/// The words that occur in `names`, such as `BP(data)+MP(model)+Z3(data)`; each once, in a fixed order.
std::vector<SeedWord> listSeedWords(llvm::ArrayRef<std::string> names);

} // namespace partita::search

#endif
