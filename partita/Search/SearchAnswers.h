//===- SearchAnswers.h - what a search has evaluated, to go on from -------===//
//
// A search with a larger budget begins with all states of a smaller one. So a
// search goes on from an earlier one (`--resume`) by running again with the
// answers of the earlier one at hand: the part that is known costs next to
// nothing, and the result is that of one search with both budgets.
//
// The folder of a plan has them in answers.txt, one section for each search:
//
//   partita answers 1 BUILD PROGRAM OPTIONS COUNT MOVE...
//   LIST STATE EFFECTIVE RATING RATING RATING RATING
//   ...
//
// BUILD, PROGRAM and OPTIONS are hashes of what the answers depend on. The moves
// are those of the best list: its rating is computed again before anything is
// believed. LIST is the hash of a list of moves. Numbers are hexadecimal.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCHANSWERS_H
#define PARTITA_SEARCH_SEARCHANSWERS_H

#include "partita/Search/EvaluationPool.h"
#include "partita/Search/PlanRequest.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct SearchAnswers {
  uint64_t build = 0, program = 0, options = 0;
  Moves best;
  /// By the hash of a list, in ascending order.
  std::vector<std::pair<uint64_t, Evaluated>> list;

  /// The number of different states.
  int64_t countStates() const;
};

/// The file in the folder of a plan.
inline constexpr llvm::StringLiteral answersFile = "answers.txt";

/// Without answers: the hashes of what those of the request depend on.
SearchAnswers describeAnswers(const PlanRequest &request, size_t numMoves);

std::string printAnswers(const SearchAnswers &answers);
Result<std::vector<SearchAnswers>> parseAnswers(llvm::StringRef text, llvm::StringRef path);
/// Reads the file in a folder of a plan.
Result<std::vector<SearchAnswers>> readAnswers(llvm::StringRef folder);

/// The section that belongs to the search that `own` describes; an error that says what differs if there is none.
Result<SearchAnswers> findAnswers(llvm::ArrayRef<SearchAnswers> sections, const SearchAnswers &own,
                                  llvm::StringRef folder);

} // namespace partita::search

#endif
