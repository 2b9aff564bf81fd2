//===- Elimination.h - the best labels of a few variables, exactly --------===//
//
// Variables are eliminated one after the other: the table of a variable v and
// its neighbours N,
//
//   m_v(N) = min over x_v of  cost_v(x_v) + sum over tables t that have v of t
//
// replaces v and those tables. The next to go is the one whose table is
// smallest. Where all are larger than allowed, the variable with the most
// neighbours is left out instead: its label stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_ELIMINATION_H
#define PARTITA_SOLVE_ELIMINATION_H

#include "partita/Solve/Rooms.h"

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita::solve {

/// Two variables that a table of costs joins.
struct EliminationPair {
  uint32_t first = 0, second = 0;
};

/// An order, and what happens at each step. Depends on sizes alone, so that it serves many costs.
class Elimination {
public:
  /// `sizes` are numbers of labels. No table has more than `maxEntries`.
  Elimination(const std::vector<uint32_t> &sizes, const std::vector<EliminationPair> &pairs, size_t maxEntries);

  /// Those that are left out. If there are any, build an elimination without them.
  const std::vector<uint32_t> &getLeftOut() const { return leftOut; }
  /// The number of table entries that a solution computes.
  int64_t getWork() const { return work; }

  /// The labels with the least sum. `tables` has one for each pair, the second variable's label runs fastest.
  std::vector<uint32_t> solve(const std::vector<std::vector<double>> &costs,
                              const std::vector<std::vector<double>> &tables);

private:
  /// A table that a step adds: a pair's, or the result of an earlier step. Strides are those of the step's neighbours
  /// and of its variable.
  struct Term {
    bool isPair = false;
    uint32_t number = 0;
    llvm::SmallVector<size_t, 4> strides;
    size_t ownStride = 0;
  };
  struct Step {
    uint32_t variable = 0;
    llvm::SmallVector<uint32_t, 4> neighbors;
    llvm::SmallVector<Term, 4> terms;
    size_t numEntries = 1;
  };

  void addStep(uint32_t variable, const std::vector<EliminationPair> &pairs);
  void add(const Step &step, const Term &term, const double *table);

  std::vector<uint32_t> sizes;
  std::vector<Step> steps;
  std::vector<uint32_t> leftOut;
  int64_t work = 0;
  // While the order is built: the neighbours and tables of variables that are left.
  std::vector<llvm::SmallVector<uint32_t, 4>> neighbors;
  std::vector<llvm::SmallVector<uint32_t, 4>> pairsOf, stepsOf;
  std::vector<uint8_t> isGone, isPairUsed, isStepUsed;
  // While costs are computed.
  std::vector<std::vector<double>> results;
  std::vector<std::vector<uint32_t>> bestLabels;
  std::vector<double> joint;
};

} // namespace partita::solve

#endif
