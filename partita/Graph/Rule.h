//===- Rule.h - how an op's factors map to the dims of its values ---------===//
//
// An op is an iteration space. A factor is one index of it; a rule says, for
// each dim of each operand and result, which factors it is made of, major to
// minor. In text, as an einsum:
//
//   dot_general: ([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}
//   reshape:     ([a,b])->([(ab)])
//
// A dim of size one, and a dim that no split can use, is `_`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_RULE_H
#define PARTITA_GRAPH_RULE_H

#include "partita/Graph/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace partita::graph {

enum class FactorKind : uint8_t {
  /// Each part is computed alone.
  Parallel,
  /// Each part gives a partial result; parts are combined.
  Reduce,
  /// Needs the whole: may not be split.
  Replicate,
  /// Needs neighbours at its borders: may not be split before halo exchange exists.
  Window,
};

/// How partial results are combined.
enum class Combiner : uint8_t { None, Add, Multiply, Maximum, Minimum, And, Or, Xor };

struct Factor {
  FactorKind kind = FactorKind::Parallel;
  Combiner combiner = Combiner::None;
  int64_t size = 1;

  bool isSplittable() const { return kind == FactorKind::Parallel || kind == FactorKind::Reduce; }
  bool operator==(const Factor &) const = default;
};

/// Factors of one dim, major to minor: indices into Rule::factors.
using DimFactors = llvm::SmallVector<uint8_t, 2>;
/// One entry for each dim.
using ValueFactors = llvm::SmallVector<DimFactors, 4>;

struct Rule {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<ValueFactors, 3> operands;
  llvm::SmallVector<ValueFactors, 1> results;

  /// Adds a factor; gives its index.
  uint8_t addFactor(FactorKind kind, int64_t size, Combiner combiner = Combiner::None);

  bool operator==(const Rule &) const = default;
};

/// Numbers the factors in order of first appearance and drops those that appear nowhere: rules that say the same are
/// equal.
void canonicalizeRule(Rule &rule);

/// `([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}`; letters are given in order of first appearance.
std::string printRule(const Rule &rule);

/// Reads what `printRule` writes, for values of the given shapes: sizes of factors follow from them. A factor that may
/// not be split has the size of the first dim it stands alone on. `sizes`, if not empty, gives the factors' sizes in
/// order of first appearance instead.
/// `place` is used in errors only.
Result<Rule> parseRule(llvm::StringRef text, llvm::ArrayRef<llvm::SmallVector<int64_t>> operandShapes,
                       llvm::ArrayRef<llvm::SmallVector<int64_t>> resultShapes, const SourceLocation &location,
                       llvm::ArrayRef<int64_t> sizes = {});

llvm::StringRef getName(FactorKind kind);
llvm::StringRef getName(Combiner combiner);

} // namespace partita::graph

#endif
